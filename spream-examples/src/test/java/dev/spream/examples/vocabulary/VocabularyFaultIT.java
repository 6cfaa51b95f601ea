package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.examples.fault.Await;
import dev.spream.servers.PostgresDatabase;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service is killed with {@code kill -9} in the middle of commands and started anew, again and again, while its user repeats
 * what was not answered. Each command has happened once then, and the read model, its counts and the search index are what the
 * events say.
 *
 * <p>{@code -Dvocabulary.kills=10} kills it more often. With one kill, an index that forgets may not be noticed.
 */
@Timeout(300)
@Tag("proof")
final class VocabularyFaultIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final int KILLS = Integer.getInteger("vocabulary.kills", 2);
    private static final int ANSWERS = 40; // between two kills, at least

    @TempDir
    private Path directory;

    @Test
    void read_model_and_index_are_what_the_events_say_whenever_the_service_is_killed() throws Exception {
        PostgresDatabase postgres = PostgresDatabase.create();
        DataSource database = postgres.source();
        try (VocabularyClient client = new VocabularyClient()) {
            Map<String, String> environment = environment(postgres.url());
            Path log = Path.of("target", "vocabulary-service.log").toAbsolutePath();
            VocabularyProcess process = VocabularyProcess.start(environment, log);
            AtomicReference<URI> uri = new AtomicReference<>(process.uri());
            AtomicBoolean enough = new AtomicBoolean();
            CommandFlood flood = new CommandFlood(uri::get);
            try {
                CompletableFuture<Void> commands = CompletableFuture.runAsync(() -> flood.run(enough::get));
                for (int kill = 0; kill < KILLS; kill++) {
                    awaitAnswers(flood, commands);
                    process.kill();
                    process = VocabularyProcess.start(environment, log);
                    uri.set(process.uri());
                }
                awaitAnswers(flood, commands);
                enough.set(true);
                commands.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                assertThat(flood.repeated())
                        .as("commands that were not answered at first")
                        .isPositive();
                assertThat(ReadModelJudge.events(database)).hasSize(flood.answered());
                awaitRead(database, flood.answered());
                ReadModelJudge.judge(database, ReadModelJudge.events(database));
                client.awaitItems(process.uri(), ReadModelJudge.found(database));
                assertThat(process.terminate())
                        .as("with what SIGTERM has it end")
                        .isZero();
            } finally {
                enough.set(true);
                process.close();
            }
        }
    }

    private Map<String, String> environment(String database) {
        return Map.of(
                "DATABASE_URL",
                database,
                "EVENT_STORE_URL",
                database,
                "SEARCH_DIRECTORY",
                directory.resolve("search").toString(),
                "BATCH_FLUSH_INTERVAL",
                "50ms",
                "SPREAM_CONFIG_PROJECTIONS_LEASE",
                "2s",
                "VOCABULARY_HTTP",
                "0",
                "MANAGEMENT_HTTP",
                "0");
    }

    private static void awaitAnswers(CommandFlood flood, CompletableFuture<Void> commands) throws Exception {
        int before = flood.answered();
        Await.until(
                TIMEOUT,
                () -> commands.isDone() || flood.answered() >= before + ANSWERS,
                () -> "%d answers after %d".formatted(flood.answered(), before));
        assertThat(commands).isNotDone();
    }

    private static void awaitRead(DataSource database, int events) throws Exception {
        Await.until(
                TIMEOUT,
                () -> ReadModelJudge.rows(database, "SELECT coalesce(sum(version), 0)::text FROM vocabulary_entries")
                        .equals(List.of(String.valueOf(events))),
                () -> "the read model has not all %d events".formatted(events));
    }
}

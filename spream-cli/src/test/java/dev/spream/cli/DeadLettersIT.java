package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters as an operator has to do with them: a service in a process of its own, and the commands beside it. */
final class DeadLettersIT {
    private static final long TIMEOUT_NANOS = 60_000_000_000L;
    private static final long GOOD = 1;
    private static final long BAD = 3;

    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = server.createDatabase(
            Dialect.GOOGLE_STANDARD_SQL,
            List.of(
                    "CREATE TABLE Items (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR Items"));
    private final Instant created = Instant.now();
    private Spanner spanner;
    private RefusingWebhook sink;
    private String url;

    @TempDir
    private Path folder;

    @BeforeEach
    void open() throws IOException {
        spanner = server.client();
        sink = new RefusingWebhook();
        url = PostgresDatabase.create().jdbcUrl();
    }

    @AfterEach
    void close() {
        sink.close();
        spanner.close();
    }

    @Test
    void a_parked_key_is_replayed_in_order_and_released_while_the_service_runs() throws Exception {
        Path file = configure("park-key", postgres());
        sink.refuse(BAD);
        try (SpreamProcess service = SpreamProcess.spream("run", "--config", file.toString())) {
            write(BAD, 1, 3);
            write(GOOD, 1, 3);
            sink.awaitTaken(GOOD, 3);
            sink.awaitRefusals(1);
            List<JsonObject> letters = awaitLetters(file, 3);
            assertThat(letters)
                    .extracting(letter -> letter.string("reason").orElseThrow())
                    .containsExactly("parked", "behind_parked", "behind_parked");
            showsWithoutWhatRowsHeld(file);
            showsAllOfOne(file, letters.getFirst().string("identity").orElseThrow());

            CommandRun dry = deadletters(1, file, "release", "--all");
            assertThat(dry.err()).anyMatch(line -> line.startsWith("skipped Items Id=3: it has open dead letters"));
            assertThat(deadletters(0, file, "replay", "--all", "--dry-run").err())
                    .filteredOn(line -> line.startsWith("would replay "))
                    .hasSize(3);
            assertThat(deadletters(1, file, "replay", "--all").err())
                    .anyMatch(line -> line.startsWith("refused ") && line.contains("422"))
                    .last()
                    .asString()
                    .startsWith("replay: replayed 0, refused 1, overtaken 0, left 2 ")
                    .endsWith("3 letters are open: 0 failed (0 overtaken), 1 parked, 2 behind them; 1 key is parked");

            sink.relent();
            write(BAD, 4, 4);
            awaitLetters(file, 4);
            assertThat(deadletters(0, file, "replay", "--table", "Items", "--key", "Id=3")
                            .err()
                            .getLast())
                    .startsWith("replay: replayed 4, refused 0, ")
                    .endsWith("released 1 key; no letters are open; 0 keys are parked");
            write(BAD, 5, 5);
            sink.awaitTaken(BAD, 5);
            assertThat(sink.taken(BAD)).containsExactly(1L, 2L, 3L, 4L, 5L);
            drain(service);
        }
        assertThat(sink.taken(GOOD)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void a_letter_that_was_overtaken_is_not_replayed_unless_told_so() throws Exception {
        Path file = configure("dead-letter", postgres());
        sink.refuse(BAD);
        try (SpreamProcess service = SpreamProcess.spream("run", "--config", file.toString())) {
            write(BAD, 1, 2);
            sink.awaitRefusals(2);
            String first = awaitLetters(file, 2).getFirst().string("identity").orElseThrow();
            sink.relent();
            write(BAD, 3, 3);
            sink.awaitTaken(BAD, 3);
            assertThat(letters(file, "--overtaken")).hasSize(2);
            assertThat(deadletters(1, file, "replay", "--all").err())
                    .anyMatch(line -> line.startsWith("overtaken " + first))
                    .last()
                    .asString()
                    .startsWith("replay: replayed 0, refused 0, overtaken 2, ");
            assertThat(sink.taken(BAD)).containsExactly(3L);
            assertThat(deadletters(0, file, "replay", first, "--even-if-overtaken")
                            .err()
                            .getLast())
                    .startsWith("replay: replayed 1, ");
            assertThat(sink.taken(BAD)).containsExactly(3L, 1L);

            String second = letters(file).getFirst().string("identity").orElseThrow();
            deadletters(2, file, "discard", second);
            assertThat(deadletters(0, file, "discard", second, "--yes").err().getLast())
                    .isEqualTo("discard: discarded 1; no letters are open; 0 keys are parked");
            assertThat(deadletters(1, file, "discard", second, "--yes").err())
                    .anyMatch(line -> line.startsWith("skipped " + second));
            assertThat(deadletters(1, file, "show", second).err().getLast()).contains("no letter of " + second);
            drain(service);
        }
    }

    @Test
    void a_file_of_letters_is_the_running_services_alone_and_is_replayed_after_it() throws Exception {
        Path file =
                configure("park-key", "dead-letters=jsonl\ndead-letters.jsonl.path=" + folder.resolve("letters.jsonl"));
        sink.refuse(BAD);
        try (SpreamProcess service = SpreamProcess.spream("run", "--config", file.toString())) {
            write(BAD, 1, 2);
            write(GOOD, 1, 1);
            sink.awaitTaken(GOOD, 1);
            assertThat(deadletters(2, file, "list").err().getLast())
                    .contains("is in use by another process", "stop the other one first", "PostgreSQL");
            awaitLines(folder.resolve("letters.jsonl"), 2);
            drain(service);
        }
        assertThat(letters(file, "--key", "Id=3")).hasSize(2);
        assertThat(letters(file, "--key", "{\"Id\":\"4\"}")).isEmpty();
        sink.relent();
        assertThat(deadletters(0, file, "replay", "--key", "Id=3").err().getLast())
                .startsWith("replay: replayed 2, ");
        assertThat(sink.taken(BAD)).containsExactly(1L, 2L);
        assertThat(letters(file)).isEmpty();
    }

    @Test
    void every_key_of_the_configuration_is_a_flag_of_the_commands_too() throws Exception {
        Path file = configure("stop", "");
        assertThat(deadletters(2, file, "list").err())
                .anyMatch(line -> line.contains("dead-letters is not configured"));
        assertThat(deadletters(
                                0,
                                file,
                                "list",
                                "--dead-letters=jsonl",
                                "--dead-letters.jsonl.path=" + folder.resolve("none.jsonl"))
                        .err())
                .containsExactly("deadletters: no letters are open; 0 keys are parked");
    }

    private void showsWithoutWhatRowsHeld(Path file) {
        CommandRun list = deadletters(0, file, "list", "--table", "Items");
        assertThat(list.out())
                .hasSize(9)
                .allMatch(line -> line.length() <= 80)
                .noneMatch(line -> line.contains("Version"))
                .contains("  parked: Items Id=3", "  behind a parked one: Items Id=3");
        assertThat(list.err())
                .containsExactly(
                        "deadletters: 3 letters are open: 0 failed (0 overtaken), 1 parked, 2 behind them; 1 key is parked");
        assertThat(letters(file, "--key", "Id=1")).isEmpty();
    }

    private void showsAllOfOne(Path file, String identity) {
        JsonObject letter =
                JsonObject.of(deadletters(0, file, "show", identity).out().getFirst());
        assertThat(letter.string("error_message").orElseThrow()).contains("422");
        assertThat(letter.object("data_change_record").orElseThrow().toString()).contains("\"Version\":\"1\"");
    }

    private String postgres() {
        return "dead-letters=jdbc\ndead-letters.jdbc.url=" + url;
    }

    private Path configure(String onFailure, String deadLetters) throws IOException {
        return Files.writeString(folder.resolve("spream.properties"), """
                source.spanner.database=%s
                source.spanner.stream=Changes
                source.spanner.emulator-host=%s
                storage=jdbc
                storage.jdbc.url=%s
                sink=webhook
                sink.webhook.url=%s
                start=%s
                max-inflight=8
                on-failure=%s
                retry.max-attempts=1
                %s
                """.formatted(
                        database.getName(), server.emulatorHost(), url, sink.url(), created, onFailure, deadLetters));
    }

    /** Each version in a transaction of its own. */
    private void write(long item, long firstVersion, long lastVersion) {
        for (long version = firstVersion; version <= lastVersion; version++) {
            spanner.getDatabaseClient(database)
                    .write(List.of(Mutation.newInsertOrUpdateBuilder("Items")
                            .set("Id")
                            .to(item)
                            .set("Version")
                            .to(version)
                            .build()));
        }
    }

    private static CommandRun deadletters(int exitCode, Path file, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("deadletters", command, "--config", file.toString()));
        all.addAll(List.of(arguments));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s: %s", all, run).isEqualTo(exitCode);
        return run;
    }

    private static List<JsonObject> letters(Path file, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--json"));
        all.addAll(List.of(arguments));
        return deadletters(0, file, "list", all.toArray(String[]::new)).out().stream()
                .map(JsonObject::of)
                .toList();
    }

    private static List<JsonObject> awaitLetters(Path file, int count) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        List<JsonObject> letters = letters(file);
        while (letters.size() < count) {
            assertThat(System.nanoTime()).as("%s", letters).isLessThan(deadline);
            LockSupport.parkNanos(200_000_000);
            letters = letters(file);
        }
        assertThat(letters).hasSize(count);
        return letters;
    }

    private static void awaitLines(Path file, int count) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (Files.readAllLines(file).size() < count) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void drain(SpreamProcess service) throws InterruptedException {
        service.terminate();
        assertThat(service.exitCode()).as("%s", service.err()).isZero();
    }
}

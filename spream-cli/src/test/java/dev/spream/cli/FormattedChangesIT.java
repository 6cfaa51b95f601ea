package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.Consumer;
import dev.spream.core.record.Json;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes from Spanner in each format, with the stream's names from the source's configuration, while a column is added. */
@Timeout(120)
final class FormattedChangesIT {
    private static final long WAIT_SECONDS = 60;

    @TempDir
    private Path folder;

    private final Semaphore delivered = new Semaphore(0);

    /** The part of a message that has the row after a change. */
    private enum Format {
        RECORD(line -> member(line, "mods")),
        AFTER(line -> line),
        DEBEZIUM(line -> member(line, "after")),
        CLOUDEVENTS(line -> member(member(line, "data"), "mods"));

        private final Function<String, String> row;

        Format(Function<String, String> row) {
            this.row = row;
        }

        private static String member(String object, String name) {
            return Json.member(object, name).orElseThrow();
        }
    }

    static Stream<Arguments> serversAndFormats() {
        return SpannerServers.all()
                .flatMap(server -> Stream.of(Format.values()).map(format -> Arguments.of(server, format)));
    }

    @ParameterizedTest(name = "{1} from {0}")
    @MethodSource("serversAndFormats")
    void a_new_column_is_in_the_next_message_without_a_restart(SpannerServer server, Format format) throws Exception {
        DatabaseId database = server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Orders (Id INT64 NOT NULL, Status STRING(9)) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM Changes FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')"));
        Path file = folder.resolve("changes.jsonl");
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            Timestamp first = client.write(List.of(order("NEW").build()));
            try (Spream spream = Spream.builder(config(server, database, format, file, first))
                    .around(this::counting)
                    .build()) {
                CompletableFuture<?> running = CompletableFuture.runAsync(spream::run, Thread::startVirtualThread);
                awaitDelivery(running);
                spanner.getDatabaseAdminClient()
                        .updateDatabaseDdl(
                                database.getInstanceId().getInstance(),
                                database.getDatabase(),
                                List.of("ALTER TABLE Orders ADD COLUMN Note STRING(9)"),
                                null)
                        .get();
                client.write(List.of(order("PAID").set("Note").to("more").build()));
                awaitDelivery(running);
                client.write(List.of(Mutation.delete("Orders", Key.of(17))));
                awaitDelivery(running);
                spream.shutdown();
                running.get(WAIT_SECONDS, TimeUnit.SECONDS);
            }
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(format.row.apply(lines.getFirst())).contains("\"NEW\"").doesNotContain("Note");
        assertThat(format.row.apply(lines.get(1))).contains("\"Status\":\"PAID\"", "\"Note\":\"more\"");
        if (format == Format.DEBEZIUM || format == Format.CLOUDEVENTS) {
            assertThat(lines).allSatisfy(line -> assertThat(line).contains(database.getDatabase(), "Changes"));
        }
        if (format == Format.AFTER) {
            assertThat(lines.getLast()).isEqualTo("{\"Id\":17,\"__deleted\":true}");
        }
    }

    private static Mutation.WriteBuilder order(String status) {
        return Mutation.newInsertOrUpdateBuilder("Orders")
                .set("Id")
                .to(17)
                .set("Status")
                .to(status);
    }

    private Consumer counting(Consumer sink) {
        return (change, delivery) -> {
            sink.consume(change, delivery);
            delivered.release();
        };
    }

    private void awaitDelivery(CompletableFuture<?> running) throws InterruptedException {
        assertThat(delivered.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS))
                .as("delivered; %s", running)
                .isTrue();
    }

    private static SpreamConfig config(
            SpannerServer server, DatabaseId database, Format format, Path file, Timestamp start) {
        return SpreamConfig.of(Map.of(
                "source", "spanner",
                "source.spanner.database", database.getName(),
                "source.spanner.stream", "Changes",
                "source.spanner.emulator-host", server.emulatorHost(),
                "storage", "memory",
                "start", start.toString(),
                "sink", "jsonl",
                "sink.jsonl.path", file.toString(),
                "sink.jsonl.format", format.name().toLowerCase(Locale.ROOT)));
    }
}

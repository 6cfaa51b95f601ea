package dev.spream.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.SpannerServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Debezium's connector reads every change of our emulator, and of ours over Google's, while partitions churn. */
@Timeout(600)
class DebeziumReadsIT {
    private static final String STREAM = "order_changes";
    private static final int CHANGES = 2_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    Path folder;

    static Stream<Arguments> databases() {
        return Servers.ours()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("databases")
    void every_change_comes(SpannerServer server, Dialect dialect) throws Exception {
        DatabaseId database = server.createDatabase(dialect, ddl(dialect));
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            Instant start = write(client, 0);
            try (DebeziumProcess debezium =
                    DebeziumProcess.start(server.emulatorHost(), database, STREAM, start, folder)) {
                Set<Long> written = new HashSet<>(Set.of(0L));
                for (long id = 1; id < CHANGES; id++) {
                    write(client, id);
                    written.add(id);
                }
                Set<Long> read = new HashSet<>();
                while (read.size() < CHANGES) {
                    read.add(id(debezium.next(TIMEOUT)));
                }
                assertThat(read).isEqualTo(written);
            }
        }
    }

    /** Names in lower case, as the connector looks for them in PostgreSQL. */
    private static List<String> ddl(Dialect dialect) {
        String table = dialect == Dialect.POSTGRESQL
                ? "CREATE TABLE orders (id bigint NOT NULL PRIMARY KEY)"
                : "CREATE TABLE orders (id INT64 NOT NULL) PRIMARY KEY (id)";
        return List.of(table, "CREATE CHANGE STREAM %s FOR orders".formatted(STREAM));
    }

    private static Instant write(DatabaseClient client, long id) {
        Timestamp committed = client.write(
                List.of(Mutation.newInsertBuilder("orders").set("id").to(id).build()));
        return Instant.ofEpochSecond(committed.getSeconds(), committed.getNanos());
    }

    private static long id(DebeziumProcess.Message message) {
        JsonObject key = JsonObject.of(message.key());
        return key.object("payload").orElse(key).int64("id").orElseThrow();
    }
}

package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.flink.table.TransfersTable.Sums;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sums over the change-log of a table on Google's emulator, whose partitions live for a second, or on ours where it is not
 * found: the sums of the table, after inserts, after updates and after deletes.
 *
 * <p>Google's emulator moves the changes of a key between unrelated partitions. So a row is written again once the sums have
 * the write before it. To a live query it does not return a change that was committed in the very microsecond in which one
 * of its reads ended: such a run is repeated.
 */
@Tag("proof")
class ServerTableJobIT {
    private static final int ATTEMPTS = 3;
    private static final int ROWS = 40;
    private static final int ACCOUNTS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    static Stream<Arguments> serversAndDialects() {
        List<Dialect> dialects = SpannerServers.areAll() ? List.of(Dialect.values()) : List.of(Dialect.POSTGRESQL);
        return servers().flatMap(server -> dialects.stream().map(dialect -> Arguments.of(server, dialect)));
    }

    private static Stream<SpannerServer> servers() {
        return SpannerServers.areAll()
                ? SpannerServers.found()
                : Stream.of(SpannerServers.google().orElseGet(SpannerServers::ours));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("serversAndDialects")
    void sums_are_those_of_the_table_after_inserts_updates_and_deletes(SpannerServer server, Dialect dialect)
            throws Exception {
        boolean summed = sums(server, dialect);
        for (int attempt = 1; !summed; attempt++) {
            assertThat(server).isNotEqualTo(SpannerServers.ours());
            assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
            summed = sums(server, dialect);
        }
    }

    /** Returns whether the sums were those of the table each time. */
    private boolean sums(SpannerServer server, Dialect dialect) throws Exception {
        DatabaseId id = server.createDatabase(dialect, TransfersTable.ddl(dialect, "value_capture_type = 'NEW_ROW'"));
        TransfersTable table = new TransfersTable(id.getName(), server.emulatorHost(), "NEW_ROW");
        Instant start = table.serverTime();
        StreamTableEnvironment tables = TransfersTable.environment(directory);
        table.declare(tables, "", "'scan.startup.timestamp' = '%s'".formatted(start));
        try (Spanner spanner = server.client();
                Sums sums = new Sums(tables, TransfersTable.SUMS)) {
            DatabaseClient client = spanner.getDatabaseClient(id);
            for (Round round : Round.values()) {
                for (int row = 0; row < ROWS; row++) {
                    client.write(List.of(round.mutation(row)));
                    TimeUnit.MILLISECONDS.sleep(25);
                }
                if (!sums.becomes(TransfersTable.sums(client), PATIENCE)) {
                    System.out.printf(
                            "sums on %s, %s: %s after %s, and %s in the table%n",
                            server, dialect, sums, round, TransfersTable.sums(client));
                    return false;
                }
            }
            return true;
        }
    }

    /** A write of each row. */
    private enum Round {
        INSERTS,
        UPDATES,
        DELETES;

        Mutation mutation(int row) {
            String id = "transfer-" + row;
            return switch (this) {
                case INSERTS ->
                    Mutation.newInsertBuilder(TransfersTable.NAME)
                            .set("TransferId")
                            .to(id)
                            .set("AccountId")
                            .to("account-" + row % ACCOUNTS)
                            .set("Amount")
                            .to(row)
                            .build();
                case UPDATES ->
                    Mutation.newUpdateBuilder(TransfersTable.NAME)
                            .set("TransferId")
                            .to(id)
                            .set("AccountId")
                            .to("account-" + (row + row % 2) % ACCOUNTS)
                            .set("Amount")
                            .to(1_000L * row)
                            .build();
                case DELETES ->
                    row % 3 == 0
                            ? Mutation.delete(TransfersTable.NAME, Key.of(id))
                            : Mutation.newUpdateBuilder(TransfersTable.NAME)
                                    .set("TransferId")
                                    .to(id)
                                    .set("Amount")
                                    .to(row)
                                    .build();
            };
        }
    }
}

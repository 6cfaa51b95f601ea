package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.flink.table.TransfersTable.Sums;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries over a table with inserts, updates and deletes, compared with the same query in the emulator at the end. */
class TableJobIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/accounts";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int ACCOUNTS = 5;

    private final List<String> transfers = new ArrayList<>(); // that exist
    private int written;

    @TempDir
    Path directory;

    @Test
    void sums_over_the_snapshot_and_the_change_log_are_those_of_the_table_at_the_end() throws Exception {
        sumsAtTheEnd("NEW_ROW_AND_OLD_VALUES", "IMMUTABLE_KEY_RANGE", Dialect.POSTGRESQL, true, false);
    }

    @ParameterizedTest
    @CsvSource({
        "NEW_ROW, IMMUTABLE_KEY_RANGE, GOOGLE_STANDARD_SQL, true",
        "NEW_ROW_AND_OLD_VALUES, MUTABLE_KEY_RANGE, GOOGLE_STANDARD_SQL, false"
    })
    @Tag("proof")
    void sums_over_the_change_log_are_those_of_the_table_at_the_end(
            String capture, String mode, Dialect dialect, boolean withKind) throws Exception {
        sumsAtTheEnd(capture, mode, dialect, false, withKind);
    }

    private void sumsAtTheEnd(String capture, String mode, Dialect dialect, boolean snapshot, boolean withKind)
            throws Exception {
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO); // of the emulator's clock
        SplittableRandom random = new SplittableRandom(1);
        try (SpannerEmulator emulator = emulator(capture, mode, dialect, ahead);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open()) {
            TransfersTable table = new TransfersTable(DATABASE, emulator.emulatorHost(), capture);
            Instant start = table.serverTime();
            write(connection.client(), random, 20);
            StreamTableEnvironment tables = TransfersTable.environment(directory);
            table.declare(
                    tables,
                    withKind ? "Kind STRING METADATA FROM 'mod-type'," : "",
                    (snapshot ? "'scan.snapshot' = 'true'" : "'scan.startup.timestamp' = '%s'".formatted(start))
                            + ", 'scan.bounded.timestamp' = '%s'"
                                    .formatted(table.serverTime().plus(PATIENCE)));
            String query = withKind
                    ? TransfersTable.SUMS.replace("GROUP BY", "WHERE Kind IN ('INSERT', 'UPDATE') GROUP BY")
                    : TransfersTable.SUMS;
            try (Sums sums = new Sums(tables, query)) {
                sums.await(TransfersTable.sums(connection.client()), PATIENCE); // the snapshot is before the end
                write(connection.client(), random, 60);
                Map<String, Long> atEnd = TransfersTable.sums(connection.client());
                ahead.set(PATIENCE);
                while (TransfersTable.sums(connection.client()).equals(atEnd)) {
                    write(connection.client(), random, 1); // which is not before the end
                }
                assertThat(sums.awaitEnd(PATIENCE)).isNotEmpty().isEqualTo(atEnd);
            }
        }
    }

    private static SpannerEmulator emulator(
            String capture, String mode, Dialect dialect, AtomicReference<Duration> ahead) {
        SpannerEmulator emulator = SpannerEmulator.builder()
                .seed(11)
                .clock(() -> Instant.now().plus(ahead.get()))
                .churn(PartitionChurn.every(Duration.ofMillis(300)).weights(2, 2, 1))
                .faults(FaultRates.share(0.5).withinRows(3))
                .start();
        List<String> ddl = TransfersTable.ddl(
                dialect, "partition_mode = '%s', value_capture_type = '%s'".formatted(mode, capture));
        emulator.createDatabase(DATABASE, DatabaseDialect.valueOf(dialect.name()), ddl.toArray(new String[0]));
        return emulator;
    }

    /** Commits transactions that each insert, update or delete a transfer, and insert a row of another table. */
    private void write(DatabaseClient client, SplittableRandom random, int transactions) throws InterruptedException {
        for (int i = 0; i < transactions; i++) {
            commit(client, random, "transfer-" + ++written);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private void commit(DatabaseClient client, SplittableRandom random, String id) {
        client.write(List.of(
                transfer(random, id),
                Mutation.newInsertBuilder("Others").set("Id").to(id).build()));
    }

    private Mutation transfer(SplittableRandom random, String newId) {
        int kind = transfers.size() < 10 ? 0 : random.nextInt(4);
        String known = transfers.isEmpty() ? newId : transfers.get(random.nextInt(transfers.size()));
        if (kind == 3) {
            transfers.remove(known);
            return Mutation.delete(TransfersTable.NAME, Key.of(known));
        }
        if (kind < 2) {
            transfers.add(newId);
        }
        Mutation.WriteBuilder row = kind < 2
                ? Mutation.newInsertBuilder(TransfersTable.NAME)
                        .set("TransferId")
                        .to(newId)
                : Mutation.newUpdateBuilder(TransfersTable.NAME)
                        .set("TransferId")
                        .to(known);
        if (kind < 2 || random.nextBoolean()) {
            row.set("AccountId").to("account-" + random.nextInt(ACCOUNTS));
        }
        return row.set("Amount").to(random.nextLong(-100, 100)).build();
    }
}

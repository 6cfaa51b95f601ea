package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.flink.SpannerStream;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Queries over a table with inserts, updates and deletes, compared with the same query in the emulator at the end. */
class TableJobIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/accounts";
    private static final String SUMS = "SELECT AccountId, SUM(Amount) AS Total FROM Transfers GROUP BY AccountId";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int ACCOUNTS = 5;

    private final List<String> transfers = new ArrayList<>(); // that exist

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "NEW_ROW, IMMUTABLE_KEY_RANGE, false, true",
        "NEW_ROW_AND_OLD_VALUES, IMMUTABLE_KEY_RANGE, true, false",
        "NEW_ROW_AND_OLD_VALUES, MUTABLE_KEY_RANGE, false, false"
    })
    void sums_over_the_change_log_are_those_of_the_table_at_the_end(
            String capture, String mode, boolean snapshot, boolean withKind) throws Exception {
        try (SpannerEmulator emulator = emulator(capture, mode);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open()) {
            SpannerStream stream = SpannerStream.of(DATABASE, "TransfersStream").emulatorHost(emulator.emulatorHost());
            Instant start = serverTime(stream);
            write(connection.client(), 1, Instant.MIN);
            StreamTableEnvironment tables = environment();
            tables.explainSql("SELECT 1"); // which loads the planner
            write(connection.client(), 2, serverTime(stream).plusSeconds(1));
            tables.executeSql("""
                    CREATE TABLE Transfers (
                      TransferId STRING,
                      AccountId STRING,
                      Amount BIGINT,%s
                      PRIMARY KEY (TransferId) NOT ENFORCED
                    ) WITH (
                      'connector' = 'spanner-change-stream',
                      'database' = '%s',
                      'stream' = 'TransfersStream',
                      'table' = 'Transfers',
                      'value-capture' = '%s',
                      'emulator-host' = '%s',
                      'heartbeat-interval' = '200 ms',
                      %s
                    )""".formatted(
                    withKind ? " Kind STRING METADATA FROM 'mod-type'," : "",
                    DATABASE,
                    capture,
                    emulator.emulatorHost(),
                    snapshot ? "'scan.snapshot' = 'true'" : "'scan.startup.timestamp' = '%s'".formatted(start)));
            String query = withKind ? SUMS.replace("GROUP BY", "WHERE Kind IN ('INSERT', 'UPDATE') GROUP BY") : SUMS;
            try (CloseableIterator<Row> changes = tables.executeSql(query).collect()) {
                Map<String, Long> folded = new ConcurrentHashMap<>();
                FutureTask<Boolean> folding = new FutureTask<>(() -> fold(changes, folded), true);
                Thread.ofVirtual().start(folding);
                write(connection.client(), 3, serverTime(stream).plusSeconds(3));
                awaitEqual(folded, sums(connection.client()), folding);
            }
        }
    }

    private static void awaitEqual(Map<String, Long> folded, Map<String, Long> sums, FutureTask<Boolean> folding)
            throws Exception {
        assertThat(sums).isNotEmpty();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!folded.equals(sums)) {
            if (folding.isDone()) {
                folding.get(); // the failure of the job
            }
            if (System.nanoTime() > deadline) {
                assertThat(folded).isEqualTo(sums);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static SpannerEmulator emulator(String capture, String mode) {
        SpannerEmulator emulator = SpannerEmulator.builder()
                .seed(11)
                .churn(PartitionChurn.every(Duration.ofMillis(300)).weights(2, 2, 1))
                .faults(FaultRates.share(0.1))
                .start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Transfers (TransferId STRING(36) NOT NULL, AccountId STRING(36), Amount INT64) PRIMARY KEY (TransferId)",
                "CREATE TABLE Others (Id STRING(36) NOT NULL) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM TransfersStream FOR Transfers, Others OPTIONS (partition_mode = '%s', value_capture_type = '%s')"
                        .formatted(mode, capture));
        return emulator;
    }

    private static Instant serverTime(SpannerStream stream) {
        try (ChangeStreamSource source = stream.open()) {
            return source.serverTime();
        }
    }

    private StreamTableEnvironment environment() {
        Configuration configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        configuration.setString("minicluster.number-of-taskmanagers", "2");
        configuration.setString("taskmanager.numberOfTaskSlots", "2");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "20");
        configuration.setString("restart-strategy.fixed-delay.delay", "200 ms");
        configuration.setString("execution.checkpointing.interval", "300 ms");
        configuration.setString("execution.checkpointing.dir", directory.toUri().toString());
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(4);
        return StreamTableEnvironment.create(environment);
    }

    /**
     * Commits 20 transactions or more, until that time. Each inserts, updates or deletes a transfer, and inserts a row of
     * another table.
     */
    private void write(DatabaseClient client, int seed, Instant until) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        Instant committed = Instant.MIN;
        for (int i = 0; i < 20 || committed.isBefore(until); i++) {
            committed = client.write(List.of(
                            transfer(random, seed + "-" + i),
                            Mutation.newInsertBuilder("Others")
                                    .set("Id")
                                    .to(seed + "-" + i)
                                    .build()))
                    .toSqlTimestamp()
                    .toInstant();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private Mutation transfer(SplittableRandom random, String newId) {
        int kind = transfers.size() < 10 ? 0 : random.nextInt(4);
        String known = transfers.isEmpty() ? newId : transfers.get(random.nextInt(transfers.size()));
        if (kind == 3) {
            transfers.remove(known);
            return Mutation.delete("Transfers", Key.of(known));
        }
        if (kind < 2) {
            transfers.add(newId);
        }
        Mutation.WriteBuilder row = kind < 2
                ? Mutation.newInsertBuilder("Transfers").set("TransferId").to(newId)
                : Mutation.newUpdateBuilder("Transfers").set("TransferId").to(known);
        if (kind < 2 || random.nextBoolean()) {
            row.set("AccountId").to("account-" + random.nextInt(ACCOUNTS));
        }
        return row.set("Amount").to(random.nextLong(-100, 100)).build();
    }

    private static void fold(CloseableIterator<Row> changes, Map<String, Long> sums) {
        changes.forEachRemaining(change -> {
            String account = change.getFieldAs(0);
            if (change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER) {
                sums.put(account, change.getFieldAs(1));
            } else {
                sums.remove(account);
            }
        });
    }

    private static Map<String, Long> sums(DatabaseClient client) {
        Map<String, Long> sums = new TreeMap<>();
        try (ResultSet rows = client.singleUse().executeQuery(Statement.of(SUMS))) {
            while (rows.next()) {
                sums.put(rows.getString(0), rows.getLong(1));
            }
        }
        return sums;
    }
}

package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.flink.JobCluster;
import dev.spream.flink.SpannerStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

/**
 * A table of transfers in a database with a change stream, the same table in Flink, and the sums of its accounts in both.
 *
 * @param database the name of the database
 * @param emulatorHost the host and port of its server
 * @param capture what the change stream captures
 */
record TransfersTable(String database, String emulatorHost, String capture) {
    static final String NAME = "Transfers";
    static final String SUMS = "SELECT AccountId, SUM(Amount) AS Total FROM Transfers GROUP BY AccountId";

    private static final String STREAM = "TransfersStream";

    /** Returns the statements for a database with the table, another one, and a change stream of both. */
    static List<String> ddl(Dialect dialect, String options) {
        return dialect == Dialect.POSTGRESQL
                ? List.of(
                        "CREATE TABLE \"Transfers\" (\"TransferId\" varchar(36) PRIMARY KEY, \"AccountId\" varchar(36), \"Amount\" bigint)",
                        "CREATE TABLE \"Others\" (\"Id\" varchar(36) PRIMARY KEY)",
                        "CREATE CHANGE STREAM \"TransfersStream\" FOR \"Transfers\", \"Others\" WITH (" + options + ")")
                : List.of(
                        "CREATE TABLE Transfers (TransferId STRING(36) NOT NULL, AccountId STRING(36), Amount INT64) PRIMARY KEY (TransferId)",
                        "CREATE TABLE Others (Id STRING(36) NOT NULL) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM TransfersStream FOR Transfers, Others OPTIONS (" + options + ")");
    }

    /** Returns an environment of four subtasks on two task managers, with checkpoints in that folder. */
    static StreamTableEnvironment environment(Path directory) {
        Configuration configuration = JobCluster.restarting(directory);
        configuration.setString("rest.bind-port", "0");
        configuration.setString("minicluster.number-of-taskmanagers", "2");
        configuration.setString("taskmanager.numberOfTaskSlots", "2");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(4);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        tables.explainSql("SELECT 1"); // which loads the planner
        return tables;
    }

    Instant serverTime() {
        try (ChangeStreamSource source =
                SpannerStream.of(database, STREAM).emulatorHost(emulatorHost).open()) {
            return source.serverTime();
        }
    }

    /**
     * Declares the table in Flink.
     *
     * @param column the declaration of one more column, with a comma at its end; or empty
     * @param start the option that says where the reading starts
     */
    void declare(StreamTableEnvironment tables, String column, String start) {
        tables.executeSql("""
                CREATE TABLE Transfers (
                  TransferId STRING,
                  AccountId STRING,
                  Amount BIGINT,
                  %s
                  PRIMARY KEY (TransferId) NOT ENFORCED
                ) WITH (
                  'connector' = 'spanner-change-stream',
                  'database' = '%s',
                  'stream' = '%s',
                  'table' = '%s',
                  'value-capture' = '%s',
                  'emulator-host' = '%s',
                  'heartbeat-interval' = '200 ms',
                  %s
                )""".formatted(column, database, STREAM, NAME, capture, emulatorHost, start));
    }

    /** Returns the sums as the database has them. */
    static Map<String, Long> sums(DatabaseClient client) {
        String query = client.getDialect() == Dialect.POSTGRESQL
                ? "SELECT \"AccountId\", CAST(SUM(\"Amount\") AS bigint) FROM \"Transfers\" GROUP BY \"AccountId\""
                : SUMS;
        Map<String, Long> sums = new TreeMap<>();
        try (ResultSet rows = client.singleUse().executeQuery(Statement.of(query))) {
            while (rows.next()) {
                sums.put(rows.getString(0), rows.getLong(1));
            }
        }
        return sums;
    }

    /** The sums that a query of Flink has. */
    static final class Sums implements AutoCloseable {
        private final Map<String, Long> folded = new ConcurrentHashMap<>();
        private final CloseableIterator<Row> changes;
        private final FutureTask<Boolean> folding = new FutureTask<>(this::fold, true);

        Sums(StreamTableEnvironment tables, String query) {
            changes = tables.executeSql(query).collect();
            Thread.ofVirtual().start(folding);
        }

        private void fold() {
            changes.forEachRemaining(change -> {
                String account = change.getFieldAs(0);
                if (change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER) {
                    folded.put(account, change.getFieldAs(1));
                } else {
                    folded.remove(account);
                }
            });
        }

        /** Waits until they are those. */
        void await(Map<String, Long> sums, Duration patience) throws Exception {
            assertThat(becomes(sums, patience))
                    .as("%s becomes %s", folded, sums)
                    .isTrue();
        }

        /** Waits until they are those; returns whether they have become so in time. */
        boolean becomes(Map<String, Long> sums, Duration patience) throws Exception {
            assertThat(sums).isNotEmpty();
            long deadline = System.nanoTime() + patience.toNanos();
            while (!folded.equals(sums)) {
                if (folding.isDone()) {
                    folding.get(); // the failure of the job
                }
                if (System.nanoTime() > deadline) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
            return true;
        }

        /** Waits until the job has ended; returns its sums. */
        Map<String, Long> awaitEnd(Duration patience) throws Exception {
            folding.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return Map.copyOf(folded);
        }

        @Override
        public String toString() {
            return folded.toString();
        }

        @Override
        public void close() throws Exception {
            changes.close();
        }
    }
}

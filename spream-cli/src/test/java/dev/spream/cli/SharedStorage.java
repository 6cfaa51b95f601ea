package dev.spream.cli;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** A storage that processes share, by the flags that name it, and a hand that spoils it. */
sealed interface SharedStorage extends AutoCloseable {

    /** The flags for a reader that may be the first. */
    List<String> reader();

    /** The flags for the commands that look at what was stored. */
    List<String> operator();

    /** Removes the row of a partition, without a proof. */
    void forget(String token);

    /** Writes another start into the row of a partition, and the same as its watermark. */
    void setStart(String token, Instant start);

    @Override
    void close();

    static SharedStorage of(String kind, SpannerServer server, DatabaseId database) {
        return switch (kind) {
            case "jdbc" -> new Postgres(PostgresDatabase.create().jdbcUrl());
            case "spanner" -> new SpannerTable(server, database);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    record Postgres(String url) implements SharedStorage {
        @Override
        public List<String> reader() {
            return List.of("--storage", "jdbc", "--jdbc-url", url());
        }

        @Override
        public List<String> operator() {
            return List.of("--jdbc-url", url());
        }

        @Override
        public void forget(String token) {
            update("DELETE FROM spream.partitions WHERE token = ?", token);
        }

        @Override
        public void setStart(String token, Instant start) {
            BigDecimal seconds = BigDecimal.valueOf(start.getEpochSecond()).add(BigDecimal.valueOf(start.getNano(), 9));
            update(
                    "UPDATE spream.partitions SET start_timestamp = ?, watermark = ? WHERE token = ?",
                    seconds,
                    seconds,
                    token);
        }

        private void update(String sql, Object... parameters) {
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                statement.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {}
    }

    record SpannerTable(SpannerServer server, DatabaseId database) implements SharedStorage {
        private static final String TABLE = "SpreamPartitions";

        @Override
        public List<String> reader() {
            return List.of("-t", TABLE, "--create-table");
        }

        @Override
        public List<String> operator() {
            return List.of("-t", TABLE, "--metadata-database", database.getName());
        }

        @Override
        public void forget(String token) {
            write(Mutation.delete(TABLE, Key.of(token)));
        }

        @Override
        public void setStart(String token, Instant start) {
            Timestamp time = Timestamp.ofTimeSecondsAndNanos(start.getEpochSecond(), start.getNano());
            write(Mutation.newUpdateBuilder(TABLE)
                    .set("PartitionToken")
                    .to(token)
                    .set("StartTimestamp")
                    .to(time)
                    .set("Watermark")
                    .to(time)
                    .build());
        }

        private void write(Mutation mutation) {
            try (Spanner spanner = server.client()) {
                spanner.getDatabaseClient(database).write(List.of(mutation));
            }
        }

        @Override
        public void close() {
            // The database is the test's.
        }
    }
}

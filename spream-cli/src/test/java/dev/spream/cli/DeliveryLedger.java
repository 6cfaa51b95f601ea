package dev.spream.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;

/**
 * The changes that workers consumed, in the order of their effects: a table whose sequence all of them share. It also
 * records when a partition was acquired, to identify writes of a fenced worker.
 */
final class DeliveryLedger {
    private static final String DDL = """
            CREATE SEQUENCE IF NOT EXISTS ledger_order;
            CREATE TABLE IF NOT EXISTS delivered (
              place bigint NOT NULL DEFAULT nextval('ledger_order'), worker text NOT NULL, partition text NOT NULL,
              epoch bigint NOT NULL, key text NOT NULL, number bigint NOT NULL, started_at timestamptz NOT NULL);
            CREATE TABLE IF NOT EXISTS acquired (
              place bigint NOT NULL DEFAULT nextval('ledger_order'), worker text NOT NULL, partition text NOT NULL,
              epoch bigint NOT NULL, acquired_at timestamptz NOT NULL DEFAULT clock_timestamp());
            """;

    private final DataSource pool;

    DeliveryLedger(DataSource pool) {
        this.pool = pool;
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(12);
        return new HikariDataSource(config);
    }

    /** Creates the tables. */
    void create() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(DDL);
        }
    }

    /** All of one change in one statement, or nothing. */
    void delivered(WorkerId worker, Delivery delivery, List<CounterWorkload.Count> counts, Instant startedAt)
            throws SQLException {
        String row = "(?, ?, ?, ?, ?, ?)";
        String sql = "INSERT INTO delivered (worker, partition, epoch, key, number, started_at) VALUES "
                + String.join(", ", Collections.nCopies(counts.size(), row));
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement(sql)) {
            int index = 1;
            for (CounterWorkload.Count count : counts) {
                insert.setString(index++, worker.value());
                insert.setString(index++, delivery.partition().value());
                insert.setLong(index++, delivery.epoch());
                insert.setString(index++, count.key());
                insert.setLong(index++, count.number());
                insert.setTimestamp(index++, Timestamp.from(startedAt));
            }
            insert.executeUpdate();
        }
    }

    void acquired(WorkerId worker, PartitionToken partition, long epoch) {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO acquired (worker, partition, epoch) VALUES (?, ?, ?)")) {
            insert.setString(1, worker.value());
            insert.setString(2, partition.value());
            insert.setLong(3, epoch);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("the ledger cannot be written", e);
        }
    }

    long size() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM delivered")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    List<DeliveryJudge.Delivered> delivered() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT place, worker, partition, epoch, key, number, started_at FROM delivered ORDER BY place")) {
            List<DeliveryJudge.Delivered> delivered = new ArrayList<>();
            while (rows.next()) {
                delivered.add(new DeliveryJudge.Delivered(
                        rows.getLong("place"),
                        rows.getString("worker"),
                        rows.getString("partition"),
                        rows.getLong("epoch"),
                        rows.getString("key"),
                        rows.getLong("number"),
                        rows.getTimestamp("started_at").toInstant()));
            }
            return delivered;
        }
    }

    List<DeliveryJudge.Acquired> acquired() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT place, worker, partition, epoch, acquired_at FROM acquired ORDER BY place")) {
            List<DeliveryJudge.Acquired> acquired = new ArrayList<>();
            while (rows.next()) {
                acquired.add(new DeliveryJudge.Acquired(
                        rows.getLong("place"),
                        rows.getString("worker"),
                        rows.getString("partition"),
                        rows.getLong("epoch"),
                        rows.getTimestamp("acquired_at").toInstant()));
            }
            return acquired;
        }
    }
}

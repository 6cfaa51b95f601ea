package dev.spream.examples.order;

import dev.spream.examples.order.FaultJudge.LedgerRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Reads the tables of the order service and of its outbox, concurrently with their writers. */
final class OutboxTables {
    private final DataSource database;

    OutboxTables(DataSource database) {
        this.database = database;
    }

    private interface Read<T> {
        T row(ResultSet row) throws SQLException;
    }

    private <T> List<T> query(String sql, Read<T> read) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                rows.add(read.row(found));
            }
        }
        return rows;
    }

    /** Keys of the entries that are neither succeeded nor aborted, with what is known of them. */
    List<String> unsettled() throws SQLException {
        return query("""
                SELECT format('%s (%s, attempt %s, due %s, %s %s)',
                              idempotency_key, status, attempts, next_run_at, last_error_code, last_error_msg)
                FROM spream.outbox_orders WHERE status NOT IN ('succeeded', 'aborted') ORDER BY id""", row -> row.getString(1));
    }

    Set<String> orders() throws SQLException {
        return new HashSet<>(query("SELECT idempotency_key FROM orders", row -> row.getString(1)));
    }

    List<LedgerRow> ledger() throws SQLException {
        return query(
                "SELECT idempotency_key, generation, status FROM spream.idempo_ledger",
                row -> new LedgerRow(row.getString(1), row.getInt(2), row.getString(3)));
    }

    /** Returns the number of rows of the ledger by status. */
    Map<String, Integer> counts() throws SQLException {
        Map<String, Integer> counts = new TreeMap<>();
        ledger().forEach(row -> counts.merge(row.status(), 1, Integer::sum));
        return counts;
    }

    String traceparent(String key) throws SQLException {
        return query(
                        "SELECT traceparent FROM spream.outbox_orders WHERE idempotency_key = '%s'".formatted(key),
                        row -> row.getString(1))
                .getFirst();
    }

    /** Ends half of the services' connections. */
    void cutConnections() throws SQLException {
        query("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'spream'
                    AND pid <> pg_backend_pid() AND random() < 0.5""", row -> row.getBoolean(1));
    }
}

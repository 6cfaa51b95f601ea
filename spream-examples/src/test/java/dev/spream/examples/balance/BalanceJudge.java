package dev.spream.examples.balance;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Compares read models, row by row, with what the events say. */
final class BalanceJudge {
    private static final String MOVEMENTS = """
            movements AS (
              SELECT aggregate_id AS account, row_number() OVER in_order AS number, amount, sum(amount) OVER in_order AS balance
              FROM (SELECT aggregate_id, event_version,
                           (event_data ->> 'amount')::bigint * CASE event_type WHEN 'MoneyWithdrawn' THEN -1 ELSE 1 END AS amount
                    FROM spream.events) AS moved
              WHERE amount IS NOT NULL
              WINDOW in_order AS (PARTITION BY aggregate_id ORDER BY event_version))""";
    private static final String BALANCES = """
            WITH %s, wanted AS (SELECT account, sum(amount)::bigint, count(*) FROM movements GROUP BY account)
            (SELECT 'missing', * FROM (TABLE wanted EXCEPT TABLE account_balances) AS missing)
            UNION ALL (SELECT 'wrong', * FROM (TABLE account_balances EXCEPT TABLE wanted) AS wrong)""".formatted(MOVEMENTS);
    private static final String STATEMENTS = """
            WITH %s, wanted AS (SELECT account, number, amount, balance::numeric FROM movements)
            (SELECT 'missing', * FROM (TABLE wanted EXCEPT ALL TABLE account_statements) AS missing)
            UNION ALL (SELECT 'wrong', * FROM (TABLE account_statements EXCEPT ALL TABLE wanted) AS wrong)
            """.formatted(MOVEMENTS);

    private final DataSource database;

    BalanceJudge(DataSource database) {
        this.database = database;
    }

    /** Rows that are missing, and rows that are wrong. */
    List<String> differences() throws SQLException {
        List<String> differences = new ArrayList<>(wrongBalances());
        differences.addAll(rows(STATEMENTS));
        return differences;
    }

    /** Balances that are missing, and balances that are wrong. */
    List<String> wrongBalances() throws SQLException {
        return rows(BALANCES);
    }

    long poisonous() throws SQLException {
        return Long.parseLong(rows("SELECT count(*) FROM spream.events WHERE event_data ->> 'amount' IS NULL")
                .getFirst());
    }

    /** Versions that are not the last of their accounts, and keys that are still parked. */
    List<String> left() throws SQLException {
        return rows("""
                SELECT projection, key, last_version, parked, last
                FROM spream.projection_keys
                JOIN (SELECT aggregate_id, max(event_version) AS last FROM spream.events GROUP BY 1) AS events
                  ON aggregate_id = key
                WHERE last_version <> last OR parked
                UNION ALL
                SELECT projection, aggregate_id, NULL, NULL, NULL
                FROM (SELECT DISTINCT aggregate_id FROM spream.events) AS events
                CROSS JOIN (VALUES ('account_balances'), ('account_statements')) AS projections (projection)
                WHERE NOT EXISTS (
                  SELECT FROM spream.projection_keys AS known
                  WHERE known.key = aggregate_id AND known.projection = projections.projection)""");
    }

    /** Ends half of the connections of the services. */
    void cutConnections() throws SQLException {
        rows("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'spream'
                    AND pid <> pg_backend_pid() AND random() < 0.5""");
    }

    /** Returns the rows of a query: the values of a single column, or the lists of several. */
    List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            int columns = found.getMetaData().getColumnCount();
            while (found.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(found.getString(i));
                }
                rows.add(columns == 1 ? String.valueOf(row.getFirst()) : row.toString());
            }
        }
        return rows;
    }
}

package dev.spream.examples.order;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Notes every write to a settled row of the ledger, even one of the same values, in two ways that know nothing of each other: a
 * trigger, which misses nothing, and looks at the rows now and then, with the transactions that wrote them. Confined to one
 * thread.
 */
final class LedgerWatch {
    private static final String TRIGGER = """
            CREATE TABLE settled_changes (
              before text NOT NULL, after text, query text, at timestamptz NOT NULL DEFAULT clock_timestamp());
            CREATE FUNCTION note_settled_change() RETURNS trigger LANGUAGE plpgsql AS $$
              BEGIN
                INSERT INTO settled_changes VALUES (old::text, new::text, left(current_query(), 60));
                RETURN NULL;
              END $$;
            CREATE TRIGGER settled_changes AFTER UPDATE OR DELETE ON spream.idempo_ledger
              FOR EACH ROW WHEN (old.status <> 'in_progress') EXECUTE FUNCTION note_settled_change();
            """;
    private static final String SETTLED = """
            SELECT idempotency_key || ' ' || generation AS name, xmin || ' ' || ledger::text AS row
            FROM spream.idempo_ledger ledger WHERE status <> 'in_progress'""";

    private final DataSource database;
    private final Map<String, String> rows = new HashMap<>();
    private final List<String> changes = new ArrayList<>();
    private int looks;

    private LedgerWatch(DataSource database) {
        this.database = database;
    }

    /** Begins to watch a ledger that is there. */
    static LedgerWatch over(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TRIGGER);
        }
        return new LedgerWatch(database);
    }

    /** Notes what has changed since the last look. */
    void look() throws SQLException {
        looks++;
        Map<String, String> now = new HashMap<>();
        read(SETTLED, row -> now.put(row.getString("name"), row.getString("row")));
        rows.forEach((name, row) -> {
            if (!row.equals(now.get(name))) {
                changes.add("%s: was %s, is %s".formatted(name, row, now.get(name)));
            }
        });
        rows.putAll(now);
    }

    int looks() {
        return looks;
    }

    /** Settled rows that were written again, or removed. */
    List<String> changes() throws SQLException {
        List<String> all = new ArrayList<>(changes);
        read(
                "SELECT format('%s became %s by %s', before, after, query) FROM settled_changes ORDER BY at",
                row -> all.add(row.getString(1)));
        return all;
    }

    private interface Row {
        void read(ResultSet row) throws SQLException;
    }

    private void read(String sql, Row each) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                each.read(found);
            }
        }
    }
}

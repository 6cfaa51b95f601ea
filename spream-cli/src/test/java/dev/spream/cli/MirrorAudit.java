package dev.spream.cli;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Watches the mirrored tables from within the database. Triggers see every effect as it happens: one whose revision is not
 * higher than the last that its key had is a change that took effect twice, or after a later one.
 */
final class MirrorAudit {
    static final String SCHEMA = "mirror";

    private static final String[] SET_UP = {
        "CREATE SCHEMA mirror",
        "CREATE SCHEMA audit",
        "CREATE TABLE audit.last_effect (table_name text, id bigint, revision bigint NOT NULL, PRIMARY KEY (table_name, id))",
        "CREATE TABLE audit.violation (table_name text, id bigint, revision bigint, last_revision bigint)",
        "CREATE SEQUENCE audit.effects",
        """
        CREATE FUNCTION audit.note_effect() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM nextval('audit.effects');
            IF TG_OP <> 'DELETE' THEN
                INSERT INTO audit.last_effect AS last VALUES (TG_TABLE_NAME, NEW."Id", NEW."Revision")
                ON CONFLICT (table_name, id) DO UPDATE SET revision = excluded.revision
                    WHERE last.revision < excluded.revision;
                IF NOT FOUND THEN
                    INSERT INTO audit.violation
                    SELECT table_name, id, NEW."Revision", revision FROM audit.last_effect
                    WHERE table_name = TG_TABLE_NAME AND id = NEW."Id";
                END IF;
            END IF;
            RETURN NULL;
        END $$""",
        """
        CREATE FUNCTION audit.watch_new_table() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE
            made record;
        BEGIN
            FOR made IN SELECT objid, object_identity FROM pg_event_trigger_ddl_commands()
                WHERE command_tag = 'CREATE TABLE' AND schema_name = 'mirror'
            LOOP
                IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = made.objid AND attname = 'Revision') THEN
                    EXECUTE format('CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON %s'
                        ' FOR EACH ROW EXECUTE FUNCTION audit.note_effect()', made.object_identity);
                END IF;
            END LOOP;
        END $$""",
        "CREATE EVENT TRIGGER watched ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
                + " EXECUTE FUNCTION audit.watch_new_table()"
    };

    private final DataSource database;

    MirrorAudit(DataSource database) throws SQLException {
        this.database = database;
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : SET_UP) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the number of rows written or deleted so far, including those of transactions that were rolled back. */
    long effects() throws SQLException {
        return number("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit.effects");
    }

    long ledgerRows() throws SQLException {
        return number("SELECT count(*) FROM spream.applied_change");
    }

    /** Returns whether settled changes were pruned. */
    boolean ledgerIsPruned() throws SQLException {
        return number("SELECT count(*) FROM spream.applied_ledger WHERE settled_below > covers_from") == 1;
    }

    private long number(String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Effects that came twice or too late, a line each. */
    List<String> violations() throws SQLException {
        List<String> violations = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM audit.violation LIMIT 20")) {
            while (rows.next()) {
                violations.add("%s %d: revision %d after %d"
                        .formatted(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4)));
            }
        }
        return violations;
    }

    /** The rows of a mirrored table, by key; none if the table was not created yet. */
    Map<List<String>, Map<String, Object>> rows(MirrorTable table) throws SQLException {
        Map<List<String>, Map<String, Object>> rows = new TreeMap<>(MirrorRows.BY_KEY);
        if (!exists(table)) {
            return rows;
        }
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'");
            try (ResultSet result = statement.executeQuery(query(table))) {
                while (result.next()) {
                    Map<String, Object> row = row(result, table);
                    rows.put(MirrorRows.key(table, row), row);
                }
            }
        }
        return rows;
    }

    /**
     * Compares the rows of a large table one by one, and returns the first difference.
     *
     * @param originals its rows in the order of {@code column}, which is unique; null after the last one
     */
    List<String> firstDifference(MirrorTable table, String column, Supplier<@Nullable Map<String, Object>> originals)
            throws SQLException {
        if (!exists(table)) {
            return List.of(table.name() + " is not there");
        }
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.setFetchSize(10_000);
            try (ResultSet result =
                    statement.executeQuery("%s ORDER BY \"%s\".\"%s\"".formatted(query(table), table.name(), column))) {
                while (true) {
                    Map<String, Object> original = originals.get();
                    Map<String, Object> copy = result.next() ? row(result, table) : null;
                    if (!Objects.equals(original, copy)) {
                        return List.of("%s has %s, and its mirror %s".formatted(table.name(), original, copy));
                    }
                    if (original == null) {
                        return List.of();
                    }
                }
            }
        }
    }

    private boolean exists(MirrorTable table) throws SQLException {
        return number("SELECT count(*) FROM pg_tables WHERE schemaname = 'mirror' AND tablename = '%s'"
                        .formatted(table.name()))
                > 0;
    }

    private static Map<String, Object> row(ResultSet result, MirrorTable table) throws SQLException {
        Map<String, Object> row = new TreeMap<>();
        for (String column : table.columns().keySet()) {
            row.put(column, value(result, column, table.column(column)));
        }
        return row;
    }

    private static String query(MirrorTable table) {
        return table.columns().entrySet().stream()
                .map(column -> "\"%1$s\"::text%2$s AS \"%1$s\""
                        .formatted(column.getKey(), column.getValue().array() ? "[]" : ""))
                .collect(Collectors.joining(", ", "SELECT ", " FROM mirror.\"%s\"".formatted(table.name())));
    }

    private static Object value(ResultSet row, String name, MirrorTable.Column column) throws SQLException {
        if (!column.array()) {
            String text = row.getString(name);
            return text == null ? MirrorRows.NULL : column.type().fromPostgres(text);
        }
        java.sql.Array array = row.getArray(name);
        if (array == null) {
            return MirrorRows.NULL;
        }
        List<@Nullable String> elements = new ArrayList<>();
        for (Object element : (Object[]) array.getArray()) {
            elements.add(element == null ? null : column.type().fromPostgres((String) element));
        }
        return elements;
    }
}

package dev.spream.storage.jdbc.projection;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.stream.Collectors;

/** Where tables of versions are that are not live. */
final class VersionSchemas {
    /** What PostgreSQL keeps of a name, in bytes. */
    private static final int MAX_LENGTH = 63;

    private VersionSchemas() {}

    /** The name of the schema of a version whose live tables are in another; for others another name. */
    static String name(String home, String projection, int version) {
        String full = "%s__%s_v%d".formatted(home, projection, version);
        if (full.getBytes(UTF_8).length <= MAX_LENGTH) {
            return full;
        }
        String end = "_%s_v%d".formatted(StoredKeys.digest(full).substring(0, 16), version);
        String start = full;
        while (start.getBytes(UTF_8).length + end.length() > MAX_LENGTH) {
            start = start.substring(0, start.offsetByCodePoints(start.length(), -1));
        }
        return start + end;
    }

    static void create(ProjectionTransaction transaction, String schema) throws SQLException {
        execute(transaction, "CREATE SCHEMA " + quoted(schema));
    }

    /** What cannot be bound. */
    static void execute(ProjectionTransaction transaction, String sql) throws SQLException {
        try (Statement statement = transaction.connection().createStatement()) {
            statement.execute(sql);
        }
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String quoted(String schema, String table) {
        return quoted(schema) + '.' + quoted(table);
    }

    /** Several tables of a schema, as statements name them. */
    static String quoted(String schema, Collection<String> tables) {
        return tables.stream().map(table -> quoted(schema, table)).collect(Collectors.joining(", "));
    }
}

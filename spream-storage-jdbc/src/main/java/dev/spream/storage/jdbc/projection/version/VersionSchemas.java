package dev.spream.storage.jdbc.projection.version;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.projection.ProjectionVersion;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Collectors;

/** The schemas with the tables of versions that are not live. */
final class VersionSchemas {
    /** The maximum length of a name in PostgreSQL, in bytes. */
    private static final int MAX_LENGTH = 63;

    private static final String FIND = """
            SELECT obj_description(n.oid, 'pg_namespace') IS NOT DISTINCT FROM ? AS own FROM pg_namespace n WHERE n.nspname = ?""";

    private VersionSchemas() {}

    /** Returns the name of the schema of a version whose live tables are in another one; unique for each version. */
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

    /** Creates the schema, with a comment that identifies its version. */
    static void create(ProjectionTransaction transaction, String schema, ProjectionVersion version)
            throws SQLException {
        create(transaction, schema, version, Optional.empty());
    }

    /** @param owner the owner of the schema, quoted; the current user if empty */
    static void create(
            ProjectionTransaction transaction, String schema, ProjectionVersion version, Optional<String> owner)
            throws SQLException {
        execute(
                transaction,
                "CREATE SCHEMA " + quoted(schema)
                        + owner.map(" AUTHORIZATION "::concat).orElse(""));
        execute(transaction, "COMMENT ON SCHEMA %s IS '%s'".formatted(quoted(schema), mark(transaction, version)));
    }

    record Found(boolean own) {}

    /** Returns whether the schema was created for the version; empty if it does not exist. */
    static Optional<Found> find(ProjectionTransaction transaction, String schema, ProjectionVersion version)
            throws SQLException {
        String mark = mark(transaction, version);
        return transaction.find(FIND, p -> p.text(mark).text(schema), row -> new Found(row.getBoolean("own")));
    }

    /** Returns the comment, which consists of plain names, so that it needs no quoting. */
    private static String mark(ProjectionTransaction transaction, ProjectionVersion version) {
        return "tables of version %d of projection %s, see %s.projection_versions"
                .formatted(version.version(), version.projection(), transaction.schema());
    }

    /** Executes a statement whose parts cannot be bound. */
    static void execute(ProjectionTransaction transaction, String sql) throws SQLException {
        Statements.execute(transaction.connection(), sql);
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String quoted(String schema, String table) {
        return quoted(schema) + '.' + quoted(table);
    }

    static String quoted(String schema, Collection<String> tables) {
        return tables.stream().map(table -> quoted(schema, table)).collect(Collectors.joining(", "));
    }
}

package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.FailureKind;
import dev.spream.core.projection.ProjectionCode;
import dev.spream.core.projection.ProjectionFailure;
import dev.spream.core.projection.ProjectionStore.Preparation;
import dev.spream.core.projection.ProjectionVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Creates the tables of versions that are to be built, in schemas of their own. */
final class VersionPreparation {
    private static final String LOCK =
            "SELECT %s FROM @projection_versions v WHERE v.projection = ? AND v.version = ? FOR NO KEY UPDATE"
                    .formatted(VersionTable.COLUMNS);

    private static final String HOMES = """
            SELECT DISTINCT n.nspname AS home FROM unnest(?::text[]) AS t (name)
            JOIN pg_class c ON c.oid = to_regclass(quote_ident(t.name)) JOIN pg_namespace n ON n.oid = c.relnamespace
            ORDER BY 1""";

    private static final String ENTER = """
            SELECT set_config('search_path',
                concat_ws(', ', quote_ident(?), nullif(current_setting('search_path'), '')), true)""";

    private static final String MISSING = """
            SELECT t.name FROM unnest(?::text[]) AS t (name)
            WHERE to_regclass(quote_ident(?) || '.' || quote_ident(t.name)) IS NULL ORDER BY 1""";

    private static final String PREPARED = """
            UPDATE @projection_versions SET prepared = true, tables = ?::text[], effects = ?::boolean, home = ?, own_schema = ?
            WHERE projection = ? AND version = ?""";

    private final ProjectionDatabase database;

    VersionPreparation(ProjectionDatabase database) {
        this.database = database;
    }

    boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Connection> create) throws Exception {
        String what = "preparing version %d of projection '%s'".formatted(version.version(), version.projection());
        try {
            return database.<Boolean, WorkFailure>inTransaction(
                    what, transaction -> prepare(transaction, version, code, create));
        } catch (WorkFailure e) {
            throw e.thrown();
        }
    }

    private static boolean prepare(
            ProjectionTransaction transaction,
            ProjectionVersion version,
            ProjectionCode code,
            Preparation<Connection> create)
            throws SQLException, WorkFailure {
        RoundTrip trip = transaction.first();
        RoundTrip.Rows<VersionTable.Stored> found =
                trip.rows(LOCK, p -> p.text(version.projection()).number(version.version()), VersionTable.Stored::read);
        trip.run();
        if (found.isEmpty()) {
            return false;
        }
        if (!found.list().getFirst().version().prepared()) {
            create(transaction, version, code, create);
        }
        return true;
    }

    private static void create(
            ProjectionTransaction transaction,
            ProjectionVersion version,
            ProjectionCode code,
            Preparation<Connection> create)
            throws SQLException, WorkFailure {
        Set<String> tables = new TreeSet<>(code.tables());
        Optional<String> home = tables.isEmpty() ? Optional.empty() : Optional.of(home(transaction, tables));
        Optional<String> own = home.map(schema -> VersionSchemas.name(schema, version.projection(), version.version()));
        if (own.isPresent()) {
            VersionSchemas.create(transaction, own.get());
            transaction.next().update(ENTER, p -> p.text(own.get())).run();
        }
        FencedWork.run(transaction, connection -> {
            create.create(connection);
            return true;
        });
        if (own.isPresent()) {
            requireCreated(transaction, tables, own.get());
        }
        transaction
                .next()
                .update(
                        PREPARED,
                        p -> p.texts(tables)
                                .text(Boolean.toString(code.effects()))
                                .optionalText(home)
                                .optionalText(own)
                                .text(version.projection())
                                .number(version.version()))
                .run();
    }

    /** Where the live tables are, or would be if there were some. */
    private static String home(ProjectionTransaction transaction, Set<String> tables) throws SQLException, WorkFailure {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> homes = trip.rows(HOMES, p -> p.texts(tables), row -> row.getString("home"));
        RoundTrip.Rows<Optional<String>> current =
                trip.rows("SELECT current_schema()", p -> {}, row -> Optional.ofNullable(row.getString(1)));
        trip.run();
        if (homes.list().size() > 1) {
            throw failure(
                    "the live tables of %s are in the schemas %s: a projection whose tables are in one schema can be rebuilt"
                            .formatted(tables, homes.list()));
        }
        if (!homes.isEmpty()) {
            return homes.list().getFirst();
        }
        return current.list()
                .getFirst()
                .orElseThrow(() ->
                        failure("none of the tables %s is found by the search_path, which names no schema that is there"
                                .formatted(tables)));
    }

    private static void requireCreated(ProjectionTransaction transaction, Set<String> tables, String schema)
            throws SQLException, WorkFailure {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> missing =
                trip.rows(MISSING, p -> p.texts(tables).text(schema), row -> row.getString("name"));
        trip.run();
        List<String> names = missing.list();
        if (!names.isEmpty()) {
            throw failure(
                    "create() made no tables %s in the schema '%s', which comes first in the search_path: it must name them without a schema"
                            .formatted(names, schema));
        }
    }

    private static WorkFailure failure(String message) {
        return new WorkFailure(new ProjectionFailure(FailureKind.FATAL, message, null));
    }
}

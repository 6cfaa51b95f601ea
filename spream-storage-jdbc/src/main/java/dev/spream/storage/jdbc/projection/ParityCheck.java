package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.Parity;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares the tables of two versions in one snapshot, which is taken while both stand still; then they go on. Until it is
 * done the tables are locked against cut-overs, and against nothing else.
 */
final class ParityCheck {
    private static final Duration WORK = Duration.ofHours(2);

    private static final String COLUMNS = """
            SELECT l.attname FROM pg_attribute l JOIN pg_attribute o ON o.attname = l.attname
            WHERE l.attrelid = to_regclass(?) AND o.attrelid = to_regclass(?) AND l.attnum > 0 AND o.attnum > 0
                AND NOT l.attisdropped AND NOT o.attisdropped
            ORDER BY l.attnum""";

    private static final String EXISTS = "SELECT to_regclass(?) IS NOT NULL";

    private final ProjectionDatabase database;

    ParityCheck(ProjectionDatabase database) {
        this.database = database;
    }

    Parity run(String projection, int version, Set<String> ignored, Duration patience) {
        String what = "comparing version %d of projection '%s' with the live one".formatted(version, projection);
        return database.patient(WORK).inTransaction(what, comparing -> {
            comparing
                    .first()
                    .update("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", p -> {})
                    .run();
            VersionPair pair = standStill(comparing, projection, version, patience);
            return compare(comparing, pair, new TreeSet<>(ignored));
        });
    }

    /** The locks come before the snapshot, and the snapshot while both stand still by another transaction. */
    private VersionPair standStill(ProjectionTransaction comparing, String projection, int version, Duration patience) {
        return database.patient(patience)
                .inTransaction("holding projection '%s' still".formatted(projection), holding -> {
                    VersionPair pair = VersionPair.take(holding, projection, version);
                    pair.requireFollowing();
                    List<String> tables = tables(holding, pair);
                    if (!tables.isEmpty()) {
                        VersionSchemas.execute(
                                comparing, "LOCK TABLE %s IN ACCESS SHARE MODE".formatted(String.join(", ", tables)));
                    }
                    new StandStill(database, holding, pair, patience).begin();
                    RoundTrip snapshot = comparing.next();
                    snapshot.rows("SELECT true", p -> {}, row -> true);
                    snapshot.run();
                    return pair;
                });
    }

    private static List<String> tables(ProjectionTransaction transaction, VersionPair pair) throws SQLException {
        List<String> tables = new ArrayList<>();
        for (String table : names(pair)) {
            for (String name : List.of(live(pair, table), other(pair, table))) {
                if (exists(transaction, name)) {
                    tables.add(name);
                }
            }
        }
        return tables;
    }

    private static boolean exists(ProjectionTransaction transaction, String table) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<Boolean> found = trip.rows(EXISTS, p -> p.text(table), row -> row.getBoolean(1));
        trip.run();
        return found.list().getFirst();
    }

    /** None if the read model is elsewhere. */
    private static Set<String> names(VersionPair pair) {
        return pair.other().ownSchema().isEmpty()
                ? Set.of()
                : new TreeSet<>(pair.other().code().tables());
    }

    private static String live(VersionPair pair, String table) {
        return VersionSchemas.quoted(pair.other().home().orElseThrow(), table);
    }

    private static String other(VersionPair pair, String table) {
        return VersionSchemas.quoted(pair.other().ownSchema().orElseThrow(), table);
    }

    private static Parity compare(ProjectionTransaction comparing, VersionPair pair, Set<String> ignored)
            throws SQLException {
        List<Parity.Table> tables = new ArrayList<>();
        for (String table : names(pair)) {
            tables.add(compare(comparing, pair, table, ignored));
        }
        return new Parity(
                pair.projection(),
                pair.live().version().version(),
                pair.other().version().version(),
                tables);
    }

    private static Parity.Table compare(
            ProjectionTransaction comparing, VersionPair pair, String table, Set<String> ignored) throws SQLException {
        String live = live(pair, table);
        String other = other(pair, table);
        if (!exists(comparing, live) || !exists(comparing, other)) {
            return oneSided(comparing, table, live, other);
        }
        RoundTrip trip = comparing.next();
        RoundTrip.Rows<String> columns =
                trip.rows(COLUMNS, p -> p.text(live).text(other), row -> row.getString("attname"));
        trip.run();
        String compared = columns.list().stream()
                .filter(column -> !ignored.contains(column))
                .map(VersionSchemas::quoted)
                .collect(Collectors.joining(", "));
        RoundTrip comparison = comparing.next();
        RoundTrip.Rows<Parity.Table> rows = comparison.rows(
                comparison(compared, live, other),
                p -> {},
                row -> new Parity.Table(table, row.getLong("live"), row.getLong("other"), row.getLong("different")));
        comparison.run();
        return rows.list().getFirst();
    }

    private static String comparison(String columns, String live, String other) {
        return """
            SELECT coalesce(sum(g.live), 0)::bigint AS live, coalesce(sum(g.other), 0)::bigint AS other,
                coalesce(sum(abs(g.live - g.other)), 0)::bigint AS different
            FROM (
                SELECT sum(r.live)::bigint AS live, sum(r.other)::bigint AS other FROM (
                    SELECT ROW(%1$s)::text AS row, 1 AS live, 0 AS other FROM %2$s
                    UNION ALL SELECT ROW(%1$s)::text, 0, 1 FROM %3$s) AS r
                GROUP BY r.row) AS g""".formatted(columns, live, other);
    }

    /** Of a table that the code of one of them only has, all rows differ. */
    private static Parity.Table oneSided(ProjectionTransaction comparing, String table, String live, String other)
            throws SQLException {
        long liveRows = count(comparing, live);
        long otherRows = count(comparing, other);
        return new Parity.Table(table, liveRows, otherRows, liveRows + otherRows);
    }

    private static long count(ProjectionTransaction comparing, String table) throws SQLException {
        if (!exists(comparing, table)) {
            return 0;
        }
        RoundTrip trip = comparing.next();
        RoundTrip.Rows<Long> rows = trip.rows("SELECT count(*) FROM " + table, p -> {}, row -> row.getLong(1));
        trip.run();
        return rows.list().getFirst();
    }
}

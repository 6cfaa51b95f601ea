package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.VersionComparison;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A table of two versions, compared by the columns that both have.
 *
 * @param live the quoted name of the live version's table, which may not exist
 * @param other the quoted name of the other version's table, which may not exist
 * @param columns the columns of either
 */
record TableComparer(String name, String live, String other, List<Column> columns) {
    private static final String COLUMNS = """
            SELECT a.attname AS name, bool_or(a.attrelid = to_regclass(?)) AS live, bool_or(a.attrelid = to_regclass(?)) AS other
            FROM pg_attribute a
            WHERE a.attrelid IN (to_regclass(?), to_regclass(?)) AND a.attnum > 0 AND NOT a.attisdropped
            GROUP BY a.attname ORDER BY min(a.attnum), a.attname""";

    /** The result for a table that only one version has. */
    private static final String ALL = "*";

    record Column(String name, boolean live, boolean other) {
        boolean both() {
            return live && other;
        }
    }

    static TableComparer read(ProjectionTransaction comparing, String name, String live, String other)
            throws SQLException {
        List<Column> columns = comparing.rows(
                COLUMNS,
                p -> p.text(live).text(other).text(live).text(other),
                row -> new Column(row.getString("name"), row.getBoolean("live"), row.getBoolean("other")));
        return new TableComparer(name, live, other, columns);
    }

    /** @throws IllegalStateException if none of the tables has one of the ignored columns */
    static void requireKnown(List<TableComparer> tables, Set<String> ignored) {
        Set<String> unknown = new TreeSet<>(ignored);
        tables.forEach(table -> table.columns.forEach(column -> unknown.remove(column.name())));
        if (!unknown.isEmpty()) {
            throw new IllegalStateException(
                    "neither version has the ignored columns %s; nothing was compared: the tables are %s"
                            .formatted(
                                    unknown,
                                    tables.stream().map(TableComparer::name).toList()));
        }
    }

    /** @throws IllegalStateException if no column is left to compare */
    VersionComparison.Table compare(ProjectionTransaction comparing, Set<String> ignored) throws SQLException {
        boolean inLive = columns.stream().anyMatch(Column::live);
        boolean inOther = columns.stream().anyMatch(Column::other);
        if (!inLive || !inOther) {
            return apart(comparing, inLive, inOther, List.of(ALL));
        }
        List<String> oneSided = names(column -> !column.both() && !ignored.contains(column.name()));
        List<String> compared = names(column -> column.both() && !ignored.contains(column.name()));
        if (!compared.isEmpty()) {
            return compare(comparing, compared, oneSided);
        }
        if (columns.stream().anyMatch(Column::both)) {
            throw new IllegalStateException(
                    "all columns that both versions of table '%s' have are ignored; nothing was compared: ignore fewer columns"
                            .formatted(name));
        }
        return apart(comparing, true, true, oneSided);
    }

    private List<String> names(Predicate<Column> those) {
        return columns.stream().filter(those).map(Column::name).toList();
    }

    private VersionComparison.Table compare(
            ProjectionTransaction comparing, List<String> compared, List<String> oneSided) throws SQLException {
        String row = compared.stream().map(VersionSchemas::quoted).collect(Collectors.joining(", "));
        return comparing.row(
                comparison(row, live, other),
                p -> {},
                found -> new VersionComparison.Table(
                        name, found.getLong("live"), found.getLong("other"), found.getLong("different"), oneSided));
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

    /** Returns the result for tables without a common column: all rows differ. */
    private VersionComparison.Table apart(
            ProjectionTransaction comparing, boolean inLive, boolean inOther, List<String> oneSided)
            throws SQLException {
        long liveRows = inLive ? count(comparing, live) : 0;
        long otherRows = inOther ? count(comparing, other) : 0;
        return new VersionComparison.Table(name, liveRows, otherRows, liveRows + otherRows, oneSided);
    }

    private static long count(ProjectionTransaction comparing, String table) throws SQLException {
        return comparing.row("SELECT count(*) FROM " + table, p -> {}, row -> row.getLong(1));
    }
}

package dev.spream.storage.jdbc.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The SQL of a projected table, whose names are valid identifiers. Immutable. */
final class TableStatements {
    private final int columns;
    private final String lock;
    private final String create;
    private final String check;
    private final String upsert;
    private final String delete;

    /** @param columns all columns, the keys first */
    TableStatements(
            String table, List<? extends ProjectedColumn<?, ?>> keys, List<? extends ProjectedColumn<?, ?>> columns) {
        this.columns = columns.size();
        String names = joined(columns, TableStatements::quoted);
        String key = joined(keys, TableStatements::quoted);
        lock = "SELECT pg_advisory_xact_lock(hashtextextended('spream table %s', 0))".formatted(table);
        create = "CREATE TABLE IF NOT EXISTS \"%s\" (%s, PRIMARY KEY (%s))"
                .formatted(table, joined(columns, TableStatements::definition), key);
        check = "SELECT %s FROM \"%s\" LIMIT 0".formatted(names, table);
        upsert = """
                INSERT INTO "%s" AS stored (%s)
                SELECT %s FROM unnest(%s) WITH ORDINALITY AS given (%s, " place") ORDER BY " place"
                ON CONFLICT (%s) DO UPDATE SET %s""".formatted(
                        table,
                        names,
                        joined(columns, TableStatements::inserted),
                        joined(columns, column -> "?::text[]"),
                        names,
                        key,
                        joined(columns.subList(keys.size(), columns.size()), TableStatements::updated));
        delete = "DELETE FROM \"%s\" WHERE %s = ANY (?::text[])".formatted(table, key);
    }

    private static String joined(
            List<? extends ProjectedColumn<?, ?>> columns, Function<ProjectedColumn<?, ?>, String> text) {
        return columns.stream().map(text).collect(Collectors.joining(", "));
    }

    private static String quoted(ProjectedColumn<?, ?> column) {
        return '"' + column.name() + '"';
    }

    private static String definition(ProjectedColumn<?, ?> column) {
        return "%s %s%s"
                .formatted(
                        quoted(column),
                        column.type().definition(),
                        column.rule()
                                .initial()
                                .map(" NOT NULL DEFAULT "::concat)
                                .orElse(""));
    }

    private static String inserted(ProjectedColumn<?, ?> column) {
        String given = "given.%s::%s".formatted(quoted(column), column.type());
        return column.rule()
                .initial()
                .map(initial -> "coalesce(%s, %s)".formatted(given, initial))
                .orElse(given);
    }

    private static String updated(ProjectedColumn<?, ?> column) {
        return quoted(column) + " = " + column.rule().update().formatted(quoted(column));
    }

    /** Creates the table unless it exists. Concurrent calls wait for each other until their transactions end. */
    void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(lock);
            statement.execute(create);
        }
    }

    /** Fails unless the table has all columns. */
    void check(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(check);
        }
    }

    /** Writes the rows in their order, each once. */
    void upsert(Connection transaction, List<? extends TableRow<?>> rows) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(upsert)) {
            for (int i = 0; i < columns; i++) {
                int column = i;
                Object[] texts = rows.stream().map(row -> row.text(column)).toArray();
                statement.setArray(i + 1, transaction.createArrayOf("text", texts));
            }
            statement.executeUpdate();
        }
    }

    void delete(Connection transaction, Collection<String> keys) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(delete)) {
            statement.setArray(1, transaction.createArrayOf("text", keys.toArray()));
            statement.executeUpdate();
        }
    }
}

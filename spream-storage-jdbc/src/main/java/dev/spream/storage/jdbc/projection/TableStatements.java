package dev.spream.storage.jdbc.projection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The SQL of a projected table. Immutable. */
final class TableStatements {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    private final int columns;
    private final String lock;
    private final String create;
    private final String check;
    private final String upsert;
    private final String delete;

    /** @param keys the columns of the primary key, the first ones */
    TableStatements(
            String table, List<? extends ProjectedColumn<?, ?>> keys, List<? extends ProjectedColumn<?, ?>> columns) {
        requireName(table);
        this.columns = columns.size();
        String names = joined(columns, column -> quoted(column.name()));
        String key = joined(keys, column -> quoted(column.name()));
        lock = "SELECT pg_advisory_xact_lock(hashtextextended('spream table %s', 0))".formatted(table);
        create = "CREATE TABLE IF NOT EXISTS %s (%s, PRIMARY KEY (%s))"
                .formatted(quoted(table), joined(columns, TableStatements::definition), key);
        check = "SELECT %s FROM %s LIMIT 0".formatted(names, quoted(table));
        upsert =
                "INSERT INTO %s AS stored (%s) SELECT %s FROM unnest(%s) AS given (%s) ON CONFLICT (%s) DO UPDATE SET %s"
                        .formatted(
                                quoted(table),
                                names,
                                joined(columns, TableStatements::inserted),
                                joined(columns, column -> "?::text[]"),
                                names,
                                key,
                                joined(columns.subList(keys.size(), columns.size()), TableStatements::updated));
        delete = "DELETE FROM %s WHERE %s = ANY (?::text[])".formatted(quoted(table), key);
    }

    static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name '%s': must have 1 to 63 lower-case letters, digits and underscores, and start with a letter"
                            .formatted(name));
        }
    }

    private static String quoted(String name) {
        return '"' + name + '"';
    }

    private static String joined(
            List<? extends ProjectedColumn<?, ?>> columns, Function<ProjectedColumn<?, ?>, String> text) {
        return columns.stream().map(text).collect(Collectors.joining(", "));
    }

    private static String definition(ProjectedColumn<?, ?> column) {
        return "%s %s%s"
                .formatted(
                        quoted(column.name()),
                        column.type(),
                        column.rule()
                                .initial()
                                .map(" NOT NULL DEFAULT "::concat)
                                .orElse(""));
    }

    private static String inserted(ProjectedColumn<?, ?> column) {
        String given = "given.%s::%s".formatted(quoted(column.name()), column.type());
        return column.rule()
                .initial()
                .map(initial -> "coalesce(%s, %s)".formatted(given, initial))
                .orElse(given);
    }

    private static String updated(ProjectedColumn<?, ?> column) {
        return "%1$s = ".formatted(quoted(column.name()))
                + column.rule().update().formatted(quoted(column.name()));
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
    void upsert(Connection transaction, Collection<? extends TableRow<?>> rows) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(upsert)) {
            for (int i = 0; i < columns; i++) {
                int column = i;
                statement.setArray(
                        i + 1,
                        transaction.createArrayOf(
                                "text",
                                rows.stream().map(row -> row.text(column)).toArray()));
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

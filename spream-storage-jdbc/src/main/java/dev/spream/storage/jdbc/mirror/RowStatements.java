package dev.spream.storage.jdbc.mirror;

import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The statements that apply the folded rows of one table: one that deletes, and one for each set of columns that is
 * written. Values are bound as arrays of text, one for each column, and cast to the types of the table. Rows are
 * written in the order of their keys, so that transactions do not deadlock.
 *
 * <p>Foreign keys: tables are written in an order in which each comes after those that it refers to. A table deletes its
 * rows before it writes, so that a value of a unique index is free; if other tables refer to it, it does so after all
 * writes, and a row that is deleted and written again is not deleted but reset.
 */
record RowStatements(
        Connection connection,
        TargetTable table,
        List<String> keyColumns,
        Map<Shape, List<List<@Nullable String>>> deletes,
        Map<Shape, List<List<@Nullable String>>> writes) {
    private static final Comparator<List<@Nullable String>> BY_KEY = RowStatements::compare;

    /** @param tables the rows of each table, in the order of the tables */
    static void run(Connection connection, List<FoldedRows> tables) throws SQLException {
        List<RowStatements> all =
                tables.stream().map(rows -> of(connection, rows)).toList();
        for (RowStatements statements : all) {
            if (!statements.isReferred()) {
                statements.delete();
            }
            statements.write();
        }
        for (RowStatements statements : all.reversed()) {
            if (statements.isReferred()) {
                statements.delete();
            }
        }
    }

    private static RowStatements of(Connection connection, FoldedRows rows) {
        RowStatements statements =
                new RowStatements(connection, rows.table(), rows.keyColumns(), new HashMap<>(), new HashMap<>());
        rows.rows().entrySet().stream()
                .sorted(Map.Entry.comparingByKey(BY_KEY))
                .forEach(row -> statements.add(row.getKey(), row.getValue()));
        return statements;
    }

    private void add(List<@Nullable String> key, FoldedRow row) {
        SortedMap<String, @Nullable String> values = row.values();
        boolean reset = row.isDeleted() && values != null && isReferred();
        if (row.isDeleted() && !reset) {
            add(deletes, Shape.of(key, Set.of(), false), key.stream());
        }
        if (values != null) {
            add(writes, Shape.of(key, values.keySet(), reset), Stream.concat(key.stream(), values.values().stream()));
        }
    }

    private boolean isReferred() {
        return table.references().isReferred();
    }

    private void delete() throws SQLException {
        for (Map.Entry<Shape, List<List<@Nullable String>>> delete : inOrder(deletes)) {
            delete(delete.getKey(), delete.getValue());
        }
    }

    private void write() throws SQLException {
        for (Map.Entry<Shape, List<List<@Nullable String>>> write : inOrder(writes)) {
            write(write.getKey(), write.getValue());
        }
    }

    /** Returns the shapes in an order that is the same in every transaction. */
    private static List<Map.Entry<Shape, List<List<@Nullable String>>>> inOrder(
            Map<Shape, List<List<@Nullable String>>> shapes) {
        return shapes.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
    }

    private static void add(
            Map<Shape, List<List<@Nullable String>>> shapes, Shape shape, Stream<@Nullable String> row) {
        shapes.computeIfAbsent(shape, same -> new ArrayList<>())
                .add(row.collect(Collectors.toCollection(ArrayList::new)));
    }

    private void delete(Shape shape, List<List<@Nullable String>> rows) throws SQLException {
        String sql = keyColumns.isEmpty()
                ? "DELETE FROM " + table.name()
                : "DELETE FROM %s AS t USING %s WHERE %s".formatted(table.name(), source(keyColumns), matches(shape));
        execute(Statements.plannedAnew(connection, sql), rows);
    }

    /**
     * Inserts or updates the rows. An upsert must have values for all required columns even if the row exists, because
     * the server checks that first. Where that would fail, existing rows are updated before the insert.
     *
     * @see <a href="https://www.postgresql.org/docs/current/sql-insert.html">PostgreSQL: INSERT, ON CONFLICT</a>
     */
    private void write(Shape shape, List<List<@Nullable String>> rows) throws SQLException {
        List<String> columns =
                Stream.concat(keyColumns.stream(), shape.columns().stream()).toList();
        if (columns.isEmpty()) {
            execute("INSERT INTO %s DEFAULT VALUES ON CONFLICT DO NOTHING".formatted(table.name()), rows);
            return;
        }
        boolean updateFirst = !shape.reset()
                && table.columns().values().stream()
                        .anyMatch(column -> column.isRequired() && !columns.contains(column.name()));
        execute(updateFirst ? updateThenInsert(shape, columns) : insert(shape, columns, source(columns), ""), rows);
    }

    private String updateThenInsert(Shape shape, List<String> columns) {
        return """
            WITH d AS MATERIALIZED (SELECT * FROM %s),
            there AS (%s)
            %s""".formatted(
                        source(columns),
                        update(shape, columns),
                        insert(shape, columns, "d", "WHERE place NOT IN (SELECT place FROM there)"));
    }

    private String update(Shape shape, List<String> columns) {
        String matches = keyColumns.isEmpty() ? "true" : matches(shape);
        return shape.columns().isEmpty()
                ? "SELECT d.place FROM d JOIN %s AS t ON %s".formatted(table.name(), matches)
                : "UPDATE %s AS t SET %s FROM d WHERE %s RETURNING d.place"
                        .formatted(table.name(), assignments(shape, columns), matches);
    }

    private String insert(Shape shape, List<String> columns, String source, String condition) {
        String set = shape.reset() ? reset(columns) : excluded(shape);
        return "INSERT INTO %s AS t (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s %s ORDER BY place ON CONFLICT (%s) %s"
                .formatted(
                        table.name(),
                        TableDdl.columnList(columns),
                        casts(columns),
                        source,
                        condition,
                        keyColumns.isEmpty() ? "(true)" : TableDdl.columnList(keyColumns),
                        set.isEmpty() ? "DO NOTHING" : "DO UPDATE SET " + set);
    }

    /** Returns the rows as a table {@code d} of texts with their place. */
    private static String source(List<String> columns) {
        String arrays = columns.stream().map(column -> "?::text[]").collect(Collectors.joining(", "));
        String names =
                IntStream.range(0, columns.size()).mapToObj(i -> "c" + i + ", ").collect(Collectors.joining());
        return "unnest(%s) WITH ORDINALITY AS d (%splace)".formatted(arrays, names);
    }

    private String matches(Shape shape) {
        return IntStream.range(0, keyColumns.size())
                .mapToObj(i -> shape.isNull(i)
                        ? "t.%s IS NULL".formatted(TableName.quoted(keyColumns.get(i)))
                        : "t.%s = %s".formatted(TableName.quoted(keyColumns.get(i)), cast(keyColumns, i)))
                .collect(Collectors.joining(" AND "));
    }

    private String casts(List<String> columns) {
        return IntStream.range(0, columns.size())
                .mapToObj(i -> cast(columns, i))
                .collect(Collectors.joining(", "));
    }

    private String cast(List<String> columns, int index) {
        return "d.c%d::%s".formatted(index, table.column(columns.get(index)).castType());
    }

    private String assignments(Shape shape, List<String> columns) {
        return shape.columns().stream()
                .map(column -> "%s = %s".formatted(TableName.quoted(column), cast(columns, columns.indexOf(column))))
                .collect(Collectors.joining(", "));
    }

    private static String excluded(Shape shape) {
        return shape.columns().stream()
                .map(TableName::quoted)
                .map(column -> column + " = excluded." + column)
                .collect(Collectors.joining(", "));
    }

    /** Returns the assignments that leave the row as if it had been deleted before. */
    private String reset(List<String> written) {
        return table.columns().values().stream()
                .filter(column -> !keyColumns.contains(column.name()) && !column.isGenerated())
                .map(column -> written.contains(column.name())
                        ? column.quoted() + " = excluded." + column.quoted()
                        : column.quoted() + " = DEFAULT")
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private void execute(String sql, List<List<@Nullable String>> rows) throws SQLException {
        execute(connection.prepareStatement(sql), rows);
    }

    private void execute(PreparedStatement prepared, List<List<@Nullable String>> rows) throws SQLException {
        try (PreparedStatement statement = prepared) {
            int columns = rows.getFirst().size();
            for (int column = 0; column < columns; column++) {
                int place = column;
                statement.setArray(
                        column + 1,
                        connection.createArrayOf(
                                "text", rows.stream().map(row -> row.get(place)).toArray(String[]::new)));
            }
            statement.executeUpdate();
        }
    }

    private static int compare(List<@Nullable String> left, List<@Nullable String> right) {
        for (int i = 0; i < left.size(); i++) {
            int order = Comparator.nullsFirst(Comparator.<String>naturalOrder()).compare(left.get(i), right.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /**
     * The shape that rows of one statement share.
     *
     * @param nullKeys the parts of the key that are null, a character each
     * @param columns the columns to write, without those of the key, in their order
     * @param reset whether the other columns get their defaults
     */
    private record Shape(String nullKeys, List<String> columns, boolean reset) implements Comparable<Shape> {
        static Shape of(List<@Nullable String> key, Set<String> columns, boolean reset) {
            return new Shape(
                    key.stream().map(part -> part == null ? "0" : "1").collect(Collectors.joining()),
                    List.copyOf(columns),
                    reset);
        }

        boolean isNull(int key) {
            return nullKeys.charAt(key) == '0';
        }

        @Override
        public int compareTo(Shape other) {
            return toString().compareTo(other.toString());
        }
    }
}

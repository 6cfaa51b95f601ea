package dev.spream.differential;

import com.google.cloud.spanner.Dialect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A table that the workload writes to.
 *
 * @param columns in declared order
 * @param key names of the primary key's columns, in the key's order
 */
record WorkloadTable(String name, Map<String, ColumnKind> columns, List<String> key) {
    /** A column of every type. */
    static final WorkloadTable SINGLES = new WorkloadTable("singles", everyKind(), List.of("id"));

    /** A key of two columns. */
    static final WorkloadTable PAIRS = new WorkloadTable(
            "pairs",
            columns(
                    "region", ColumnKind.STRING,
                    "name", ColumnKind.STRING,
                    "seq", ColumnKind.INT64,
                    "amount", ColumnKind.INT64,
                    "note", ColumnKind.STRING),
            List.of("region", "seq"));

    /** Nothing but a key, in an order other than the declared one. */
    static final WorkloadTable MARKS = new WorkloadTable(
            "marks", columns("day", ColumnKind.DATE, "word", ColumnKind.STRING), List.of("word", "day"));

    static final List<WorkloadTable> ALL = List.of(SINGLES, PAIRS, MARKS);

    private static Map<String, ColumnKind> everyKind() {
        Map<String, ColumnKind> columns = new LinkedHashMap<>();
        columns.put("id", ColumnKind.INT64);
        for (ColumnKind kind : ColumnKind.values()) {
            columns.put("c_" + kind.name().toLowerCase(Locale.ROOT), kind);
        }
        return columns;
    }

    private static Map<String, ColumnKind> columns(Object... namesAndKinds) {
        Map<String, ColumnKind> columns = new LinkedHashMap<>();
        for (int i = 0; i < namesAndKinds.length; i += 2) {
            columns.put((String) namesAndKinds[i], (ColumnKind) namesAndKinds[i + 1]);
        }
        return columns;
    }

    static WorkloadTable named(String name) {
        return ALL.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the workload has no table " + name));
    }

    List<String> valueColumns() {
        return columns.keySet().stream().filter(name -> !key.contains(name)).toList();
    }

    ColumnKind kind(String column) {
        return columns.entrySet().stream()
                .filter(entry -> entry.getKey().equals(column))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + " has no column " + column));
    }

    String ddl(Dialect dialect) {
        String declared = columns.keySet().stream()
                .map(column -> column + " " + declaration(column, dialect))
                .collect(Collectors.joining(", "));
        String primaryKey = "PRIMARY KEY (" + String.join(", ", key) + ")";
        return dialect == Dialect.POSTGRESQL
                ? "CREATE TABLE " + name + " (" + declared + ", " + primaryKey + ")"
                : "CREATE TABLE " + name + " (" + declared + ") " + primaryKey;
    }

    private String declaration(String column, Dialect dialect) {
        return kind(column).declaration(dialect) + (key.contains(column) ? " NOT NULL" : "");
    }
}

package dev.spream.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table that is mirrored. Where it has a column {@value #REVISION}, a row's revision grows with each of its changes.
 *
 * @param key names of the primary key's columns, in the key's order
 */
record MirrorTable(String name, Map<String, Column> columns, List<String> key) {
    static final String REVISION = "Revision";

    /** The type of a column. */
    record Column(MirrorType type, boolean array) {}

    /** A column of every type, and of arrays of every type. */
    static final MirrorTable EVERYTHING = new MirrorTable("Everything", everyType(), List.of("Id"));

    /** A narrow table with a key of two columns, not in the order in which they are declared. */
    static final MirrorTable PAIRS = new MirrorTable(
            "Pairs",
            columns(
                    "Region",
                    MirrorType.STRING,
                    "Amount",
                    MirrorType.NUMERIC,
                    "Id",
                    MirrorType.INT64,
                    REVISION,
                    MirrorType.INT64),
            List.of("Id", "Region"));

    /** A name that has to be quoted. */
    static final MirrorTable ORDER = new MirrorTable(
            "Order",
            columns(
                    "User",
                    MirrorType.UUID_,
                    "Select",
                    MirrorType.JSON,
                    "Id",
                    MirrorType.INT64,
                    REVISION,
                    MirrorType.INT64),
            List.of("Id"));

    /** Nothing but a key. */
    static final MirrorTable MARKS =
            new MirrorTable("Marks", columns("Id", MirrorType.INT64, "Day", MirrorType.DATE), List.of("Id", "Day"));

    static final List<MirrorTable> ALL = List.of(EVERYTHING, PAIRS, ORDER, MARKS);

    private static Map<String, Column> everyType() {
        Map<String, Column> columns = columns("Id", MirrorType.INT64, REVISION, MirrorType.INT64);
        for (MirrorType type : MirrorType.values()) {
            columns.put("One" + type.name(), new Column(type, false));
            columns.put("Many" + type.name(), new Column(type, true));
        }
        return columns;
    }

    private static Map<String, Column> columns(Object... namesAndTypes) {
        Map<String, Column> columns = new LinkedHashMap<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            columns.put((String) namesAndTypes[i], new Column((MirrorType) namesAndTypes[i + 1], false));
        }
        return columns;
    }

    boolean hasRevision() {
        return columns.containsKey(REVISION);
    }

    Column column(String column) {
        return columns.entrySet().stream()
                .filter(entry -> entry.getKey().equals(column))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    List<String> valueColumns() {
        return columns.keySet().stream()
                .filter(name -> !key.contains(name) && !name.equals(REVISION))
                .toList();
    }

    static String[] ddl(boolean postgresDialect, String captureType) {
        List<String> statements = new ArrayList<>(
                ALL.stream().map(table -> table.create(postgresDialect)).toList());
        statements.add(
                postgresDialect
                        ? "CREATE CHANGE STREAM mirrored FOR ALL WITH (value_capture_type = '%s')"
                                .formatted(captureType)
                        : "CREATE CHANGE STREAM mirrored FOR ALL OPTIONS (value_capture_type = '%s')"
                                .formatted(captureType));
        return statements.toArray(String[]::new);
    }

    String create(boolean postgresDialect) {
        String quote = postgresDialect ? "\"" : "`";
        String declared = columns.entrySet().stream()
                .map(column -> quote + column.getKey() + quote + " "
                        + column.getValue()
                                .type()
                                .declaration(postgresDialect, column.getValue().array())
                        + (key.contains(column.getKey()) ? " NOT NULL" : ""))
                .collect(Collectors.joining(", "));
        String primaryKey = key.stream()
                .map(column -> quote + column + quote)
                .collect(Collectors.joining(", ", "PRIMARY KEY (", ")"));
        return Stream.of(
                        "CREATE TABLE " + quote + name + quote + " (" + declared,
                        postgresDialect ? ", " + primaryKey + ")" : ") " + primaryKey)
                .collect(Collectors.joining());
    }
}

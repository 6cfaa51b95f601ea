package dev.spream.storage.jdbc.mirror;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The statements that adapt a table of the mirror to a change, either executed or shown in a message. */
final class TableDdl {
    private TableDdl() {}

    static String createSchema(TableName name) {
        return "CREATE SCHEMA IF NOT EXISTS " + TableName.quoted(name.schema());
    }

    /** Returns the statements that create the table of a change, with the columns that the change contains. */
    static List<String> createTable(TableName name, DataChangeRecord change) {
        List<String> keys = keyColumns(change);
        String columns = change.columnTypes().stream()
                .sorted(Comparator.comparingLong(ColumnType::ordinalPosition))
                .map(TableDdl::column)
                .collect(Collectors.joining(", "));
        return keys.isEmpty()
                ? List.of("CREATE TABLE %s (%s)".formatted(name.quoted(), columns), uniqueKey(name, keys))
                : List.of("CREATE TABLE %s (%s, PRIMARY KEY (%s))".formatted(name.quoted(), columns, columnList(keys)));
    }

    /**
     * Returns the statement of the key that distinguishes rows; a table without a primary key, which has one row at
     * most, gets an index that permits one row.
     */
    static String uniqueKey(TableName name, List<String> keyColumns) {
        return keyColumns.isEmpty()
                ? "CREATE UNIQUE INDEX ON %s ((true))".formatted(name.quoted())
                : "ALTER TABLE %s ADD PRIMARY KEY (%s)".formatted(name.quoted(), columnList(keyColumns));
    }

    static String addColumns(TableName name, List<ColumnType> columns) {
        return "ALTER TABLE %s %s"
                .formatted(
                        name.quoted(),
                        columns.stream()
                                .map(column -> "ADD COLUMN IF NOT EXISTS " + column(column))
                                .collect(Collectors.joining(", ")));
    }

    /**
     * Returns the columns of the primary key, in the order in which the change lists them; the stream does not have
     * that of the index.
     */
    static List<String> keyColumns(DataChangeRecord change) {
        return change.columnTypes().stream()
                .filter(ColumnType::isPrimaryKey)
                .map(ColumnType::name)
                .toList();
    }

    static String columnList(List<String> columns) {
        return columns.stream().map(TableName::quoted).collect(Collectors.joining(", "));
    }

    private static String column(ColumnType column) {
        return TableName.quoted(TableName.requireIdentifier(column.name(), "column")) + " " + sqlType(column.type());
    }

    /**
     * Returns the type that holds all values of a Spanner type in either dialect, except digits of a TIMESTAMP beyond
     * microseconds.
     */
    static String sqlType(SpannerType type) {
        return switch (type.code()) {
            case BOOL -> "boolean";
            case INT64 -> type.typeAnnotation().filter("PG_OID"::equals).isPresent() ? "oid" : "bigint";
            case ENUM -> "bigint"; // its number
            case FLOAT64 -> "double precision";
            case FLOAT32 -> "real";
            case NUMERIC -> "numeric";
            case STRING -> "text";
            case BYTES, PROTO -> "bytea";
            case DATE -> "date";
            case TIMESTAMP -> "timestamptz";
            case JSON -> "jsonb";
            case UUID -> "uuid";
            case INTERVAL -> "text"; // it has nanoseconds
            case ARRAY -> arrayType(type);
            case STRUCT, UNKNOWN -> "text";
        };
    }

    private static String arrayType(SpannerType type) {
        SpannerType element = type.arrayElementType().orElse(SpannerType.of(TypeCode.UNKNOWN));
        return switch (element.code()) {
            case ARRAY, STRUCT, UNKNOWN -> "jsonb";
            default -> sqlType(element) + "[]";
        };
    }
}

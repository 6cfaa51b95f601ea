package dev.spream.api.format;

import dev.spream.core.record.Json;
import dev.spream.core.record.TypeCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The schemas of messages in Kafka Connect's JSON, with the names that Debezium gives them. Safe for use by many threads.
 */
final class DebeziumSchemas {
    private static final int MAX_CACHED = 1_000;

    /** The schema of {@link DebeziumSource}. */
    private static final String SOURCE = struct(
            "\"optional\":false,\"name\":\"com.google.spanner.connector.Source\",\"version\":1,\"field\":\"source\"",
            field("string", false, "version"),
            field("string", false, "connector"),
            field("string", false, "name"),
            field("int64", false, "ts_ms"),
            "{\"type\":\"string\",\"optional\":true,\"name\":\"io.debezium.data.Enum\",\"version\":1,\"parameters\":{\"allowed\":"
                    + "\"true,first,first_in_data_collection,last_in_data_collection,last,false,incremental\"},"
                    + "\"default\":\"false\",\"field\":\"snapshot\"}",
            field("string", false, "db"),
            field("string", true, "sequence"),
            field("int64", true, "ts_us"),
            field("int64", true, "ts_ns"),
            field("string", false, "project_id"),
            field("string", false, "instance_id"),
            field("string", false, "database_id"),
            field("string", false, "change_stream_name"),
            field("string", false, "table"),
            field("string", true, "server_transaction_id"),
            field("int64", true, "low_watermark"),
            field("int64", true, "read_at_timestamp"),
            field("int64", true, "number_records_in_transaction"),
            field("string", true, "transaction_tag"),
            field("boolean", true, "system_transaction"),
            field("string", true, "value_capture_type"),
            field("string", true, "partition_token"),
            field("int32", true, "mod_number"),
            field("boolean", true, "is_last_record_in_transaction_in_partition"),
            field("int64", true, "number_of_partitions_in_transaction"));

    private static final String TRANSACTION = struct(
            "\"optional\":true,\"name\":\"event.block\",\"version\":1,\"field\":\"transaction\"",
            field("string", false, "id"),
            field("int64", false, "total_order"),
            field("int64", false, "data_collection_order"));

    private final String name;
    private final Map<Shape, Schemas> known = new ConcurrentHashMap<>();

    /** @param name the name of the connector, with which topics begin */
    DebeziumSchemas(String name) {
        this.name = name;
    }

    /** The schemas of a row's key and of its value, as JSON. */
    record Schemas(String key, String value) {}

    private record Shape(String table, RowColumns columns, boolean nullInKey) {}

    /**
     * Returns the schemas of a row. Columns of the key are optional only in a row in whose key one is NULL, since a change
     * does not tell which columns are NOT NULL.
     */
    Schemas of(ChangedRow row, RowColumns columns) {
        Shape shape = new Shape(row.change().tableName(), columns, columns.hasNullInKey(row.mod()));
        Schemas schemas = known.get(shape);
        if (schemas == null) {
            schemas = schemas(shape);
            if (known.size() >= MAX_CACHED) {
                known.clear();
            }
            known.put(shape, schemas);
        }
        return schemas;
    }

    private Schemas schemas(Shape shape) {
        String keys = fields(shape.columns().keys().stream(), shape.nullInKey());
        String row = fields(shape.columns().all().stream(), shape.nullInKey());
        String key = structOf(keys, "\"optional\":false,\"name\":" + Json.text(shape.table() + ".Key"));
        String rowName = "\"optional\":true,\"name\":" + Json.text(shape.table() + ".Value");
        String value = struct(
                "\"optional\":false,\"name\":" + Json.text(topic(shape.table()) + ".Envelope") + ",\"version\":2",
                structOf(row, rowName + ",\"field\":\"before\""),
                structOf(row, rowName + ",\"field\":\"after\""),
                SOURCE,
                field("string", false, "op"),
                field("int64", true, "ts_ms"),
                field("int64", true, "ts_us"),
                field("int64", true, "ts_ns"),
                TRANSACTION);
        return new Schemas(key, value);
    }

    private static String fields(Stream<TypedColumn> columns, boolean nullInKey) {
        return columns.map(column -> field(column, !column.isKey() || nullInKey))
                .collect(Collectors.joining(","));
    }

    private static String field(TypedColumn column, boolean optional) {
        String type = column.isArray()
                ? "\"type\":\"array\",\"items\":{%s},\"optional\":%s"
                        .formatted(scalar(column.element(), true), optional)
                : scalar(column.element(), optional);
        return "{%s,\"field\":%s}".formatted(type, Json.text(column.name()));
    }

    /** Returns type, optionality and name; what Debezium does not support is the string that Spanner sends. */
    private static String scalar(TypeCode code, boolean optional) {
        String type =
                switch (code) {
                    case INT64, ENUM -> "int64";
                    case BOOL -> "boolean";
                    case FLOAT32 -> "float";
                    case FLOAT64 -> "double";
                    case BYTES, PROTO -> "bytes";
                    case STRING, NUMERIC, DATE, JSON, TIMESTAMP, UUID, INTERVAL, ARRAY, STRUCT, UNKNOWN -> "string";
                };
        return "\"type\":\"%s\",\"optional\":%s".formatted(type, optional)
                + (code == TypeCode.UUID ? ",\"name\":\"io.debezium.data.Uuid\",\"version\":1" : "");
    }

    private static String field(String type, boolean optional, String name) {
        return "{\"type\":\"%s\",\"optional\":%s,\"field\":\"%s\"}".formatted(type, optional, name);
    }

    private static String struct(String end, String... fields) {
        return structOf(String.join(",", fields), end);
    }

    private static String structOf(String fields, String end) {
        return "{\"type\":\"struct\",\"fields\":[" + fields + "]," + end + "}";
    }

    /** Returns the topic of a table, with underscores for what Kafka does not accept. */
    private String topic(String table) {
        return (name + "." + table).replaceAll("[^A-Za-z0-9._-]", "_");
    }
}

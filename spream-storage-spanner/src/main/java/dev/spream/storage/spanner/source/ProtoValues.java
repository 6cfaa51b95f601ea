package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ProtobufResultSet;
import com.google.cloud.spanner.ResultSet;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ColumnMetadata;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.util.List;
import java.util.Map;

/**
 * Converts values of the protocol to JSON, in the encoding of change records, which is nearly that of the protocol: INT64,
 * NUMERIC, TIMESTAMP, BYTES and others are strings already, and a floating-point number that JSON has no number for is a
 * string.
 */
final class ProtoValues {
    private static final int CHARS_PER_VALUE = 32;

    private ProtoValues() {}

    /**
     * Returns the value in the current row of a query with {@link
     * com.google.cloud.spanner.DecodeMode#LAZY_PER_COL}. The client's own value of the column must not have been read.
     */
    static Value of(ResultSet row, int column) {
        if (row instanceof ProtobufResultSet values && values.canGetProtobufValue(column)) {
            return values.getProtobufValue(column);
        }
        throw new IllegalStateException("%s returns no values of the protocol: use a client of google-cloud-spanner"
                .formatted(row.getClass().getName()));
    }

    /**
     * Returns the values by the names of their columns.
     *
     * @throws IllegalArgumentException if a value names no column, or is not set
     */
    static JsonObject object(List<ModValue> values, List<ColumnMetadata> columns) {
        if (values.isEmpty()) {
            return JsonObject.EMPTY;
        }
        StringBuilder json = new StringBuilder(values.size() * CHARS_PER_VALUE);
        char separator = '{';
        for (ModValue value : values) {
            json.append(separator);
            Json.append(json, column(value, columns).getName());
            json.append(':');
            append(json, value.getValue());
            separator = ',';
        }
        return JsonObject.of(json.append('}').toString());
    }

    private static ColumnMetadata column(ModValue value, List<ColumnMetadata> columns) {
        int index = value.getColumnMetadataIndex();
        if (index < 0 || index >= columns.size()) {
            throw new IllegalArgumentException(
                    "a value has column_metadata_index %d, and the change record has %d columns"
                            .formatted(index, columns.size()));
        }
        return columns.get(index);
    }

    static void append(StringBuilder json, Value value) {
        switch (value.getKindCase()) {
            case NULL_VALUE -> json.append("null");
            case BOOL_VALUE -> json.append(value.getBoolValue());
            case NUMBER_VALUE -> appendNumber(json, value.getNumberValue());
            case STRING_VALUE -> Json.append(json, value.getStringValue());
            case LIST_VALUE -> appendList(json, value.getListValue().getValuesList());
            case STRUCT_VALUE -> appendStruct(json, value.getStructValue().getFieldsMap());
            case KIND_NOT_SET -> throw new IllegalArgumentException("a value of a change record is not set");
        }
    }

    private static void appendNumber(StringBuilder json, double number) {
        if (Double.isFinite(number)) {
            json.append(number);
        } else {
            json.append('"').append(number).append('"');
        }
    }

    private static void appendList(StringBuilder json, List<Value> elements) {
        json.append('[');
        for (int i = 0; i < elements.size(); i++) {
            if (i > 0) {
                json.append(',');
            }
            append(json, elements.get(i));
        }
        json.append(']');
    }

    private static void appendStruct(StringBuilder json, Map<String, Value> members) {
        json.append('{');
        int start = json.length();
        members.forEach((name, value) -> {
            if (json.length() > start) {
                json.append(',');
            }
            Json.append(json, name);
            json.append(':');
            append(json, value);
        });
        json.append('}');
    }
}

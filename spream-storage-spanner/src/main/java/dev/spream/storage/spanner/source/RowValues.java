package dev.spream.storage.spanner.source;

import com.google.cloud.ByteArray;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import dev.spream.core.record.Json;
import dev.spream.storage.spanner.client.Timestamps;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of a table's rows to JSON, in the encoding of change streams: INT64, NUMERIC, TIMESTAMP, DATE and JSON
 * are strings, BYTES are base64, and a floating-point number that JSON has no number for is a string.
 */
final class RowValues {
    private RowValues() {}

    static void append(StringBuilder json, Value value) {
        if (value.isNull()) {
            json.append("null");
            return;
        }
        Type type = value.getType();
        switch (type.getCode()) {
            case BOOL -> json.append(value.getBool());
            case FLOAT64 -> appendNumber(json, value.getFloat64());
            case FLOAT32 -> appendNumber(json, value.getFloat32());
            case INT64, PG_OID, ENUM -> Json.append(json, Long.toString(value.getInt64()));
            case NUMERIC -> Json.append(json, text(value.getNumeric()));
            case TIMESTAMP -> Json.append(json, text(value.getTimestamp()));
            case BYTES, PROTO -> Json.append(json, value.getBytes().toBase64());
            case DATE -> Json.append(json, value.getDate().toString());
            case UUID -> Json.append(json, value.getUuid().toString());
            case INTERVAL -> Json.append(json, value.getInterval().toISO8601());
            case JSON -> Json.append(json, value.getJson());
            case PG_JSONB -> Json.append(json, value.getPgJsonb());
            case STRING, PG_NUMERIC -> Json.append(json, value.getString());
            case ARRAY -> appendArray(json, value, Objects.requireNonNull(type.getArrayElementType()));
            case STRUCT, UNRECOGNIZED ->
                throw new IllegalArgumentException("this version cannot read a column of type " + type);
        }
    }

    private static void appendArray(StringBuilder json, Value value, Type element) {
        switch (element.getCode()) {
            case BOOL -> appendList(json, value.getBoolArray(), StringBuilder::append);
            case FLOAT64 -> appendList(json, value.getFloat64Array(), RowValues::appendNumber);
            case FLOAT32 -> appendList(json, value.getFloat32Array(), (out, number) -> appendNumber(out, number));
            case INT64, PG_OID, ENUM ->
                appendList(json, value.getInt64Array(), (out, number) -> Json.append(out, number.toString()));
            case NUMERIC -> appendList(json, value.getNumericArray(), (out, number) -> Json.append(out, text(number)));
            case TIMESTAMP -> appendList(json, value.getTimestampArray(), (out, time) -> Json.append(out, text(time)));
            case BYTES, PROTO ->
                appendList(
                        json,
                        value.getBytesArray(),
                        (StringBuilder out, ByteArray bytes) -> Json.append(out, bytes.toBase64()));
            case DATE -> appendList(json, value.getDateArray(), (out, date) -> Json.append(out, date.toString()));
            case UUID -> appendList(json, value.getUuidArray(), (out, uuid) -> Json.append(out, uuid.toString()));
            case INTERVAL ->
                appendList(json, value.getIntervalArray(), (out, interval) -> Json.append(out, interval.toISO8601()));
            case JSON -> appendList(json, value.getJsonArray(), Json::append);
            case PG_JSONB -> appendList(json, value.getPgJsonbArray(), Json::append);
            case STRING, PG_NUMERIC -> appendList(json, value.getStringArray(), Json::append);
            case ARRAY, STRUCT, UNRECOGNIZED ->
                throw new IllegalArgumentException("this version cannot read an array of type " + element);
        }
    }

    private static <T> void appendList(
            StringBuilder json, List<? extends @Nullable T> elements, BiConsumer<StringBuilder, ? super T> append) {
        json.append('[');
        for (int i = 0; i < elements.size(); i++) {
            json.append(i == 0 ? "" : ",");
            T element = elements.get(i);
            if (element == null) {
                json.append("null");
            } else {
                append.accept(json, element);
            }
        }
        json.append(']');
    }

    private static void appendNumber(StringBuilder json, double number) {
        if (Double.isFinite(number)) {
            json.append(number);
        } else {
            json.append('"').append(number).append('"');
        }
    }

    private static String text(BigDecimal number) {
        return number.toPlainString();
    }

    /** Returns the time with as many digits as it needs, in groups of three. */
    private static String text(Timestamp timestamp) {
        return Timestamps.toInstant(timestamp).toString();
    }
}

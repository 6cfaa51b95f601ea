package dev.spream.format.protobuf;

import static dev.spream.format.schema.RowContents.text;

import com.google.protobuf.CodedOutputStream;
import dev.spream.core.record.Json;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;

/**
 * The type of a column's field, which writes the column's values as Spanner encodes them in JSON. Immutable.
 *
 * <p>An ARRAY is a message with the elements, each of which is a message with an optional value: NULL, an empty ARRAY and
 * elements that are NULL are different.
 *
 * @param name the type in the {@code .proto} file
 * @param arrayName the name of the message for an ARRAY of the type
 */
record FieldType(String name, String arrayName, Writer writer) {
    static final String TIMESTAMP = "google.protobuf.Timestamp";

    private static final FieldType BOOL =
            new FieldType("bool", "BoolArray", (out, number, value) -> out.writeBool(number, (Boolean) value));
    private static final FieldType INT64 = new FieldType(
            "int64", "Int64Array", (out, number, value) -> out.writeInt64(number, Long.parseLong(text(value))));
    private static final FieldType DOUBLE = new FieldType(
            "double", "DoubleArray", (out, number, value) -> out.writeDouble(number, Double.parseDouble(text(value))));
    private static final FieldType FLOAT = new FieldType(
            "float", "FloatArray", (out, number, value) -> out.writeFloat(number, Float.parseFloat(text(value))));
    private static final FieldType STRING =
            new FieldType("string", "StringArray", (out, number, value) -> out.writeString(number, text(value)));
    private static final FieldType DATE = new FieldType(
            STRING.name,
            STRING.arrayName,
            (out, number, value) ->
                    out.writeString(number, LocalDate.parse(text(value)).toString()));
    private static final FieldType JSON_TEXT = new FieldType(
            STRING.name, STRING.arrayName, (out, number, value) -> out.writeString(number, Json.text(value)));
    private static final FieldType BYTES = new FieldType(
            "bytes",
            "BytesArray",
            (out, number, value) ->
                    out.writeByteArray(number, Base64.getDecoder().decode(text(value))));
    private static final FieldType TIME = new FieldType(
            TIMESTAMP,
            "TimestampArray",
            (out, number, value) -> out.writeByteArray(number, EncodedMessage.timestamp(Instant.parse(text(value)))));

    /** All types that elements of an ARRAY have, each once. */
    static final List<FieldType> ELEMENTS = List.of(BOOL, INT64, DOUBLE, FLOAT, STRING, BYTES, TIME);

    /** Writes a value other than NULL; any RuntimeException says that it is none of the type. */
    interface Writer {
        void write(CodedOutputStream out, int number, Object value) throws IOException;
    }

    static FieldType of(SpannerType type) {
        return type.code() == TypeCode.ARRAY
                ? array(scalar(type.arrayElementType().orElse(type)))
                : scalar(type);
    }

    private static FieldType scalar(SpannerType type) {
        return switch (type.code()) {
            case INT64, ENUM -> INT64;
            case BOOL -> BOOL;
            case FLOAT64 -> DOUBLE;
            case FLOAT32 -> FLOAT;
            case DATE -> DATE;
            case TIMESTAMP -> TIME;
            case BYTES, PROTO -> BYTES;
            case NUMERIC, STRING, JSON, UUID, INTERVAL -> STRING;
            case ARRAY, STRUCT, UNKNOWN -> JSON_TEXT;
        };
    }

    private static FieldType array(FieldType element) {
        return new FieldType(
                element.arrayName,
                element.arrayName,
                (out, number, value) -> out.writeByteArray(number, EncodedMessage.bytes(elements -> {
                    for (Object each : (List<?>) value) {
                        elements.writeByteArray(1, EncodedMessage.bytes(single -> {
                            if (each != null) {
                                element.writer.write(single, 1, each);
                            }
                        }));
                    }
                })));
    }

    /** Returns the message for an ARRAY of the type, in a {@code .proto} file. */
    String arrayMessage() {
        return "message %s { message Element { optional %s value = 1; } repeated Element elements = 1; }"
                .formatted(arrayName, name);
    }
}

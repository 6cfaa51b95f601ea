package dev.spream.format.avro;

import static dev.spream.format.schema.RowContents.text;

import dev.spream.core.record.Json;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.format.avro.AvroFormatProvider.Timestamps;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The values of a column, as Spanner encodes them in JSON, in Avro. Immutable.
 *
 * @param schema the schema of values other than NULL
 */
record FieldValues(Schema schema, Writer writer) {
    static final int NUMERIC_PRECISION = 38;
    static final int NUMERIC_SCALE = 9;
    private static final long MICROS = 1_000_000;
    private static final int NANOS_OF_MICRO = 1_000;
    private static final int NULL_BRANCH = 0;
    private static final int VALUE_BRANCH = 1;

    /** Writes a value other than NULL; any RuntimeException says that it is none of the type. */
    interface Writer {
        void write(Encoder out, Object value) throws IOException;
    }

    static FieldValues of(SpannerType type, Timestamps timestamps) {
        return type.code() == TypeCode.ARRAY
                ? array(scalar(type.arrayElementType().orElse(type), timestamps))
                : scalar(type, timestamps);
    }

    private static FieldValues scalar(SpannerType type, Timestamps timestamps) {
        return switch (type.code()) {
            case INT64, ENUM ->
                new FieldValues(
                        Schema.create(Schema.Type.LONG), (out, value) -> out.writeLong(Long.parseLong(text(value))));
            case BOOL ->
                new FieldValues(Schema.create(Schema.Type.BOOLEAN), (out, value) -> out.writeBoolean((Boolean) value));
            case FLOAT64 ->
                new FieldValues(
                        Schema.create(Schema.Type.DOUBLE),
                        (out, value) -> out.writeDouble(Double.parseDouble(text(value))));
            case FLOAT32 ->
                new FieldValues(
                        Schema.create(Schema.Type.FLOAT),
                        (out, value) -> out.writeFloat(Float.parseFloat(text(value))));
            case NUMERIC -> type.typeAnnotation().isPresent() ? string() : numeric();
            case DATE ->
                new FieldValues(
                        LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT)),
                        (out, value) -> out.writeInt(
                                Math.toIntExact(LocalDate.parse(text(value)).toEpochDay())));
            case TIMESTAMP ->
                timestamps == Timestamps.TEXT
                        ? string()
                        : new FieldValues(micros(), (out, value) -> out.writeLong(micros(Instant.parse(text(value)))));
            case BYTES, PROTO ->
                new FieldValues(
                        Schema.create(Schema.Type.BYTES),
                        (out, value) -> out.writeBytes(Base64.getDecoder().decode(text(value))));
            case UUID ->
                new FieldValues(
                        LogicalTypes.uuid().addToSchema(Schema.create(Schema.Type.STRING)),
                        (out, value) -> out.writeString(text(value)));
            case STRING, JSON, INTERVAL -> string();
            case ARRAY, STRUCT, UNKNOWN ->
                new FieldValues(Schema.create(Schema.Type.STRING), (out, value) -> out.writeString(Json.text(value)));
        };
    }

    private static FieldValues string() {
        return new FieldValues(Schema.create(Schema.Type.STRING), (out, value) -> out.writeString(text(value)));
    }

    private static FieldValues numeric() {
        return new FieldValues(
                LogicalTypes.decimal(NUMERIC_PRECISION, NUMERIC_SCALE).addToSchema(Schema.create(Schema.Type.BYTES)),
                (out, value) -> {
                    BigDecimal number = new BigDecimal(text(value)).setScale(NUMERIC_SCALE, RoundingMode.UNNECESSARY);
                    if (number.precision() > NUMERIC_PRECISION) {
                        throw new ArithmeticException("too many digits");
                    }
                    out.writeBytes(number.unscaledValue().toByteArray());
                });
    }

    private static FieldValues array(FieldValues elements) {
        return new FieldValues(Schema.createArray(nullable(elements.schema)), (out, value) -> {
            List<?> list = (List<?>) value;
            out.writeArrayStart();
            out.setItemCount(list.size());
            for (Object element : list) {
                out.startItem();
                elements.writeNullable(out, element);
            }
            out.writeArrayEnd();
        });
    }

    static Schema nullable(Schema schema) {
        return Schema.createUnion(Schema.create(Schema.Type.NULL), schema);
    }

    static Schema micros() {
        return LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
    }

    /** Returns the microsecond in which the time is. */
    static long micros(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), MICROS), time.getNano() / NANOS_OF_MICRO);
    }

    void writeNullable(Encoder out, @Nullable Object value) throws IOException {
        if (value == null) {
            out.writeIndex(NULL_BRANCH);
            out.writeNull();
        } else {
            out.writeIndex(VALUE_BRANCH);
            writer.write(out, value);
        }
    }
}

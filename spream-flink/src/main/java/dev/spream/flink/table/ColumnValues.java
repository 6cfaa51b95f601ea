package dev.spream.flink.table;

import dev.spream.core.record.Json;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoField;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.jspecify.annotations.Nullable;

/** Converts values of change records to Flink's internal data structures. */
final class ColumnValues {
    private static final int NANOSECOND_DIGITS = 9;

    private ColumnValues() {}

    /** Returns the type to declare instead of one that no column of Spanner has; empty for a type that can be declared. */
    static Optional<String> replacement(LogicalType declared) {
        return switch (declared.getTypeRoot()) {
            case BOOLEAN, BIGINT, FLOAT, DOUBLE, DECIMAL, VARCHAR, VARBINARY, DATE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                Optional.empty();
            case ARRAY ->
                elementType(declared).is(LogicalTypeRoot.ARRAY)
                        ? Optional.of("STRING")
                        : replacement(elementType(declared)).map("ARRAY<%s>"::formatted);
            case TINYINT, SMALLINT, INTEGER -> Optional.of("BIGINT");
            case CHAR -> Optional.of("STRING");
            case BINARY -> Optional.of("BYTES");
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_TIME_ZONE -> Optional.of("TIMESTAMP_LTZ(9)");
            default ->
                Optional.of("BOOLEAN, BIGINT, FLOAT, DOUBLE, DECIMAL(38, 9), STRING, BYTES, DATE, TIMESTAMP_LTZ(9)"
                        + " or an ARRAY of one of these");
        };
    }

    /** Returns the Flink type to declare for a column of Spanner; empty if this version cannot read the column. */
    static Optional<String> typeFor(SpannerType type) {
        return switch (type.code()) {
            case BOOL -> Optional.of("BOOLEAN");
            case INT64, ENUM -> Optional.of("BIGINT");
            case FLOAT64 -> Optional.of("DOUBLE");
            case FLOAT32 -> Optional.of("FLOAT");
            case NUMERIC -> Optional.of("DECIMAL(38, 9)");
            case STRING, JSON, UUID, INTERVAL -> Optional.of("STRING");
            case BYTES, PROTO -> Optional.of("BYTES");
            case DATE -> Optional.of("DATE");
            case TIMESTAMP -> Optional.of("TIMESTAMP_LTZ(9)");
            case ARRAY -> type.arrayElementType().flatMap(ColumnValues::typeFor).map("ARRAY<%s>"::formatted);
            case STRUCT, UNKNOWN -> Optional.empty();
        };
    }

    /** Returns whether a column of that Flink type holds the values of a Spanner type. */
    static boolean holds(LogicalType declared, SpannerType type) {
        LogicalTypeRoot root = declared.getTypeRoot();
        return switch (type.code()) {
            case BOOL -> root == LogicalTypeRoot.BOOLEAN;
            case INT64, ENUM -> root == LogicalTypeRoot.BIGINT;
            case FLOAT64 -> root == LogicalTypeRoot.DOUBLE;
            case FLOAT32 -> root == LogicalTypeRoot.FLOAT || root == LogicalTypeRoot.DOUBLE;
            case NUMERIC -> root == LogicalTypeRoot.DECIMAL || root == LogicalTypeRoot.VARCHAR;
            case STRING, JSON, UUID, INTERVAL -> root == LogicalTypeRoot.VARCHAR;
            case BYTES, PROTO -> root == LogicalTypeRoot.VARBINARY;
            case DATE -> root == LogicalTypeRoot.DATE;
            case TIMESTAMP -> root == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
            case ARRAY ->
                root == LogicalTypeRoot.ARRAY
                        && type.arrayElementType()
                                .filter(element -> element.code() != TypeCode.ARRAY)
                                .filter(element -> holds(elementType(declared), element))
                                .isPresent();
            case STRUCT, UNKNOWN -> false;
        };
    }

    /**
     * Converts a value of a Spanner type that the declared type holds.
     *
     * @throws IllegalArgumentException if the value does not fit; the message does not show it
     */
    static @Nullable Object convert(@Nullable Object value, LogicalType declared) {
        if (value == null) {
            if (!declared.isNullable()) {
                throw new IllegalArgumentException("it is NULL, and declared as " + declared.asSummaryString());
            }
            return null;
        }
        try {
            return converted(value, declared);
        } catch (DateTimeException | NumberFormatException e) {
            throw new IllegalArgumentException("it cannot be a " + declared.asSummaryString(), e);
        }
    }

    private static Object converted(Object value, LogicalType declared) {
        return switch (declared.getTypeRoot()) {
            case BOOLEAN -> Boolean.valueOf(value.toString());
            case BIGINT -> Long.valueOf(value.toString());
            case FLOAT -> Float.valueOf(value.toString());
            case DOUBLE -> Double.valueOf(value.toString());
            case DECIMAL -> decimal(new BigDecimal(value.toString()), (DecimalType) declared);
            case VARCHAR -> StringData.fromString(value instanceof String text ? text : Json.text(value));
            case VARBINARY -> Base64.getDecoder().decode(value.toString());
            case DATE -> Math.toIntExact(LocalDate.parse(value.toString()).toEpochDay());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(value.toString(), (LocalZonedTimestampType) declared);
            case ARRAY -> array(value, elementType(declared));
            default -> throw new IllegalArgumentException("it is declared as " + declared.asSummaryString());
        };
    }

    private static DecimalData decimal(BigDecimal number, DecimalType declared) {
        BigDecimal shortest = number.stripTrailingZeros();
        DecimalData decimal = shortest.scale() > declared.getScale()
                ? null
                : DecimalData.fromBigDecimal(shortest, declared.getPrecision(), declared.getScale());
        if (decimal == null) {
            throw new IllegalArgumentException("it has more digits than a %s; declare it as STRING to have all of them"
                    .formatted(declared.asSummaryString()));
        }
        return decimal;
    }

    /** Timestamps end in Z or, from PostgreSQL-dialect databases, in an offset. */
    private static TimestampData timestamp(String text, LocalZonedTimestampType declared) {
        Instant instant = text.endsWith("Z")
                ? Instant.parse(text)
                : OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
        long unit = (long) Math.pow(10, NANOSECOND_DIGITS - declared.getPrecision());
        return TimestampData.fromInstant(instant.minusNanos(instant.get(ChronoField.NANO_OF_SECOND) % unit));
    }

    private static GenericArrayData array(Object value, LogicalType element) {
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException("it is no list");
        }
        return new GenericArrayData(
                list.stream().map(item -> convert(item, element)).toArray());
    }

    private static LogicalType elementType(LogicalType array) {
        return ((ArrayType) array).getElementType();
    }
}

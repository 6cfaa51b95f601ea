package dev.spream.emulator.internal.sql;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Value;
import com.google.protobuf.Value.KindCase;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import io.grpc.StatusRuntimeException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.h2.value.ValueJson;
import org.jspecify.annotations.Nullable;

/** Converts values between Spanner's wire encoding and the objects of the embedded engine. */
public final class Values {
    /** Spanner's default time zone. */
    public static final ZoneId DEFAULT_ZONE = ZoneId.of("America/Los_Angeles");

    public static final Value NULL =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    /** The text by which a mutation requests the commit timestamp. */
    public static final String COMMIT_TIMESTAMP_PLACEHOLDER = "spanner.commit_timestamp()";

    /** A placeholder for the commit timestamp until the commit, outside the range of Spanner's timestamps. */
    public static final OffsetDateTime PENDING = OffsetDateTime.of(99_999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final Instant MIN_TIMESTAMP = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant MAX_TIMESTAMP = Instant.parse("9999-12-31T23:59:59.999999999Z");
    private static final int GOOGLE_NUMERIC_SCALE = 9;
    private static final int GOOGLE_NUMERIC_INTEGER_DIGITS = 29;

    private Values() {}

    public static Value string(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    public static Value list(List<Value> values) {
        return Value.newBuilder()
                .setListValue(ListValue.newBuilder().addAllValues(values))
                .build();
    }

    /** Returns the engine's object for a value, or null. Throws INVALID_ARGUMENT if the value does not fit the type. */
    public static @Nullable Object toEngine(Value value, Type type) {
        if (value.getKindCase() == KindCase.NULL_VALUE || value.getKindCase() == KindCase.KIND_NOT_SET) {
            return null;
        }
        try {
            return switch (type.getCode()) {
                case BOOL -> bool(value, type);
                case INT64, ENUM -> Long.parseLong(text(value, type));
                case FLOAT32 -> (float) number(value, type);
                case FLOAT64 -> number(value, type);
                case NUMERIC -> numeric(text(value, type), type);
                case STRING -> text(value, type);
                case BYTES, PROTO -> Base64.getDecoder().decode(text(value, type));
                case DATE -> LocalDate.parse(text(value, type));
                case TIMESTAMP -> timestamp(text(value, type));
                case JSON -> ValueJson.fromJson(NormalJson.of(text(value, type), isPostgres(type)));
                case UUID -> UUID.fromString(text(value, type));
                case ARRAY -> array(value, type);
                default -> throw mismatch(value, type);
            };
        } catch (IllegalArgumentException | DateTimeException e) {
            throw mismatch(value, type);
        }
    }

    private static RuntimeException mismatch(Value value, Type type) {
        String shown = value.hasStringValue()
                ? value.getStringValue()
                : value.getKindCase().toString();
        return Errors.failedPrecondition(
                "Could not parse %s as %s",
                shown,
                type.getCode() == TypeCode.INT64 ? "an integer" : type.getCode().name());
    }

    private static boolean bool(Value value, Type type) {
        if (!value.hasBoolValue()) {
            throw mismatch(value, type);
        }
        return value.getBoolValue();
    }

    private static String text(Value value, Type type) {
        if (!value.hasStringValue()) {
            throw mismatch(value, type);
        }
        return value.getStringValue();
    }

    private static double number(Value value, Type type) {
        if (value.hasNumberValue()) {
            return withoutNegativeZero(value.getNumberValue());
        }
        return switch (text(value, type)) {
            case "NaN" -> Double.NaN;
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> throw mismatch(value, type);
        };
    }

    /** Returns a number, unless it is the negative zero: the engine would store it without its sign. */
    public static double withoutNegativeZero(double number) {
        if (number == 0 && Double.doubleToRawLongBits(number) != 0) {
            throw negativeZero();
        }
        return number;
    }

    static StatusRuntimeException negativeZero() {
        return Errors.unimplemented("The emulator does not support the number -0.0; write 0.0");
    }

    private static BigDecimal numeric(String text, Type type) {
        if (text.equals("NaN")) {
            throw Errors.unimplemented("the emulator does not store NaN in a numeric");
        }
        BigDecimal number = new BigDecimal(text);
        if (isPostgres(type)) {
            return number;
        }
        BigDecimal stripped = number.stripTrailingZeros();
        if (stripped.scale() > GOOGLE_NUMERIC_SCALE
                || stripped.precision() - stripped.scale() > GOOGLE_NUMERIC_INTEGER_DIGITS) {
            throw Errors.failedPrecondition("Invalid NUMERIC value: %s", text);
        }
        return number;
    }

    private static OffsetDateTime timestamp(String text) {
        if (text.equals(COMMIT_TIMESTAMP_PLACEHOLDER)) {
            return PENDING;
        }
        Instant instant = OffsetDateTime.parse(text).toInstant();
        if (instant.isBefore(MIN_TIMESTAMP) || instant.isAfter(MAX_TIMESTAMP)) {
            throw new DateTimeException("out of range");
        }
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static boolean isPostgres(Type type) {
        return type.getTypeAnnotation() == TypeAnnotationCode.PG_JSONB
                || type.getTypeAnnotation() == TypeAnnotationCode.PG_NUMERIC;
    }

    private static @Nullable Object[] array(Value value, Type type) {
        if (!value.hasListValue()) {
            throw mismatch(value, type);
        }
        List<Value> values = value.getListValue().getValuesList();
        @Nullable Object[] elements = new @Nullable Object[values.size()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = toEngine(values.get(i), type.getArrayElementType());
        }
        return elements;
    }

    /** Returns the wire encoding of an object of the engine; a pending commit timestamp becomes the placeholder. */
    public static Value fromEngine(@Nullable Object object, Type type) {
        if (object == null) {
            return NULL;
        }
        return switch (type.getCode()) {
            case BOOL -> Value.newBuilder().setBoolValue((Boolean) object).build();
            case INT64, ENUM -> string(Long.toString(wholeNumber(object)));
            case FLOAT32, FLOAT64 -> floating(((Number) object).doubleValue());
            case NUMERIC -> string(plain(object, type));
            case BYTES, PROTO -> string(Base64.getEncoder().encodeToString((byte[]) object));
            case TIMESTAMP -> string(timestampText(object));
            case DATE -> string(date((LocalDate) object));
            case JSON -> string(NormalJson.of(new String((byte[]) object, StandardCharsets.UTF_8), isPostgres(type)));
            case ARRAY ->
                list(Arrays.stream((@Nullable Object[]) object)
                        .map(element -> fromEngine(element, type.getArrayElementType()))
                        .toList());
            default -> string(object.toString());
        };
    }

    private static String date(LocalDate date) {
        if (date.getYear() < 1 || date.getYear() > 9999) {
            throw Errors.invalidArgument("Date is out of supported range");
        }
        return date.toString();
    }

    private static long wholeNumber(Object object) {
        if (!(object instanceof BigDecimal decimal)) {
            return ((Number) object).longValue();
        }
        try {
            return decimal.longValueExact();
        } catch (ArithmeticException e) {
            throw Errors.outOfRange("int64 overflow: " + decimal.toPlainString());
        }
    }

    private static Value floating(double number) {
        return Double.isFinite(number)
                ? Value.newBuilder().setNumberValue(number).build()
                : string(Double.toString(number));
    }

    private static String plain(Object object, Type type) {
        if (object.equals(Double.NaN)) {
            return "NaN";
        }
        BigDecimal decimal = object instanceof BigDecimal big ? big : new BigDecimal(object.toString());
        if (isPostgres(type)) {
            return decimal.toPlainString();
        }
        BigDecimal rounded = decimal.setScale(GOOGLE_NUMERIC_SCALE, RoundingMode.HALF_UP);
        if (rounded.precision() - rounded.scale() > GOOGLE_NUMERIC_INTEGER_DIGITS) {
            throw Errors.outOfRange("numeric overflow: " + decimal.toPlainString());
        }
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    private static String timestampText(Object object) {
        OffsetDateTime time = (OffsetDateTime) object;
        return time.isEqual(PENDING)
                ? COMMIT_TIMESTAMP_PLACEHOLDER
                : time.toInstant().toString();
    }
}

package dev.spream.emulator.internal.function;

import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Floats;
import dev.spream.emulator.internal.sql.NormalJson;
import dev.spream.emulator.internal.sql.ShownKey;
import dev.spream.emulator.internal.sql.Values;
import io.grpc.StatusRuntimeException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.h2.value.Value;
import org.h2.value.ValueJson;
import org.h2.value.ValueToObjectConverter;
import org.jspecify.annotations.Nullable;

/** Functions of Spanner that the embedded engine calls, since it has none of the same meaning. */
public final class EngineFunctions {
    private static final List<String> OWN = List.of(
            deterministic("TEXT", "text"),
            deterministic("EXTRACT", "extract"),
            deterministic("JSONB", "jsonb"),
            deterministic("BOOL", "bool"),
            deterministic("INT64", "int64"),
            deterministic("BIGINT", "bigint"),
            deterministic("FLOAT64", "float64"),
            deterministic("SAFE_BOOL", "safeBool"),
            deterministic("SAFE_INT64", "safeInt64"),
            deterministic("SAFE_STRING", "safeText"),
            definition("CHECK", "", "check"),
            definition("NOW", "", "now"),
            definition("TODAY", "", "today"),
            definition("NEXT_VALUE", "", "nextValue"),
            definition("SEQUENCE_STATE", "", "sequenceState"));

    /** The statements that make the functions known to the engine, together with those of the other classes here. */
    public static final List<String> DEFINITIONS = Stream.of(
                    ScalarFunctions.DEFINITIONS, NumberFunctions.DEFINITIONS, OWN)
            .flatMap(List::stream)
            .toList();

    private EngineFunctions() {}

    private static String deterministic(String name, String method) {
        return definition(name, "DETERMINISTIC ", method);
    }

    private static String definition(String name, String property, String method) {
        return definition(EngineFunctions.class, name, property, method);
    }

    static String definition(Class<?> functions, String name, String property, String method) {
        return "CREATE ALIAS SPANNER_%s %sFOR '%s.%s'".formatted(name, property, functions.getName(), method);
    }

    /** Returns the time of the running statement. */
    public static OffsetDateTime now() {
        return StatementScope.current().now().atOffset(ZoneOffset.UTC);
    }

    /** Returns true, for a check constraint of the engine, or throws Spanner's error. */
    public static boolean check(@Nullable Boolean met, String table, String constraint, Value... key) {
        if (met != null && !met) {
            throw Errors.outOfRange("Check constraint `%s`.`%s` is violated for key %s"
                    .formatted(
                            table,
                            constraint,
                            ShownKey.of(Arrays.stream(key)
                                    .map(value -> ValueToObjectConverter.valueToDefaultObject(value, null, false))
                                    .toList())));
        }
        return true;
    }

    public static LocalDate today() {
        return LocalDate.ofInstant(StatementScope.current().now(), Values.DEFAULT_ZONE);
    }

    public static long nextValue(String sequence) {
        return StatementScope.current().sequence(sequence).nextValue();
    }

    /** Returns the counter of a sequence, or null before its first value. */
    public static @Nullable Long sequenceState(String sequence) {
        OptionalLong state = StatementScope.current().sequence(sequence).state();
        return state.isPresent() ? state.getAsLong() : null;
    }

    /** Casts a value to a string, as {@code CAST(value AS STRING)}. */
    public static @Nullable String text(Value value) {
        Object object = ValueToObjectConverter.valueToDefaultObject(value, null, false);
        return switch (object) {
            case null -> null;
            case Double number -> Floats.cast(number.doubleValue());
            case Float number -> Floats.cast(number.floatValue());
            case BigDecimal number when value.getValueType() == Value.DECFLOAT -> Floats.cast(number.doubleValue());
            case BigDecimal number ->
                number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
            case OffsetDateTime time -> timestamp(time.atZoneSameInstant(Values.DEFAULT_ZONE));
            case byte[] bytes
            when value.getValueType() == Value.JSON -> NormalJson.of(new String(bytes, StandardCharsets.UTF_8), false);
            case byte[] bytes -> decoded(bytes);
            default -> object.toString();
        };
    }

    private static String decoded(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Errors.outOfRange("Invalid cast of bytes to UTF8 string");
        }
    }

    /** Casts a value to a boolean, as {@code CAST(value AS BOOL)} in GoogleSQL. */
    public static @Nullable Boolean bool(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        String text = String.valueOf(value.getString());
        if (value.getValueType() != Value.VARCHAR || text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return value.getBoolean();
        }
        throw Errors.outOfRange("Bad bool value: " + text);
    }

    /** Casts a value to an integer, as {@code CAST(value AS INT64)} in GoogleSQL. */
    public static @Nullable Long int64(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        String text = String.valueOf(value.getString());
        try {
            return switch (value.getValueType()) {
                case Value.VARCHAR -> text.matches("[+-]?0[xX].+") ? Long.decode(text) : Long.parseLong(text.strip());
                case Value.BOOLEAN -> value.getBoolean() ? 1L : 0L;
                default ->
                    new BigDecimal(text).setScale(0, RoundingMode.HALF_UP).longValueExact();
            };
        } catch (NumberFormatException e) {
            throw Errors.outOfRange("Bad int64 value: " + text);
        } catch (ArithmeticException e) {
            throw Errors.outOfRange("int64 out of range: " + text);
        }
    }

    /** Casts a value to an integer, as {@code CAST(value AS bigint)} in PostgreSQL. */
    public static @Nullable Long bigint(Value value) {
        if (value.getValueType() == Value.BOOLEAN) {
            throw Errors.invalidArgument("[ERROR] cannot cast type boolean to bigint");
        }
        return int64(value);
    }

    /** Casts a value to a floating-point number. */
    public static @Nullable Double float64(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        if (value.getValueType() != Value.VARCHAR) {
            return value.getDouble();
        }
        String text = String.valueOf(value.getString()).strip();
        try {
            if (text.matches(".*\\d[dDfF]")) {
                throw new NumberFormatException("a suffix");
            }
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
                case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
                case "nan" -> Double.NaN;
                default -> Values.withoutNegativeZero(Double.parseDouble(text));
            };
        } catch (NumberFormatException e) {
            throw Errors.outOfRange("Bad double value: " + text);
        }
    }

    /** Returns the value as {@code SAFE_CAST(value AS BOOL)}, which is null where a cast fails. */
    public static @Nullable Boolean safeBool(Value value) {
        try {
            return bool(value);
        } catch (StatusRuntimeException e) {
            return null;
        }
    }

    /** Returns the value as {@code SAFE_CAST(value AS INT64)}, which is null where a cast fails. */
    public static @Nullable Long safeInt64(Value value) {
        try {
            return int64(value);
        } catch (StatusRuntimeException e) {
            return null;
        }
    }

    /** Returns the value as {@code SAFE_CAST(value AS STRING)}, which is null where a cast fails. */
    public static @Nullable String safeText(Value value) {
        try {
            return text(value);
        } catch (StatusRuntimeException e) {
            return null;
        }
    }

    /** Returns the text of a time, with the offset in whole minutes and the fraction in groups of three digits. */
    private static String timestamp(ZonedDateTime local) {
        int minutes = local.getOffset().getTotalSeconds() / 60;
        OffsetDateTime time = local.toInstant().atOffset(ZoneOffset.ofTotalSeconds(minutes * 60));
        int nanos = time.getNano();
        String pattern =
                nanos == 0 ? "" : nanos % 1_000_000 == 0 ? ".SSS" : nanos % 1_000 == 0 ? ".SSSSSS" : ".SSSSSSSSS";
        String text = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss" + pattern + "xxx", Locale.ROOT)
                .format(time);
        return text.endsWith(":00") && text.matches(".*[+-]\\d\\d:00") ? text.substring(0, text.length() - 3) : text;
    }

    /** Returns a part of a date or timestamp, as {@code EXTRACT(part FROM value AT TIME ZONE zone)}. */
    public static @Nullable Long extract(String part, Value value, @Nullable String zone) {
        Object object = ValueToObjectConverter.valueToDefaultObject(value, null, false);
        return switch (object) {
            case null -> null;
            case LocalDate date -> field(part, date.atStartOfDay(Values.DEFAULT_ZONE), true);
            case OffsetDateTime time ->
                field(part, time.atZoneSameInstant(zone == null ? Values.DEFAULT_ZONE : ZoneId.of(zone)), false);
            default -> throw Errors.invalidArgument("EXTRACT needs a DATE or a TIMESTAMP");
        };
    }

    private static long field(String part, ZonedDateTime time, boolean date) {
        ChronoField ofDay =
                switch (part) {
                    case "HOUR" -> ChronoField.HOUR_OF_DAY;
                    case "MINUTE" -> ChronoField.MINUTE_OF_HOUR;
                    case "SECOND" -> ChronoField.SECOND_OF_MINUTE;
                    case "MILLISECOND" -> ChronoField.MILLI_OF_SECOND;
                    case "MICROSECOND" -> ChronoField.MICRO_OF_SECOND;
                    case "NANOSECOND" -> ChronoField.NANO_OF_SECOND;
                    default -> null;
                };
        if (ofDay != null && date) {
            throw Errors.invalidArgument("EXTRACT from DATE does not support the %s date part", part);
        }
        if (ofDay != null) {
            return time.get(ofDay);
        }
        return switch (part) {
            case "YEAR" -> time.getYear();
            case "QUARTER" -> time.get(IsoFields.QUARTER_OF_YEAR);
            case "MONTH" -> time.getMonthValue();
            case "DAY" -> time.getDayOfMonth();
            case "DAYOFYEAR" -> time.getDayOfYear();
            case "DAYOFWEEK" -> time.getDayOfWeek().getValue() % 7 + 1;
            case "WEEK" -> (time.getDayOfYear() + 6 - time.getDayOfWeek().getValue() % 7) / 7;
            case "ISOWEEK" -> time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
            case "ISOYEAR" -> time.get(IsoFields.WEEK_BASED_YEAR);
            default -> throw Errors.unimplemented("EXTRACT of %s is not supported by this emulator", part);
        };
    }

    /** Casts a value to {@code jsonb}: a string is its text, and a value that is JSON stays as it is. */
    public static @Nullable Value jsonb(Value value) {
        return switch (value.getValueType()) {
            case Value.NULL -> null;
            case Value.JSON -> value;
            default -> ValueJson.fromJson(NormalJson.of(String.valueOf(value.getString()), true));
        };
    }
}

package dev.spream.cli;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The types of mirrored columns. Values pass through the test as texts of one form, whichever database they come from:
 * numbers without needless zeros, bytes in hexadecimal digits, JSON with its members sorted, times in microseconds, which is
 * what PostgreSQL keeps.
 */
enum MirrorType {
    BOOL("BOOL", "boolean"),
    INT64("INT64", "bigint"),
    FLOAT32("FLOAT32", "real"),
    FLOAT64("FLOAT64", "double precision"),
    NUMERIC("NUMERIC", "numeric"),
    STRING("STRING(MAX)", "character varying"),
    BYTES("BYTES(MAX)", "bytea"),
    DATE("DATE", "date"),
    TIMESTAMP("TIMESTAMP", "timestamp with time zone"),
    JSON("JSON", "jsonb"),
    UUID_("UUID", "uuid");

    private static final String[] TEXTS = {
        "",
        "plain",
        "quo\"ted",
        "back\\slash",
        "line\nbreak",
        "tab\t",
        "Grüße",
        "日本",
        "{curly,comma}",
        "NULL",
        "'",
        "😀",
        " "
    };
    private static final String[] NUMBERS = {"0", "3.14", "-12.5", "1000000", "0.000000001", "-99999999999999999999.5"};
    private static final String[] DOUBLES = {
        "0.0", "1.5", "-2.25", "3.14", "1.0E21", "1.0E-7", "NaN", "Infinity", "-Infinity"
    };
    private static final String[] JSONS = {
        "{}", "[7]", "true", "\"te\\\"xt\"", "[]", "12", "{\"a\":{\"b\":[1,null,\"ü\"]},\"c\":1.5}", "null"
    };
    private static final DateTimeFormatter POSTGRES_TIME = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .appendOffset("+HH:mm", "+00")
            .toFormatter(Locale.ROOT);

    private final String google;
    private final String postgresql;

    MirrorType(String google, String postgresql) {
        this.google = google;
        this.postgresql = postgresql;
    }

    String declaration(boolean postgresDialect, boolean array) {
        if (postgresDialect) {
            return array ? postgresql + "[]" : postgresql;
        }
        return array ? "ARRAY<" + google + ">" : google;
    }

    String any(Random random) {
        return switch (this) {
            case BOOL -> Boolean.toString(random.nextBoolean());
            case INT64 -> Long.toString(random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(1000));
            case FLOAT32 -> Float.toString(Float.parseFloat(one(DOUBLES, random)));
            case FLOAT64 -> one(DOUBLES, random);
            case NUMERIC -> number(one(NUMBERS, random));
            case STRING -> one(TEXTS, random);
            case BYTES -> bytes(random);
            case DATE ->
                LocalDate.ofEpochDay(random.nextInt(-700_000, 2_900_000)).toString();
            case TIMESTAMP ->
                time(Instant.ofEpochSecond(
                        random.nextLong(-60_000_000_000L, 250_000_000_000L), random.nextInt(1_000_000) * 1000L));
            case JSON -> json(one(JSONS, random));
            case UUID_ -> new UUID(random.nextLong(), random.nextLong()).toString();
        };
    }

    private static String one(String[] values, Random random) {
        return values[random.nextInt(values.length)];
    }

    private static String bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(6)];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** The client's value for that text. */
    Value value(@Nullable String text, boolean postgresDialect) {
        return switch (this) {
            case BOOL -> Value.bool(parsed(text, Boolean::valueOf));
            case INT64 -> Value.int64(parsed(text, Long::valueOf));
            case FLOAT32 -> Value.float32(parsed(text, Float::valueOf));
            case FLOAT64 -> Value.float64(parsed(text, Double::valueOf));
            case NUMERIC -> postgresDialect ? Value.pgNumeric(text) : Value.numeric(parsed(text, BigDecimal::new));
            case STRING -> Value.string(text);
            case BYTES -> Value.bytes(parsed(text, MirrorType::byteArray));
            case DATE -> Value.date(parsed(text, Date::parseDate));
            case TIMESTAMP -> Value.timestamp(parsed(text, Timestamp::parseTimestamp));
            case JSON -> postgresDialect ? Value.pgJsonb(text) : Value.json(text);
            case UUID_ -> Value.uuid(parsed(text, UUID::fromString));
        };
    }

    /** The client's value for an array of those texts. */
    Value array(@Nullable List<@Nullable String> texts, boolean postgresDialect) {
        return switch (this) {
            case BOOL -> Value.boolArray(all(texts, Boolean::valueOf));
            case INT64 -> Value.int64Array(all(texts, Long::valueOf));
            case FLOAT32 -> Value.float32Array(all(texts, Float::valueOf));
            case FLOAT64 -> Value.float64Array(all(texts, Double::valueOf));
            case NUMERIC ->
                postgresDialect ? Value.pgNumericArray(texts) : Value.numericArray(all(texts, BigDecimal::new));
            case STRING -> Value.stringArray(texts);
            case BYTES -> Value.bytesArray(all(texts, MirrorType::byteArray));
            case DATE -> Value.dateArray(all(texts, Date::parseDate));
            case TIMESTAMP -> Value.timestampArray(all(texts, Timestamp::parseTimestamp));
            case JSON -> postgresDialect ? Value.pgJsonbArray(texts) : Value.jsonArray(texts);
            case UUID_ -> Value.uuidArray(all(texts, UUID::fromString));
        };
    }

    private static ByteArray byteArray(String text) {
        return ByteArray.copyFrom(HexFormat.of().parseHex(text));
    }

    private static <T> @Nullable T parsed(@Nullable String text, Function<String, T> parsing) {
        return text == null ? null : parsing.apply(text);
    }

    private static <T> @Nullable List<@Nullable T> all(
            @Nullable List<@Nullable String> texts, Function<String, T> parsing) {
        if (texts == null) {
            return null;
        }
        List<@Nullable T> values = new ArrayList<>();
        texts.forEach(text -> values.add(parsed(text, parsing)));
        return values;
    }

    /** A value as Spanner returned it. */
    @Nullable
    String fromSpanner(Struct row, String column, boolean postgresDialect) {
        if (row.isNull(column)) {
            return null;
        }
        return switch (this) {
            case BOOL -> Boolean.toString(row.getBoolean(column));
            case INT64 -> Long.toString(row.getLong(column));
            case FLOAT32 -> Float.toString(row.getFloat(column));
            case FLOAT64 -> Double.toString(row.getDouble(column));
            case NUMERIC ->
                number(
                        postgresDialect
                                ? row.getString(column)
                                : row.getBigDecimal(column).toString());
            case STRING -> row.getString(column);
            case BYTES -> HexFormat.of().formatHex(row.getBytes(column).toByteArray());
            case DATE -> row.getDate(column).toString();
            case TIMESTAMP -> time(row.getTimestamp(column));
            case JSON -> json(postgresDialect ? row.getPgJsonb(column) : row.getJson(column));
            case UUID_ -> row.getUuid(column).toString();
        };
    }

    /** An array as Spanner returned it. */
    @Nullable
    List<@Nullable String> arrayFromSpanner(Struct row, String column, boolean postgresDialect) {
        if (row.isNull(column)) {
            return null;
        }
        return switch (this) {
            case BOOL -> texts(row.getBooleanList(column), value -> Boolean.toString(value));
            case INT64 -> texts(row.getLongList(column), value -> Long.toString(value));
            case FLOAT32 -> texts(row.getFloatList(column), value -> Float.toString(value));
            case FLOAT64 -> texts(row.getDoubleList(column), value -> Double.toString(value));
            case NUMERIC ->
                postgresDialect
                        ? texts(row.getStringList(column), MirrorType::number)
                        : texts(row.getBigDecimalList(column), value -> number(value.toString()));
            case STRING -> texts(row.getStringList(column), value -> value);
            case BYTES ->
                texts(row.getBytesList(column), value -> HexFormat.of().formatHex(value.toByteArray()));
            case DATE -> texts(row.getDateList(column), Date::toString);
            case TIMESTAMP -> texts(row.getTimestampList(column), MirrorType::time);
            case JSON ->
                texts(postgresDialect ? row.getPgJsonbList(column) : row.getJsonList(column), MirrorType::json);
            case UUID_ -> texts(row.getUuidList(column), UUID::toString);
        };
    }

    private static <T> List<@Nullable String> texts(List<T> values, Function<T, String> writing) {
        List<@Nullable String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(value == null ? null : writing.apply(value)));
        return texts;
    }

    /** A value that PostgreSQL wrote as text. */
    String fromPostgres(String text) {
        return switch (this) {
            case BOOL -> text.startsWith("t") ? "true" : "false";
            case FLOAT32 -> Float.toString(Float.parseFloat(text));
            case FLOAT64 -> Double.toString(Double.parseDouble(text));
            case NUMERIC -> number(text);
            case BYTES -> text.substring("\\x".length());
            case TIMESTAMP -> time(OffsetDateTime.parse(text, POSTGRES_TIME).toInstant());
            case JSON -> json(text);
            case INT64, STRING, DATE, UUID_ -> text;
        };
    }

    private static String time(Timestamp time) {
        return time(Instant.parse(time.toString()));
    }

    private static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).toString();
    }

    private static String number(String text) {
        return text.equals("NaN")
                ? text
                : new BigDecimal(text).stripTrailingZeros().toPlainString();
    }

    private static String json(String text) {
        return sorted(JsonParser.parseString(text)).toString();
    }

    private static JsonElement sorted(JsonElement json) {
        if (json.isJsonObject()) {
            JsonObject sorted = new JsonObject();
            new TreeMap<>(json.getAsJsonObject().asMap()).forEach((name, value) -> sorted.add(name, sorted(value)));
            return sorted;
        }
        if (json.isJsonArray()) {
            JsonArray sorted = new JsonArray();
            json.getAsJsonArray().forEach(element -> sorted.add(sorted(element)));
            return sorted;
        }
        return json.isJsonPrimitive() && json.getAsJsonPrimitive().isNumber()
                ? new JsonPrimitive(new BigDecimal(number(json.getAsString())))
                : json;
    }
}

package dev.spream.differential;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Value;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The types of the workload's columns: how each dialect declares them, and values of them. A value is chosen as the JSON
 * that a change record carries and turned into the client's value from that. A FLOAT32 travels as the double that equals
 * it, 3.14 as 3.140000104904175.
 */
enum ColumnKind {
    BOOL("BOOL", "boolean"),
    INT64("INT64", "bigint"),
    FLOAT64("FLOAT64", "double precision"),
    FLOAT32("FLOAT32", "real"),
    NUMERIC("NUMERIC", "numeric"),
    STRING("STRING(MAX)", "character varying"),
    BYTES("BYTES(MAX)", "bytea"),
    DATE("DATE", "date"),
    TIMESTAMP("TIMESTAMP", "timestamp with time zone"),
    JSON("JSON", "jsonb"),
    BOOLS("ARRAY<BOOL>", "boolean[]"),
    INT64S("ARRAY<INT64>", "bigint[]"),
    FLOAT64S("ARRAY<FLOAT64>", "double precision[]"),
    NUMERICS("ARRAY<NUMERIC>", "numeric[]"),
    STRINGS("ARRAY<STRING(MAX)>", "character varying[]"),
    BYTESES("ARRAY<BYTES(MAX)>", "bytea[]"),
    DATES("ARRAY<DATE>", "date[]"),
    TIMESTAMPS("ARRAY<TIMESTAMP>", "timestamp with time zone[]"),
    COMMIT_TIMESTAMP("TIMESTAMP OPTIONS (allow_commit_timestamp = true)", "spanner.commit_timestamp");

    private static final String[] TEXTS = {"", "plain", "quo\"ted", "back\\slash", "line\nbreak", "tab\t", "Grüße", "日本"
    };
    private static final String[] NUMBERS = {"0", "3.14", "-12.5", "1000000", "0.000000001", "99999999999.5"};
    private static final double[] DOUBLES = {0, 1.5, -2.25, 3.14, 1e21, 1e-7, 123456789.125};
    // Documents that JSON and PostgreSQL's jsonb write alike.
    private static final String[] JSONS = {"{}", "[7]", "true", "\"text\"", "[]", "12"};
    private static final int NULL_ONE_IN = 6;

    private final String google;
    private final String postgresql;

    ColumnKind(String google, String postgresql) {
        this.google = google;
        this.postgresql = postgresql;
    }

    String declaration(Dialect dialect) {
        return dialect == Dialect.POSTGRESQL ? postgresql : google;
    }

    /** A value to write, NULL now and then. */
    JsonElement any(Random random) {
        return random.nextInt(NULL_ONE_IN) == 0 ? JsonNull.INSTANCE : some(random);
    }

    /** A value that is not NULL. */
    JsonElement some(Random random) {
        return switch (this) {
            case BOOL -> new JsonPrimitive(random.nextBoolean());
            case INT64 -> text(Long.toString(random.nextInt(8) == 0 ? Long.MIN_VALUE : random.nextInt(1000)));
            case FLOAT64 -> random.nextInt(10) == 0 ? text("NaN") : new JsonPrimitive(pick(random));
            case FLOAT32 -> new JsonPrimitive((double) (float) pick(random));
            case NUMERIC -> text(NUMBERS[random.nextInt(NUMBERS.length)]);
            case STRING -> text(TEXTS[random.nextInt(TEXTS.length)]);
            case BYTES -> text(bytes(random));
            case DATE ->
                text(LocalDate.of(2000, 1, 1).plusDays(random.nextInt(20_000)).toString());
            case TIMESTAMP -> text(timestamp(random));
            case JSON -> text(JSONS[random.nextInt(JSONS.length)]);
            case BOOLS -> array(BOOL, random);
            case INT64S -> array(INT64, random);
            case FLOAT64S -> array(FLOAT64, random);
            case NUMERICS -> array(NUMERIC, random);
            case STRINGS -> array(STRING, random);
            case BYTESES -> array(BYTES, random);
            case DATES -> array(DATE, random);
            case TIMESTAMPS -> array(TIMESTAMP, random);
            case COMMIT_TIMESTAMP -> throw new IllegalArgumentException("only the server knows a commit timestamp");
        };
    }

    private static double pick(Random random) {
        return DOUBLES[random.nextInt(DOUBLES.length)];
    }

    private static String bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(6)];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String timestamp(Random random) {
        // Microseconds: PostgreSQL's type keeps no more.
        return Instant.EPOCH
                .plusSeconds(random.nextInt())
                .plusNanos(random.nextInt(1_000_000) * 1000L)
                .toString();
    }

    /** Google's emulator crashes on a NULL in an array, except among integers. */
    private static JsonArray array(ColumnKind element, Random random) {
        JsonArray array = new JsonArray();
        for (int i = random.nextInt(4); i > 0; i--) {
            array.add(element == INT64 ? element.any(random) : element.some(random));
        }
        return array;
    }

    private static JsonPrimitive text(String text) {
        return new JsonPrimitive(text);
    }

    /** The client's value for that JSON. */
    Value value(JsonElement json, Dialect dialect) {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        @Nullable String text = json.isJsonPrimitive() ? json.getAsString() : null;
        return switch (this) {
            case BOOL -> Value.bool(one(json, JsonElement::getAsBoolean));
            case INT64 -> Value.int64(one(json, JsonElement::getAsLong));
            case FLOAT64 -> Value.float64(one(json, JsonElement::getAsDouble));
            case FLOAT32 -> Value.float32(one(json, JsonElement::getAsFloat));
            case NUMERIC -> postgres ? Value.pgNumeric(text) : Value.numeric(one(json, JsonElement::getAsBigDecimal));
            case STRING -> Value.string(text);
            case BYTES -> Value.bytesFromBase64(text);
            case DATE -> Value.date(one(json, ColumnKind::date));
            case TIMESTAMP -> Value.timestamp(one(json, ColumnKind::timestamp));
            case JSON -> postgres ? Value.pgJsonb(text) : Value.json(text);
            case BOOLS -> Value.boolArray(all(json, JsonElement::getAsBoolean));
            case INT64S -> Value.int64Array(all(json, JsonElement::getAsLong));
            case FLOAT64S -> Value.float64Array(all(json, JsonElement::getAsDouble));
            case NUMERICS ->
                postgres
                        ? Value.pgNumericArray(all(json, JsonElement::getAsString))
                        : Value.numericArray(all(json, e -> new BigDecimal(e.getAsString())));
            case STRINGS -> Value.stringArray(all(json, JsonElement::getAsString));
            case BYTESES -> Value.bytesArray(all(json, e -> ByteArray.fromBase64(e.getAsString())));
            case DATES -> Value.dateArray(all(json, ColumnKind::date));
            case TIMESTAMPS -> Value.timestampArray(all(json, ColumnKind::timestamp));
            case COMMIT_TIMESTAMP -> Value.timestamp(one(json, e -> Value.COMMIT_TIMESTAMP));
        };
    }

    private static Date date(JsonElement json) {
        return Date.parseDate(json.getAsString());
    }

    private static Timestamp timestamp(JsonElement json) {
        return Timestamp.parseTimestamp(json.getAsString());
    }

    private static <T> @Nullable T one(JsonElement json, Function<JsonElement, T> reading) {
        return json.isJsonNull() ? null : reading.apply(json);
    }

    private static <T> @Nullable List<@Nullable T> all(JsonElement json, Function<JsonElement, T> reading) {
        if (json.isJsonNull()) {
            return null;
        }
        List<@Nullable T> values = new ArrayList<>();
        json.getAsJsonArray().forEach(element -> values.add(one(element, reading)));
        return values;
    }
}

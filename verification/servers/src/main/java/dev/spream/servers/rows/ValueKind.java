package dev.spream.servers.rows;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.SpannerType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A type of columns, in either dialect, with random values of it. */
public enum ValueKind {
    BOOL("{\"code\":\"BOOL\"}") {
        @Override
        public RandomValue value(Random random) {
            boolean value = random.nextBoolean();
            return new RandomValue(value, value);
        }
    },
    INT64("{\"code\":\"INT64\"}") {
        @Override
        public RandomValue value(Random random) {
            return ofLong(random);
        }
    },
    PG_OID("{\"code\":\"INT64\",\"type_annotation\":\"PG_OID\"}") {
        @Override
        public RandomValue value(Random random) {
            return ofLong(random);
        }
    },
    ENUM("{\"code\":\"ENUM\",\"proto_type_fqn\":\"shop.Status\"}") {
        @Override
        public RandomValue value(Random random) {
            return ofLong(random);
        }
    },
    FLOAT64("{\"code\":\"FLOAT64\"}") {
        @Override
        public RandomValue value(Random random) {
            double value = oneOf(
                    random,
                    Double.longBitsToDouble(random.nextLong()),
                    Double.MIN_VALUE,
                    -Double.MAX_VALUE,
                    0.1,
                    Double.NaN,
                    Double.POSITIVE_INFINITY,
                    Double.NEGATIVE_INFINITY);
            return Double.isFinite(value)
                    ? new RandomValue(new BigDecimal(Double.toString(value)), value == 0 ? 0.0 : value)
                    : new RandomValue(Double.toString(value), value);
        }
    },
    FLOAT32("{\"code\":\"FLOAT32\"}") {
        @Override
        public RandomValue value(Random random) {
            float value = oneOf(
                    random,
                    Float.intBitsToFloat(random.nextInt()),
                    Float.MIN_VALUE,
                    -Float.MAX_VALUE,
                    0.1f,
                    Float.NaN,
                    Float.POSITIVE_INFINITY,
                    Float.NEGATIVE_INFINITY);
            return Float.isFinite(value)
                    ? new RandomValue(new BigDecimal(value), value == 0 ? 0.0f : value)
                    : new RandomValue(Float.toString(value), value);
        }
    },
    NUMERIC("{\"code\":\"NUMERIC\"}") {
        @Override
        public RandomValue value(Random random) {
            int scale = random.nextInt(10);
            BigDecimal value = oneOf(
                    random,
                    new BigDecimal("99999999999999999999999999999.999999999"),
                    new BigDecimal("-99999999999999999999999999999.999999999"),
                    BigDecimal.ZERO,
                    new BigDecimal("-0.000000001"),
                    new BigDecimal(new BigInteger(90, random), scale));
            return new RandomValue(value.toPlainString(), value.setScale(9));
        }
    },
    PG_NUMERIC("{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = oneOf(random, "NaN", "1".repeat(1_000) + "." + "7".repeat(500), "-0.50");
            return new RandomValue(value, value);
        }
    },
    STRING("{\"code\":\"STRING\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = oneOf(random, "", "a", "żółw 🐢 \u0000\n\"", "x".repeat(random.nextInt(5_000)));
            return new RandomValue(value, value);
        }
    },
    BYTES("{\"code\":\"BYTES\"}") {
        @Override
        public RandomValue value(Random random) {
            return ofBytes(random);
        }
    },
    PROTO("{\"code\":\"PROTO\",\"proto_type_fqn\":\"shop.Order\"}") {
        @Override
        public RandomValue value(Random random) {
            return ofBytes(random);
        }
    },
    DATE("{\"code\":\"DATE\"}") {
        @Override
        public RandomValue value(Random random) {
            LocalDate value = oneOf(
                    random,
                    LocalDate.of(1, 1, 1),
                    LocalDate.of(9999, 12, 31),
                    LocalDate.EPOCH,
                    LocalDate.ofEpochDay(random.nextInt(-700_000, 2_900_000)));
            return new RandomValue(value.toString(), value);
        }
    },
    TIMESTAMP("{\"code\":\"TIMESTAMP\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = oneOf(
                    random,
                    "0001-01-01T00:00:00Z",
                    "9999-12-31T23:59:59.999999999Z",
                    "1969-12-31T23:59:59.999999999Z",
                    "2026-01-31T12:00:00.%09dZ".formatted(random.nextInt(1_000_000_000)));
            return new RandomValue(value, value);
        }
    },
    JSON("{\"code\":\"JSON\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = oneOf(random, "{\"a\":[1,null,\"ü\"]}", "null", "12.50", "\"text\"");
            return new RandomValue(value, value);
        }
    },
    PG_JSONB("{\"code\":\"JSON\",\"type_annotation\":\"PG_JSONB\"}") {
        @Override
        public RandomValue value(Random random) {
            return new RandomValue("{\"b\": 1}", "{\"b\": 1}");
        }
    },
    UUID("{\"code\":\"UUID\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = new java.util.UUID(random.nextLong(), random.nextLong()).toString();
            return new RandomValue(value, value);
        }
    },
    INTERVAL("{\"code\":\"INTERVAL\"}") {
        @Override
        public RandomValue value(Random random) {
            return new RandomValue("P1Y2M3DT4H5M6.5S", "P1Y2M3DT4H5M6.5S");
        }
    },
    NEWER("{\"code\":\"TENSOR\"}") {
        @Override
        public RandomValue value(Random random) {
            String value = "{\"of\":" + random.nextInt(10) + "}";
            return new RandomValue(Json.parse(value), value);
        }
    };

    private final String type;

    ValueKind(String type) {
        this.type = type;
    }

    /** Returns a value other than NULL. */
    public abstract RandomValue value(Random random);

    /** Returns a value, or NULL now and then. */
    public RandomValue nullable(Random random) {
        return random.nextInt(5) == 0 ? new RandomValue(null, null) : value(random);
    }

    /** Returns an ARRAY of the type with values and NULLs, or NULL now and then. */
    public RandomValue array(Random random) {
        List<RandomValue> elements = IntStream.range(0, random.nextInt(4))
                .mapToObj(i -> nullable(random))
                .toList();
        List<@Nullable Object> sent = new ArrayList<>();
        List<@Nullable Object> read = new ArrayList<>();
        elements.forEach(element -> {
            sent.add(element.sent());
            read.add(element.read());
        });
        return random.nextInt(5) == 0 ? new RandomValue(null, null) : new RandomValue(sent, read);
    }

    @SafeVarargs
    static <T> T oneOf(Random random, T... values) {
        return values[random.nextInt(values.length)];
    }

    static RandomValue ofLong(Random random) {
        long value = oneOf(random, random.nextLong(), Long.MIN_VALUE, Long.MAX_VALUE, 0L, -1L);
        return new RandomValue(Long.toString(value), value);
    }

    static RandomValue ofBytes(Random random) {
        byte[] value = new byte[random.nextInt(300)];
        random.nextBytes(value);
        return new RandomValue(Base64.getEncoder().encodeToString(value), ByteBuffer.wrap(value));
    }

    public SpannerType spannerType(boolean isArray) {
        return new SpannerType(
                JsonObject.of(isArray ? "{\"code\":\"ARRAY\",\"array_element_type\":%s}".formatted(type) : type));
    }
}

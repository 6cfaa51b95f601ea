package dev.spream.format.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.FileFormat;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.Conversions;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a row of columns of any types, in both dialects, is read back from a file by Avro as it was written. */
final class EveryTypeTest {
    private static final int ROWS = 3_000;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    /** A value as Spanner sends it, and as a reader gets it. */
    private record Value(@Nullable Object sent, @Nullable Object read) {}

    /** A type of columns, with values of it. */
    private enum Kind {
        BOOL("{\"code\":\"BOOL\"}") {
            @Override
            Value value(Random random) {
                boolean value = random.nextBoolean();
                return new Value(value, value);
            }
        },
        INT64("{\"code\":\"INT64\"}") {
            @Override
            Value value(Random random) {
                return ofLong(random);
            }
        },
        PG_OID("{\"code\":\"INT64\",\"type_annotation\":\"PG_OID\"}") {
            @Override
            Value value(Random random) {
                return ofLong(random);
            }
        },
        ENUM("{\"code\":\"ENUM\",\"proto_type_fqn\":\"shop.Status\"}") {
            @Override
            Value value(Random random) {
                return ofLong(random);
            }
        },
        FLOAT64("{\"code\":\"FLOAT64\"}") {
            @Override
            Value value(Random random) {
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
                        ? new Value(new BigDecimal(Double.toString(value)), value == 0 ? 0.0 : value)
                        : new Value(Double.toString(value), value);
            }
        },
        FLOAT32("{\"code\":\"FLOAT32\"}") {
            @Override
            Value value(Random random) {
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
                        ? new Value(new BigDecimal(value), value == 0 ? 0.0f : value)
                        : new Value(Float.toString(value), value);
            }
        },
        NUMERIC("{\"code\":\"NUMERIC\"}") {
            @Override
            Value value(Random random) {
                int scale = random.nextInt(10);
                BigDecimal value = oneOf(
                        random,
                        new BigDecimal("99999999999999999999999999999.999999999"),
                        new BigDecimal("-99999999999999999999999999999.999999999"),
                        BigDecimal.ZERO,
                        new BigDecimal("-0.000000001"),
                        new BigDecimal(new BigInteger(90, random), scale));
                return new Value(value.toPlainString(), value.setScale(9));
            }
        },
        PG_NUMERIC("{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}") {
            @Override
            Value value(Random random) {
                String value = oneOf(random, "NaN", "1".repeat(1_000) + "." + "7".repeat(500), "-0.50");
                return new Value(value, value);
            }
        },
        STRING("{\"code\":\"STRING\"}") {
            @Override
            Value value(Random random) {
                String value = oneOf(random, "", "a", "żółw 🐢 \u0000\n\"", "x".repeat(random.nextInt(5_000)));
                return new Value(value, value);
            }
        },
        BYTES("{\"code\":\"BYTES\"}") {
            @Override
            Value value(Random random) {
                return ofBytes(random);
            }
        },
        PROTO("{\"code\":\"PROTO\",\"proto_type_fqn\":\"shop.Order\"}") {
            @Override
            Value value(Random random) {
                return ofBytes(random);
            }
        },
        DATE("{\"code\":\"DATE\"}") {
            @Override
            Value value(Random random) {
                LocalDate value = oneOf(
                        random,
                        LocalDate.of(1, 1, 1),
                        LocalDate.of(9999, 12, 31),
                        LocalDate.EPOCH,
                        LocalDate.ofEpochDay(random.nextInt(-700_000, 2_900_000)));
                return new Value(value.toString(), value);
            }
        },
        TIMESTAMP("{\"code\":\"TIMESTAMP\"}") {
            @Override
            Value value(Random random) {
                String value = oneOf(
                        random,
                        "0001-01-01T00:00:00Z",
                        "9999-12-31T23:59:59.999999999Z",
                        "1969-12-31T23:59:59.999999999Z",
                        "2026-01-31T12:00:00.%09dZ".formatted(random.nextInt(1_000_000_000)));
                return new Value(value, value);
            }
        },
        JSON("{\"code\":\"JSON\"}") {
            @Override
            Value value(Random random) {
                String value = oneOf(random, "{\"a\":[1,null,\"ü\"]}", "null", "12.50", "\"text\"");
                return new Value(value, value);
            }
        },
        PG_JSONB("{\"code\":\"JSON\",\"type_annotation\":\"PG_JSONB\"}") {
            @Override
            Value value(Random random) {
                return new Value("{\"b\": 1}", "{\"b\": 1}");
            }
        },
        UUID("{\"code\":\"UUID\"}") {
            @Override
            Value value(Random random) {
                String value = new java.util.UUID(random.nextLong(), random.nextLong()).toString();
                return new Value(value, value);
            }
        },
        INTERVAL("{\"code\":\"INTERVAL\"}") {
            @Override
            Value value(Random random) {
                return new Value("P1Y2M3DT4H5M6.5S", "P1Y2M3DT4H5M6.5S");
            }
        },
        NEWER("{\"code\":\"TENSOR\"}") {
            @Override
            Value value(Random random) {
                String value = "{\"of\":" + random.nextInt(10) + "}";
                return new Value(Json.parse(value), value);
            }
        };

        private final String type;

        Kind(String type) {
            this.type = type;
        }

        abstract Value value(Random random);

        @SafeVarargs
        static <T> T oneOf(Random random, T... values) {
            return values[random.nextInt(values.length)];
        }

        static Value ofLong(Random random) {
            long value = oneOf(random, random.nextLong(), Long.MIN_VALUE, Long.MAX_VALUE, 0L, -1L);
            return new Value(Long.toString(value), value);
        }

        static Value ofBytes(Random random) {
            byte[] value = new byte[random.nextInt(300)];
            random.nextBytes(value);
            return new Value(Base64.getEncoder().encodeToString(value), ByteBuffer.wrap(value));
        }

        SpannerType spannerType(boolean isArray) {
            return new SpannerType(
                    JsonObject.of(isArray ? "{\"code\":\"ARRAY\",\"array_element_type\":%s}".formatted(type) : type));
        }
    }

    private static Value nullable(Random random, Kind kind) {
        return random.nextInt(5) == 0 ? new Value(null, null) : kind.value(random);
    }

    private static Value array(Random random, Kind kind) {
        List<Value> elements = IntStream.range(0, random.nextInt(4))
                .mapToObj(i -> nullable(random, kind))
                .toList();
        List<@Nullable Object> sent = new ArrayList<>();
        List<@Nullable Object> read = new ArrayList<>();
        elements.forEach(element -> {
            sent.add(element.sent());
            read.add(element.read());
        });
        return random.nextInt(5) == 0 ? new Value(null, null) : new Value(sent, read);
    }

    /** A row, and what a reader should get. */
    private record Row(DataChangeRecord change, Map<String, @Nullable Object> expected) {
        static Row random(Random random) {
            List<ColumnType> columns = new ArrayList<>();
            Map<String, @Nullable Object> keys = new LinkedHashMap<>();
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            Map<String, @Nullable Object> expected = new LinkedHashMap<>();
            int count = 1 + random.nextInt(12);
            for (int place = 1; place <= count; place++) {
                Kind kind = Kind.oneOf(random, Kind.values());
                boolean isKey = place == 1 || random.nextInt(6) == 0;
                boolean isArray = !isKey && random.nextInt(3) == 0;
                Value value = isKey ? kind.value(random) : isArray ? array(random, kind) : nullable(random, kind);
                String name = "C" + place;
                columns.add(new ColumnType(name, kind.spannerType(isArray), isKey, place));
                (isKey ? keys : values).put(name, value.sent());
                expected.put(name, value.read());
            }
            Mod mod = new Mod(JsonObject.of(keys), JsonObject.of(values), JsonObject.EMPTY);
            return new Row(Changes.change("INSERT", "NEW_ROW", columns, mod), expected);
        }
    }

    private static GenericDatumReader<GenericRecord> reader() {
        GenericData data = new GenericData();
        data.addLogicalTypeConversion(new Conversions.DecimalConversion());
        data.addLogicalTypeConversion(new TimeConversions.DateConversion());
        return new GenericDatumReader<>(null, null, data);
    }

    private static Map<String, @Nullable Object> read(GenericRecord record) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        record.getSchema().getFields().stream()
                .map(Schema.Field::name)
                .filter(name -> name.startsWith("C"))
                .forEach(name -> values.put(name, plain(record.get(name))));
        return values;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case CharSequence text -> text.toString();
            case List<?> list -> {
                List<@Nullable Object> elements = new ArrayList<>();
                list.forEach(element -> elements.add(plain(element)));
                yield elements;
            }
            case null, default -> value;
        };
    }

    @Test
    void any_row_is_read_back_as_it_was_written() throws Exception {
        Random random = new Random(SEED);
        FileFormat format = Config.of("shape", "after").format().files("none").orElseThrow();
        for (int i = 0; i < ROWS; i++) {
            Row row = Row.random(random);
            byte[] file = Containers.files(format, row.change()).getFirst();
            assertThat(read(Containers.records(file, reader()).getFirst()))
                    .as("row %d of -Dseed=%d: %s", i, SEED, row.change())
                    .isEqualTo(row.expected());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void every_kind_of_value_is_read_back(Kind kind) throws Exception {
        Random random = new Random(SEED);
        FileFormat format = Config.of("shape", "after").format().files("none").orElseThrow();
        for (int i = 0; i < 100; i++) {
            Value value = kind.value(random);
            Value array = array(random, kind);
            DataChangeRecord change = Changes.change(
                    "INSERT",
                    "NEW_ROW",
                    List.of(
                            new ColumnType("C1", kind.spannerType(false), true, 1),
                            new ColumnType("C2", kind.spannerType(true), false, 2)),
                    new Mod(
                            JsonObject.of(java.util.Collections.singletonMap("C1", value.sent())),
                            JsonObject.of(java.util.Collections.singletonMap("C2", array.sent())),
                            JsonObject.EMPTY));
            Map<String, @Nullable Object> expected = new LinkedHashMap<>();
            expected.put("C1", value.read());
            expected.put("C2", array.read());
            byte[] file = Containers.files(format, change).getFirst();
            assertThat(read(Containers.records(file, reader()).getFirst()))
                    .as("-Dseed=%d", SEED)
                    .isEqualTo(expected);
        }
    }

    @Test
    void timestamps_may_be_microseconds_which_lose_what_is_after_them() throws Exception {
        FileFormat format = Config.of("shape", "after", "timestamps", "micros")
                .format()
                .files("none")
                .orElseThrow();
        for (String time : List.of(
                "0001-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999999Z",
                "1969-12-31T23:59:59.999999999Z",
                "2026-01-31T12:00:00.123456789Z")) {
            DataChangeRecord change = Changes.change(
                    "INSERT",
                    "NEW_ROW",
                    List.of(new ColumnType("C1", Kind.TIMESTAMP.spannerType(false), true, 1)),
                    Changes.mod("{\"C1\":\"%s\"}".formatted(time), "{}"));
            byte[] file = Containers.files(format, change).getFirst();
            assertThat(Containers.schema(file).getField("C1").schema().getLogicalType())
                    .isEqualTo(LogicalTypes.timestampMicros());
            long micros = (Long) Containers.records(file).getFirst().get("C1");
            assertThat(Instant.ofEpochSecond(
                            Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000))
                    .isEqualTo(Instant.parse(time).truncatedTo(java.time.temporal.ChronoUnit.MICROS));
        }
    }
}

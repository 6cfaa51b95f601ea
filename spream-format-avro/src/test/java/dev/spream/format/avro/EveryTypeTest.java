package dev.spream.format.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.FileFormat;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.servers.rows.RandomRow;
import dev.spream.servers.rows.RandomValue;
import dev.spream.servers.rows.ValueKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
            RandomRow row = RandomRow.of("Orders", random);
            byte[] file = Containers.files(format, row.change()).getFirst();
            assertThat(read(Containers.records(file, reader()).getFirst()))
                    .as("row %d of -Dseed=%d: %s", i, SEED, row.change())
                    .isEqualTo(row.read());
        }
    }

    @ParameterizedTest
    @EnumSource
    void every_kind_of_value_is_read_back(ValueKind kind) throws Exception {
        Random random = new Random(SEED);
        FileFormat format = Config.of("shape", "after").format().files("none").orElseThrow();
        for (int i = 0; i < 100; i++) {
            RandomValue value = kind.value(random);
            RandomValue array = kind.array(random);
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
                    List.of(new ColumnType("C1", ValueKind.TIMESTAMP.spannerType(false), true, 1)),
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

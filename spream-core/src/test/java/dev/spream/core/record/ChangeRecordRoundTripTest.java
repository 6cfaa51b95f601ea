package dev.spream.core.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that records survive writing and reading, for random records, and that the text of a mod is kept unchanged. */
final class ChangeRecordRoundTripTest {
    private static final List<String> TEXTS = List.of(
            "",
            "plain",
            "quote \" backslash \\ slash /",
            "tab\tnewline\nreturn\rbell\u0007null\u0000",
            "ä ß ☃ 日本語",
            "surrogate pair 😀",
            "lone high \ud83d",
            "\ude00 lone low",
            "line separators \u2028 \u2029",
            "{\"json\": [1, \"in a string\"]}");

    @Test
    void a_written_change_is_read_back_unchanged() {
        for (long seed = 1; seed <= 2_000; seed++) {
            DataChangeRecord change = randomChange(new Random(seed));
            String json = change.toJson();
            assertThat(json).as("seed %d", seed).doesNotContain("\n").doesNotContain("\r");
            assertThat(ChangeRecordJson.readDataChange(json))
                    .as("seed %d", seed)
                    .isEqualTo(change);
            assertThat(ChangeRecordJson.read("{\"data_change_record\":" + json + "}"))
                    .as("seed %d", seed)
                    .containsExactly(change);
        }
    }

    @Test
    void the_fields_are_written_in_the_order_of_the_documentation() {
        String json = change(new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.EMPTY, JsonObject.EMPTY))
                .toJson();
        assertThat(json)
                .isEqualTo("{\"commit_timestamp\":\"2026-03-01T10:00:00.123456789Z\",\"record_sequence\":\"00000000\","
                        + "\"server_transaction_id\":\"tx\",\"is_last_record_in_transaction_in_partition\":true,"
                        + "\"table_name\":\"T\",\"column_types\":[{\"name\":\"Id\",\"type\":{\"code\":\"INT64\"},"
                        + "\"is_primary_key\":true,\"ordinal_position\":1}],"
                        + "\"mods\":[{\"keys\":{\"Id\":\"1\"},\"new_values\":{},\"old_values\":{}}],"
                        + "\"mod_type\":\"INSERT\",\"value_capture_type\":\"NEW_ROW\","
                        + "\"number_of_records_in_transaction\":1,\"number_of_partitions_in_transaction\":1,"
                        + "\"transaction_tag\":\"\",\"is_system_transaction\":false}");
    }

    @Test
    void the_text_of_a_mod_passes_through_as_it_came() {
        String text = "{ \"b\" : 1.50, \"a\":\"\\u00e4\\/\",\t\"n\" : 1E+2 }";
        assertThat(change(new Mod(JsonObject.EMPTY, JsonObject.of(text), JsonObject.EMPTY))
                        .toJson())
                .contains("\"new_values\":" + text + ",\"old_values\"");
    }

    /** Text that is not JSON shows that it is not parsed: parsing it would throw. */
    @Test
    void the_text_of_a_mod_is_not_parsed_to_be_written() {
        String unparsed = "(not looked at)";
        assertThat(change(new Mod(JsonObject.EMPTY, JsonObject.of(unparsed), JsonObject.EMPTY))
                        .toJson())
                .contains("\"new_values\":" + unparsed + ",");
    }

    @Test
    void line_breaks_between_the_members_of_a_mod_do_not_break_the_line() {
        for (String lineBreak : List.of("\n", "\r", "\r\n")) {
            JsonObject values = JsonObject.of("{" + lineBreak + " \"a\": \"x\\ny\"," + lineBreak + " \"b\": null }");
            DataChangeRecord change = change(new Mod(JsonObject.EMPTY, values, JsonObject.EMPTY));
            assertThat(change.toJson()).contains("\"new_values\":{\"a\":\"x\\ny\",\"b\":null}");
            assertThat(ChangeRecordJson.readDataChange(change.toJson())).isEqualTo(change);
        }
    }

    private static DataChangeRecord change(Mod mod) {
        return new DataChangeRecord(
                Instant.parse("2026-03-01T10:00:00.123456789Z"),
                "00000000",
                "tx",
                true,
                "T",
                List.of(new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1)),
                List.of(mod),
                "INSERT",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }

    private static DataChangeRecord randomChange(Random random) {
        return new DataChangeRecord(
                Instant.ofEpochSecond(random.nextLong(253_402_300_800L), random.nextInt(1_000_000_000)),
                "%08d".formatted(random.nextInt(100)),
                text(random),
                random.nextBoolean(),
                text(random),
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(i -> new ColumnType(text(random), type(random), random.nextBoolean(), i + 1L))
                        .toList(),
                IntStream.range(0, 1 + random.nextInt(3))
                        .mapToObj(i -> new Mod(object(random), object(random), object(random)))
                        .toList(),
                List.of("INSERT", "UPDATE", "DELETE", "UPSERT").get(random.nextInt(4)),
                List.of("NEW_ROW", "NEW_VALUES", "").get(random.nextInt(3)),
                random.nextLong(),
                random.nextInt(100),
                text(random),
                random.nextBoolean());
    }

    private static SpannerType type(Random random) {
        TypeCode code = List.of(TypeCode.BOOL, TypeCode.INT64, TypeCode.UUID).get(random.nextInt(3));
        return random.nextBoolean()
                ? SpannerType.of(code)
                : new SpannerType(
                        JsonObject.of("{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"%s\"}}".formatted(code)));
    }

    private static JsonObject object(Random random) {
        return JsonObject.of(members(random, 0));
    }

    private static Map<String, @Nullable Object> members(Random random, int depth) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (int i = 0; i < random.nextInt(4); i++) {
            members.put(text(random), value(random, depth));
        }
        return members;
    }

    private static @Nullable Object value(Random random, int depth) {
        return switch (random.nextInt(depth < 3 ? 6 : 4)) {
            case 0 -> null;
            case 1 -> random.nextBoolean();
            case 2 -> new BigDecimal(random.nextLong()).movePointLeft(random.nextInt(20));
            case 3 -> text(random);
            case 4 -> members(random, depth + 1);
            default -> {
                List<@Nullable Object> list = new ArrayList<>(Arrays.<@Nullable Object>asList((Object) null));
                list.add(value(random, depth + 1));
                yield list;
            }
        };
    }

    private static String text(Random random) {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }
}

package dev.spream.api.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples of docs/formats.md are what the formats write, member by member and in the same order. */
final class FormatsPageTest {
    private static final Path PAGE = Path.of("../docs/formats.md");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)```json (?<name>[a-z-]+)\n(?<json>.*?)\n```");
    private static final Pattern VERSION = Pattern.compile("\"version\":\"spream-[^\"]*\"");
    private static final ChangeFormat DEBEZIUM = ChangeFormat.debezium(
            Rows.STREAM, "orders", false, InstantSource.fixed(Instant.parse("2026-01-31T12:00:01.5Z")));

    /** The formats of the examples, by name. */
    private static final Map<String, String> MESSAGES = Map.of(
            "record", text(ChangeFormat.record()::value),
            "after", text(ChangeFormat.after(false)::value),
            "after-delete", Rows.text(ChangeFormat.after(false).value(row("DELETE", "{}"))),
            "debezium-key", text(DEBEZIUM::key),
            "debezium", text(DEBEZIUM::value),
            "cloudevents", text(ChangeFormat.cloudEvents(Rows.STREAM)::value));

    private static String text(Function<ChangedRow, byte[]> format) {
        return Rows.text(format.apply(row("UPDATE", "{\"Status\":\"PAID\",\"Total\":\"12.50\",\"Paid\":true}")));
    }

    private static ChangedRow row(String modType, String newValues) {
        DataChangeRecord change = new DataChangeRecord(
                Instant.parse("2026-01-31T12:00:00.123456Z"),
                "00000001",
                "6329047911",
                true,
                "Orders",
                List.of(
                        new ColumnType("Id", SpannerType.of(TypeCode.INT64), true, 1),
                        new ColumnType("Status", SpannerType.of(TypeCode.STRING), false, 2),
                        new ColumnType("Total", SpannerType.of(TypeCode.NUMERIC), false, 3),
                        new ColumnType("Paid", SpannerType.of(TypeCode.BOOL), false, 4)),
                List.of(new Mod(
                        JsonObject.of("{\"Id\":\"17\"}"),
                        JsonObject.of(newValues),
                        JsonObject.of("{\"Status\":\"NEW\",\"Paid\":false}"))),
                modType,
                "NEW_ROW_AND_OLD_VALUES",
                1,
                1,
                "",
                false);
        return new ChangedRow(change, 0, Rows.delivery("9qV41s17eKoJ5"));
    }

    @Test
    void every_example_is_what_the_format_writes() throws IOException {
        Map<String, String> examples = EXAMPLE.matcher(Files.readString(PAGE))
                .results()
                .collect(Collectors.toMap(
                        example -> example.group(1), example -> Json.text(Json.parse(example.group(2)))));
        assertThat(withoutVersion(examples)).isEqualTo(withoutVersion(MESSAGES));
    }

    private static Map<String, String> withoutVersion(Map<String, String> messages) {
        return messages.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        message -> VERSION.matcher(message.getValue()).replaceAll("\"version\":\"spream\"")));
    }
}

package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class TextFormatTest {
    private static final PartitionToken PARTITION = new PartitionToken("a-token-of-partition-1");
    private static final Instant COMMITTED = Instant.parse("2026-03-01T23:00:03.1239Z");
    private static final LineFormat PLAIN = new TextFormat(ZoneId.of("Europe/Berlin"), false, OptionalInt.empty());
    private static final LineFormat COLORED = new TextFormat(ZoneId.of("Europe/Berlin"), true, OptionalInt.of(200));

    @Test
    void an_insert_has_local_time_table_key_values_and_tag() {
        assertThat(PLAIN.change(PARTITION, change("INSERT", "checkout", mod("""
                {"Status":"open","Total":12.50,"Count":"7","Note":null,"Tags":["a","b"]}""", "{}"))))
                .isEqualTo("2026-03-02 00:00:03.123  Orders  INSERT  Id=5,Line=\"a b\"  Status: \"open\"  Total: 12.50"
                        + "  Count: 7  Note: NULL  Tags: [\"a\",\"b\"]  [checkout]");
    }

    @Test
    void changed_columns_of_an_update_have_their_old_values() {
        assertThat(PLAIN.change(
                        PARTITION,
                        change(
                                "UPDATE",
                                "",
                                mod(
                                        "{\"Status\":\"paid\",\"Count\":\"7\",\"Note\":\"x\"}",
                                        "{\"Status\":\"open\",\"Count\":\"7\"}"))))
                .endsWith("UPDATE  Id=5,Line=\"a b\"  Status: \"open\"→\"paid\"  Count: 7  Note: \"x\"");
    }

    @Test
    void a_delete_has_the_old_values_and_each_row_a_line() {
        DataChangeRecord change = change("DELETE", "", mod("{}", "{\"Status\":\"paid\"}"), mod("{}", "{}"));
        assertThat(PLAIN.change(PARTITION, change).lines())
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("DELETE  Id=5,Line=\"a b\"  Status: \"paid\""),
                        second -> assertThat(second).endsWith("DELETE  Id=5,Line=\"a b\""));
    }

    @Test
    void colours_distinguish_what_was_done() {
        assertThat(COLORED.change(PARTITION, change("INSERT", "", mod("{}", "{}"))))
                .contains("\u001b[32mINSERT\u001b[");
        assertThat(COLORED.change(PARTITION, change("UPDATE", "", mod("{}", "{}"))))
                .contains("\u001b[33mUPDATE\u001b[");
        assertThat(COLORED.change(PARTITION, change("DELETE", "", mod("{}", "{}"))))
                .contains("\u001b[31mDELETE\u001b[");
        assertThat(PLAIN.change(PARTITION, change("DELETE", "", mod("{}", "{}"))))
                .doesNotContain("\u001b");
    }

    @Test
    void long_values_and_lines_are_shortened_to_the_terminal() {
        LineFormat narrow = new TextFormat(ZoneId.of("UTC"), false, OptionalInt.of(100));
        String value = "x".repeat(300);
        String line = narrow.change(
                PARTITION,
                change("INSERT", "", mod("{\"Status\":\"%s\",\"Note\":\"after this\"}".formatted(value), "{}")));
        assertThat(line)
                .hasSizeLessThanOrEqualTo(100)
                .contains("Status: \"" + "x".repeat(23) + "…  Note: ")
                .endsWith("…");
        assertThat(PLAIN.change(PARTITION, change("INSERT", "", mod("{\"Status\":\"%s\"}".formatted(value), "{}"))))
                .endsWith(value + "\"");
    }

    @Test
    void values_cannot_control_the_terminal() {
        assertThat(COLORED.change(
                        PARTITION,
                        change("INSERT", "\u001b[2J", mod("{\"Note\":\"\\u001b]0;title\\u0007\\n\"}", "{}"))))
                .doesNotContain("\u001b[2J", "\u001b]", "\u0007", "\n");
    }

    @Test
    void records_that_are_not_delivered_have_a_line_each() {
        assertThat(List.of(
                        PLAIN.other(PARTITION, new HeartbeatRecord(COMMITTED)),
                        PLAIN.other(
                                PartitionToken.ROOT,
                                new ChildPartitionsRecord(
                                        COMMITTED,
                                        "1",
                                        List.of(
                                                new ChildPartition("child-one-123456", List.of()),
                                                new ChildPartition("child-two-123456", List.of("a", "b"))))),
                        PLAIN.other(PARTITION, new PartitionStartRecord(COMMITTED, "1", List.of("child-one-123456"))),
                        PLAIN.other(
                                PARTITION,
                                new PartitionEventRecord(
                                        COMMITTED, "1", PARTITION.value(), List.of("source-1"), List.of("target-1"))),
                        PLAIN.other(PARTITION, new PartitionEndRecord(COMMITTED, "1", PARTITION.value()))))
                .allSatisfy(line -> assertThat(line).startsWith("2026-03-02 00:00:03.123  "))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("…tition-1  heartbeat"),
                        line -> assertThat(line).endsWith("Parent0  continues in …e-123456, …o-123456 (of 2 parents)"),
                        line -> assertThat(line).endsWith("…tition-1  starts …e-123456"),
                        line -> assertThat(line).endsWith("…tition-1  keys moved in from source-1 out to target-1"),
                        line -> assertThat(line).endsWith("…tition-1  ends"));
    }

    private static Mod mod(String newValues, String oldValues) {
        return new Mod(
                JsonObject.of("{\"Id\":\"5\",\"Line\":\"a b\"}"), JsonObject.of(newValues), JsonObject.of(oldValues));
    }

    static DataChangeRecord change(String modType, String tag, Mod... mods) {
        return new DataChangeRecord(
                COMMITTED,
                "00000000",
                "t",
                true,
                "Orders",
                List.of(
                        column("Id", TypeCode.INT64),
                        column("Line", TypeCode.STRING),
                        column("Status", TypeCode.STRING),
                        column("Count", TypeCode.INT64),
                        column("Total", TypeCode.FLOAT64),
                        column("Note", TypeCode.STRING)),
                List.of(mods),
                modType,
                "NEW_ROW_AND_OLD_VALUES",
                1,
                1,
                tag,
                false);
    }

    private static ColumnType column(String name, TypeCode code) {
        return new ColumnType(name, SpannerType.of(code), false, 1);
    }
}

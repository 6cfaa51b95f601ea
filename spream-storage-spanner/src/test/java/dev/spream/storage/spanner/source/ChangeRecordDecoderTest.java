package dev.spream.storage.spanner.source;

import static dev.spream.storage.spanner.source.TypedValue.array;
import static dev.spream.storage.spanner.source.TypedValue.field;
import static dev.spream.storage.spanner.source.TypedValue.jsonb;
import static dev.spream.storage.spanner.source.TypedValue.nullArray;
import static dev.spream.storage.spanner.source.TypedValue.struct;
import static dev.spream.storage.spanner.source.TypedValue.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.storage.spanner.source.TypedValue.Field;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangeRecordDecoderTest {
    private static final Instant TIME = Instant.parse("2024-05-01T09:00:00.123456789Z");
    private static final Type HEARTBEAT_TYPE = heartbeat(TIME).type();

    @Test
    void timestamps_keep_their_nanoseconds() {
        assertThat(decode(record("heartbeat_record", heartbeat(TIME)))).containsExactly(new HeartbeatRecord(TIME));
    }

    @Test
    void several_records_of_a_row_come_in_order() {
        Instant later = TIME.plusNanos(1);

        assertThat(decode(record("heartbeat_record", heartbeat(TIME)), record("heartbeat_record", heartbeat(later))))
                .containsExactly(new HeartbeatRecord(TIME), new HeartbeatRecord(later));
    }

    @Test
    void null_elements_count_as_absent() {
        assertThat(decode(null, record("heartbeat_record", null, heartbeat(TIME))))
                .containsExactly(new HeartbeatRecord(TIME));
    }

    @Test
    void a_null_row_holds_nothing() {
        Type element = record("heartbeat_record", heartbeat(TIME)).type();
        assertThat(decodeRow(nullArray(element))).isEmpty();
        assertThat(decodeRow(array(element))).isEmpty();
    }

    @Test
    void a_record_of_an_unknown_kind_is_refused_with_its_name() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record("surprise_record", heartbeat(TIME))))
                .withMessageContaining("surprise_record");
    }

    @Test
    void fields_that_are_missing_or_null_are_tolerated_where_nothing_depends_on_them() {
        TypedValue data = data(
                "Orders",
                field(
                        "column_types",
                        nullArray(struct(field("name", TypeCode.STRING, "a")).type())),
                field("transaction_tag", TypeCode.STRING, null),
                field("a_field_of_the_future", TypeCode.INT64, "1"));

        DataChangeRecord change = change(data);

        assertThat(change.commitTimestamp()).isEqualTo(TIME);
        assertThat(change.columnTypes()).isEmpty();
        assertThat(change.mods()).isEmpty();
        assertThat(change.transactionTag()).isEmpty();
        assertThat(change.isSystemTransaction()).isFalse();
        assertThat(change.numberOfRecordsInTransaction()).isZero();
    }

    @Test
    void a_value_of_another_kind_is_refused_with_the_name_of_its_field() {
        TypedValue number = new TypedValue(
                text(TypeCode.STRING, "").type(),
                Value.newBuilder().setNumberValue(1).build());
        for (Field field : List.of(
                field("is_system_transaction", TypeCode.BOOL, "true"),
                field("transaction_tag", number),
                field("mods", text(TypeCode.STRING, "{}")))) {
            assertThatIllegalArgumentException()
                    .as(field.name())
                    .isThrownBy(() -> change(data("Orders", field)))
                    .withMessageStartingWith(field.name() + ": ");
        }
    }

    @Test
    void keys_that_are_the_json_value_null_are_the_empty_key() {
        TypedValue mod = struct(
                field("keys", TypeCode.JSON, "null"),
                field("new_values", TypeCode.JSON, "{\"Mode\":\"a\"}"),
                field("old_values", TypeCode.JSON, " null "));

        DataChangeRecord change = change(data("Settings", field("mods", array(mod))));

        assertThat(change.mods())
                .containsExactly(new Mod(JsonObject.EMPTY, JsonObject.of("{\"Mode\":\"a\"}"), JsonObject.EMPTY));
        assertThat(ChangeRecordJson.readDataChange(change.toJson())).isEqualTo(change);
    }

    @Test
    void a_record_without_its_position_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> change(struct(field("table_name", TypeCode.STRING, "Orders"))))
                .withMessage("a change record has no commit_timestamp");
    }

    @Test
    void names_that_this_version_does_not_know_are_kept() {
        DataChangeRecord change = change(data(
                "Orders",
                field("column_types", array(column("Place", "{\"code\":\"GEOGRAPHY\",\"srid\":4326}"))),
                field("mod_type", TypeCode.STRING, "MERGE"),
                field("value_capture_type", TypeCode.STRING, "DIFF")));

        assertThat(change.modType()).isEqualTo(ModType.UNKNOWN);
        assertThat(change.modTypeName()).isEqualTo("MERGE");
        assertThat(change.valueCaptureType()).isEqualTo(ValueCaptureType.UNKNOWN);
        assertThat(change.valueCaptureTypeName()).isEqualTo("DIFF");
        assertThat(change.columnTypes().getFirst().type().code()).isEqualTo(dev.spream.core.record.TypeCode.UNKNOWN);
        assertThat(change.columnTypes().getFirst().type().json().int64("srid")).hasValue(4326);
    }

    @Test
    void each_change_has_its_own_columns_and_equal_ones_are_shared() {
        List<ChangeRecord> changes = decode(Stream.of("A", "A", "B", "A")
                .map(name -> record(
                        "data_change_record",
                        data("Orders", field("column_types", array(column(name, "{\"code\":\"INT64\"}"))))))
                .toArray(TypedValue[]::new));

        assertThat(changes)
                .extracting(change ->
                        ((DataChangeRecord) change).columnTypes().getFirst().name())
                .containsExactly("A", "A", "B", "A");
        assertThat(((DataChangeRecord) changes.get(1)).columnTypes())
                .isSameAs(((DataChangeRecord) changes.get(0)).columnTypes());
    }

    @Test
    void parents_that_are_absent_empty_or_null_are_none() {
        Type string = text(TypeCode.STRING, "").type();
        assertThat(decode(record(
                        "child_partitions_record",
                        children(nullArray(string)),
                        children(array(string)),
                        children(array(string, (TypedValue) null)))))
                .hasSize(3)
                .allSatisfy(record -> assertThat(((ChildPartitionsRecord) record).childPartitions())
                        .containsExactly(new ChildPartition("child", List.of())));
    }

    @Test
    void a_record_that_names_no_children_is_none_and_one_that_may_name_some_is_malformed() {
        Type child = struct(field("token", TypeCode.STRING, "child")).type();
        Field start = field("start_timestamp", TypeCode.TIMESTAMP, TIME.toString());
        assertThat(decode(record("child_partitions_record", struct(start, field("child_partitions", array(child))))))
                .isEmpty();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record("child_partitions_record", struct(start))))
                .withMessage("a change record has no child_partitions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record(
                        "child_partitions_record",
                        struct(start, field("child_partitions", array(child, (TypedValue) null))))))
                .withMessage("an element of child_partitions is NULL, and would be lost");
    }

    @Test
    void json_is_read_whatever_its_type_is_called() {
        String json = "{\"heartbeat_record\": {\"timestamp\": \"%s\"}}".formatted(TIME);
        assertThat(decodeRow(jsonb(json))).containsExactly(new HeartbeatRecord(TIME));
        assertThat(decodeRow(text(TypeCode.JSON, json))).containsExactly(new HeartbeatRecord(TIME));
    }

    @Test
    void a_row_of_json_keeps_the_text_of_its_values() {
        String values = "{\"A\": -0.0, \"B\": {\"C\": [1e22]}}";
        String json = """
                {"data_change_record": {"commit_timestamp": "%s", "record_sequence": "0", "server_transaction_id": "t",
                 "table_name": "T", "mods": [{"keys": {"K": 1e22}, "new_values": %s, "old_values": {}}]}}""".formatted(TIME, values);
        for (TypedValue row : List.of(jsonb(json), text(TypeCode.JSON, json))) {
            Mod mod = ((DataChangeRecord) decodeRow(row).getFirst()).mods().getFirst();
            assertThat(mod.keys()).as("%s", row.type()).hasToString("{\"K\": 1e22}");
            assertThat(mod.newValues()).as("%s", row.type()).hasToString(values);
            assertThat(RawRow.change(row.type(), EncodedValue.of(row.value().toByteString()))
                            .orElseThrow()
                            .row())
                    .as("%s", row.type())
                    .isEqualTo(json);
        }
    }

    private static TypedValue heartbeat(Instant time) {
        return struct(field("timestamp", TypeCode.TIMESTAMP, time.toString()));
    }

    private static TypedValue data(String table, Field... more) {
        return struct(Stream.concat(
                        Stream.of(
                                field("commit_timestamp", TypeCode.TIMESTAMP, TIME.toString()),
                                field("record_sequence", TypeCode.STRING, "00000000"),
                                field("server_transaction_id", TypeCode.STRING, "t"),
                                field("table_name", TypeCode.STRING, table)),
                        Arrays.stream(more))
                .toArray(Field[]::new));
    }

    private static TypedValue column(String name, String type) {
        return struct(field("name", TypeCode.STRING, name), field("type", TypeCode.JSON, type));
    }

    private static TypedValue children(TypedValue parents) {
        return struct(
                field("start_timestamp", TypeCode.TIMESTAMP, TIME.toString()),
                field("record_sequence", TypeCode.STRING, "00000001"),
                field(
                        "child_partitions",
                        array(struct(
                                field("token", TypeCode.STRING, "child"), field("parent_partition_tokens", parents)))));
    }

    private static TypedValue record(String kind, @Nullable TypedValue... elements) {
        Field content = field(kind, array(elements));
        return kind.equals("heartbeat_record")
                ? struct(content)
                : struct(field("heartbeat_record", nullArray(HEARTBEAT_TYPE)), content);
    }

    private static DataChangeRecord change(TypedValue data) {
        return (DataChangeRecord) decode(record("data_change_record", data)).getFirst();
    }

    private static List<ChangeRecord> decode(@Nullable TypedValue... records) {
        return decodeRow(array(records));
    }

    private static List<ChangeRecord> decodeRow(TypedValue row) {
        return new ChangeRecordDecoder(row.type())
                .decode(EncodedValue.of(row.value().toByteString()));
    }
}

package dev.spream.storage.spanner.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.ResultSets;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Type.StructField;
import com.google.cloud.spanner.Value;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangeRecordDecoderTest {
    private static final Instant TIME = Instant.parse("2024-05-01T09:00:00.123456789Z");
    private static final Timestamp TIMESTAMP = Timestamps.toTimestamp(TIME);
    private static final Type HEARTBEAT_TYPE = Type.struct(StructField.of("timestamp", Type.timestamp()));

    @Test
    void timestamps_keep_their_nanoseconds() {
        assertThat(decode(record("heartbeat_record", heartbeat(TIMESTAMP)))).containsExactly(new HeartbeatRecord(TIME));
        assertThat(Timestamps.toInstant(Timestamp.MAX_VALUE))
                .isEqualTo(Instant.parse("9999-12-31T23:59:59.999999999Z"));
        assertThat(Timestamps.toTimestamp(Instant.parse("0001-01-01T00:00:00Z")))
                .isEqualTo(Timestamp.MIN_VALUE);
    }

    @Test
    void several_records_of_a_row_come_in_order() {
        Timestamp later = Timestamps.toTimestamp(TIME.plusNanos(1));

        assertThat(decode(
                        record("heartbeat_record", heartbeat(TIMESTAMP)), record("heartbeat_record", heartbeat(later))))
                .containsExactly(new HeartbeatRecord(TIME), new HeartbeatRecord(TIME.plusNanos(1)));
    }

    @Test
    void null_elements_count_as_absent() {
        assertThat(decode(null, record("heartbeat_record", null, heartbeat(TIMESTAMP))))
                .containsExactly(new HeartbeatRecord(TIME));
    }

    @Test
    void a_null_row_holds_nothing() {
        Type element = record("heartbeat_record", heartbeat(TIMESTAMP)).getType();
        assertThat(decodeRow(Value.structArray(element, null))).isEmpty();
        assertThat(decodeRow(Value.structArray(element, List.of()))).isEmpty();
    }

    @Test
    void a_record_of_an_unknown_kind_is_refused_with_its_name() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record("surprise_record", heartbeat(TIMESTAMP))))
                .withMessageContaining("surprise_record");
    }

    @Test
    void fields_that_are_missing_or_null_are_tolerated_where_nothing_depends_on_them() {
        Struct data = Struct.newBuilder()
                .set("commit_timestamp")
                .to(TIMESTAMP)
                .set("record_sequence")
                .to("00000000")
                .set("server_transaction_id")
                .to("t")
                .set("table_name")
                .to("Orders")
                .set("column_types")
                .toStructArray(Type.struct(StructField.of("name", Type.string())), null)
                .set("transaction_tag")
                .to((String) null)
                .set("a_field_of_the_future")
                .to(1)
                .build();

        DataChangeRecord change =
                (DataChangeRecord) decode(record("data_change_record", data)).getFirst();

        assertThat(change.commitTimestamp()).isEqualTo(TIME);
        assertThat(change.columnTypes()).isEmpty();
        assertThat(change.mods()).isEmpty();
        assertThat(change.transactionTag()).isEmpty();
        assertThat(change.isSystemTransaction()).isFalse();
        assertThat(change.numberOfRecordsInTransaction()).isZero();
    }

    @Test
    void keys_that_are_the_json_value_null_are_the_empty_key() {
        Struct mod = Struct.newBuilder()
                .set("keys")
                .to(Value.json("null"))
                .set("new_values")
                .to(Value.json("{\"Mode\":\"a\"}"))
                .set("old_values")
                .to(Value.json(" null "))
                .build();
        Struct data = Struct.newBuilder()
                .set("commit_timestamp")
                .to(TIMESTAMP)
                .set("record_sequence")
                .to("00000000")
                .set("server_transaction_id")
                .to("t")
                .set("table_name")
                .to("Settings")
                .set("mods")
                .toStructArray(mod.getType(), List.of(mod))
                .build();

        DataChangeRecord change =
                (DataChangeRecord) decode(record("data_change_record", data)).getFirst();

        assertThat(change.mods())
                .containsExactly(new Mod(JsonObject.EMPTY, JsonObject.of("{\"Mode\":\"a\"}"), JsonObject.EMPTY));
        assertThat(ChangeRecordJson.readDataChange(change.toJson())).isEqualTo(change);
    }

    @Test
    void a_record_without_its_position_is_refused() {
        Struct data = Struct.newBuilder().set("table_name").to("Orders").build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record("data_change_record", data)))
                .withMessage("a change record has no commit_timestamp");
    }

    @Test
    void names_that_this_version_does_not_know_are_kept() {
        Struct column = Struct.newBuilder()
                .set("name")
                .to("Place")
                .set("type")
                .to(Value.json("{\"code\":\"GEOGRAPHY\",\"srid\":4326}"))
                .build();
        Struct data = Struct.newBuilder()
                .set("commit_timestamp")
                .to(TIMESTAMP)
                .set("record_sequence")
                .to("00000000")
                .set("server_transaction_id")
                .to("t")
                .set("table_name")
                .to("Orders")
                .set("column_types")
                .toStructArray(column.getType(), List.of(column))
                .set("mod_type")
                .to("MERGE")
                .set("value_capture_type")
                .to("DIFF")
                .build();

        DataChangeRecord change =
                (DataChangeRecord) decode(record("data_change_record", data)).getFirst();

        assertThat(change.modType()).isEqualTo(ModType.UNKNOWN);
        assertThat(change.modTypeName()).isEqualTo("MERGE");
        assertThat(change.valueCaptureType()).isEqualTo(ValueCaptureType.UNKNOWN);
        assertThat(change.valueCaptureTypeName()).isEqualTo("DIFF");
        assertThat(change.columnTypes().getFirst().type().code()).isEqualTo(TypeCode.UNKNOWN);
        assertThat(change.columnTypes().getFirst().type().json().int64("srid")).hasValue(4326);
    }

    @Test
    void parents_that_are_absent_empty_or_null_are_none() {
        assertThat(decode(record(
                        "child_partitions_record", children(null), children(List.of()), children(Arrays.asList((String)
                                null)))))
                .hasSize(3)
                .allSatisfy(record -> assertThat(((ChildPartitionsRecord) record).childPartitions())
                        .containsExactly(new ChildPartition("child", List.of())));
    }

    @Test
    void a_record_that_names_no_children_is_none_and_one_that_may_name_some_is_malformed() {
        Struct child = Struct.newBuilder().set("token").to("child").build();
        Struct none = Struct.newBuilder()
                .set("start_timestamp")
                .to(TIMESTAMP)
                .set("child_partitions")
                .toStructArray(child.getType(), List.of())
                .build();
        assertThat(decode(record("child_partitions_record", none))).isEmpty();

        Struct unknown =
                Struct.newBuilder().set("start_timestamp").to(TIMESTAMP).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record("child_partitions_record", unknown)))
                .withMessage("a change record has no child_partitions");
    }

    @Test
    void json_is_read_whatever_its_type_is_called() {
        String json = "{\"heartbeat_record\": {\"timestamp\": \"%s\"}}".formatted(TIME);
        assertThat(decodeRow(Value.pgJsonb(json))).containsExactly(new HeartbeatRecord(TIME));
        assertThat(decodeRow(Value.json(json))).containsExactly(new HeartbeatRecord(TIME));
    }

    @Test
    void a_row_of_json_keeps_the_text_of_its_values() {
        String values = "{\"A\": -0.0, \"B\": {\"C\": [1e22]}}";
        String json = """
                {"data_change_record": {"commit_timestamp": "%s", "record_sequence": "0", "server_transaction_id": "t",
                 "table_name": "T", "mods": [{"keys": {"K": 1e22}, "new_values": %s, "old_values": {}}]}}""".formatted(TIME, values);
        for (Value value : List.of(Value.pgJsonb(json), Value.json(json))) {
            Mod mod = ((DataChangeRecord) decodeRow(value).getFirst()).mods().getFirst();
            assertThat(mod.keys()).as("%s", value.getType()).hasToString("{\"K\": 1e22}");
            assertThat(mod.newValues()).as("%s", value.getType()).hasToString(values);
            assertThat(read(value, RawRow::change).orElseThrow().row())
                    .as("%s", value.getType())
                    .isEqualTo(json);
        }
    }

    private static Struct heartbeat(Timestamp timestamp) {
        return Struct.newBuilder().set("timestamp").to(timestamp).build();
    }

    private static Struct children(@Nullable List<@Nullable String> parents) {
        Struct child = Struct.newBuilder()
                .set("token")
                .to("child")
                .set("parent_partition_tokens")
                .toStringArray(parents)
                .build();
        return Struct.newBuilder()
                .set("start_timestamp")
                .to(TIMESTAMP)
                .set("record_sequence")
                .to("00000001")
                .set("child_partitions")
                .toStructArray(child.getType(), List.of(child))
                .build();
    }

    private static Struct record(String kind, @Nullable Struct... elements) {
        List<@Nullable Struct> list = Arrays.asList(elements);
        Struct.Builder record = Struct.newBuilder();
        if (!kind.equals("heartbeat_record")) {
            record.set("heartbeat_record").toStructArray(HEARTBEAT_TYPE, null);
        }
        Struct last = list.getLast();
        if (last == null) {
            throw new IllegalArgumentException("the last element gives the type");
        }
        return record.set(kind).toStructArray(last.getType(), list).build();
    }

    private static List<ChangeRecord> decode(@Nullable Struct... records) {
        List<@Nullable Struct> list = Arrays.asList(records);
        Struct last = list.getLast();
        if (last == null) {
            throw new IllegalArgumentException("the last record gives the type");
        }
        return decodeRow(Value.structArray(last.getType(), list));
    }

    private static List<ChangeRecord> decodeRow(Value value) {
        return read(value, ChangeRecordDecoder::decode);
    }

    private static <T> T read(Value value, Function<ResultSet, T> reader) {
        Struct row = Struct.newBuilder().set("ChangeRecord").to(value).build();
        try (ResultSet rows = ResultSets.forRows(row.getType(), List.of(row))) {
            rows.next();
            return reader.apply(rows);
        }
    }
}

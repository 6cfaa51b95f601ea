package dev.spream.storage.spanner.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ColumnMetadata;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModType;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ValueCaptureType;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveInEvent;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveOutEvent;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.record.SpannerType;
import dev.spream.core.source.UndecodableChange;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of streams with mutable key ranges, in the columns of both dialects. */
@ParameterizedClass
@EnumSource
class ProtoRecordsTest {
    private static final Instant TIME = Instant.parse("2024-05-01T09:00:00.123456789Z");
    private static final Timestamp TIMESTAMP = Timestamp.newBuilder()
            .setSeconds(TIME.getEpochSecond())
            .setNanos(TIME.getNano())
            .build();

    private static final Value NULL =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    /** The column that a message comes in. */
    enum Column {
        PROTO,
        BYTES;

        TypedValue value(byte[] message) {
            return TypedValue.text(
                    this == PROTO ? TypeCode.PROTO : TypeCode.BYTES,
                    Base64.getEncoder().encodeToString(message));
        }
    }

    private final Column column;

    ProtoRecordsTest(Column column) {
        this.column = column;
    }

    @Test
    void a_heartbeat_keeps_its_nanoseconds() {
        assertThat(decode(heartbeat())).isEqualTo(new HeartbeatRecord(TIME));
    }

    @Test
    void a_null_row_holds_nothing() {
        Type type = column.value(new byte[0]).type();
        Value missing = Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
        assertThat(new ChangeRecordDecoder(type).decode(EncodedValue.of(missing.toByteString())))
                .isEmpty();
    }

    @Test
    void a_start_names_its_partitions_in_order() {
        assertThat(decode(ChangeStreamRecord.newBuilder()
                        .setPartitionStartRecord(ChangeStreamRecord.PartitionStartRecord.newBuilder()
                                .setStartTimestamp(TIMESTAMP)
                                .setRecordSequence("00000001")
                                .addPartitionTokens("b")
                                .addPartitionTokens("a"))))
                .isEqualTo(new PartitionStartRecord(TIME, "00000001", List.of("b", "a")));
    }

    @Test
    void an_event_has_the_sources_and_destinations_of_moves() {
        assertThat(decode(event(
                        event -> event.addMoveInEvents(MoveInEvent.newBuilder().setSourcePartitionToken("b"))
                                .addMoveInEvents(MoveInEvent.newBuilder().setSourcePartitionToken("c"))
                                .addMoveInEvents(MoveInEvent.newBuilder().setSourcePartitionToken("b"))
                                .addMoveOutEvents(MoveOutEvent.newBuilder().setDestinationPartitionToken("d")))))
                .isEqualTo(new PartitionEventRecord(TIME, "00000002", "a", List.of("b", "c"), List.of("d")));
        assertThat(decode(event(event -> event)))
                .isEqualTo(new PartitionEventRecord(TIME, "00000002", "a", List.of(), List.of()));
    }

    @Test
    void an_end_names_the_partition_that_ended() {
        assertThat(decode(ChangeStreamRecord.newBuilder()
                        .setPartitionEndRecord(ChangeStreamRecord.PartitionEndRecord.newBuilder()
                                .setEndTimestamp(TIMESTAMP)
                                .setRecordSequence("00000003")
                                .setPartitionToken("a"))))
                .isEqualTo(new PartitionEndRecord(TIME, "00000003", "a"));
    }

    @Test
    void fields_that_nothing_depends_on_may_be_missing() {
        assertThat(decode(event(ChangeStreamRecord.PartitionEventRecord.Builder::clearPartitionToken)))
                .isEqualTo(new PartitionEventRecord(TIME, "00000002", "", List.of(), List.of()));
        assertThat(decode(ChangeStreamRecord.newBuilder()
                        .setPartitionEndRecord(ChangeStreamRecord.PartitionEndRecord.newBuilder()
                                .setEndTimestamp(TIMESTAMP))))
                .isEqualTo(new PartitionEndRecord(TIME, "", ""));
    }

    @Test
    void a_data_change_has_the_json_of_the_other_mode() {
        DataChangeRecord change = (DataChangeRecord) decode(ordersChange());

        assertThat(change)
                .isEqualTo(new DataChangeRecord(
                        TIME,
                        "00000000",
                        "t1",
                        true,
                        "Orders",
                        List.of(
                                new ColumnType("Id", type("{\"code\":\"INT64\"}"), true, 1),
                                new ColumnType("Total", type("{\"code\":\"NUMERIC\"}"), false, 2),
                                new ColumnType(
                                        "Tags",
                                        type("{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"STRING\"}}"),
                                        false,
                                        3)),
                        List.of(
                                new Mod(
                                        JsonObject.of("{\"Id\":\"1\"}"),
                                        JsonObject.of("{\"Total\":\"9.99\",\"Tags\":[\"new\",null]}"),
                                        JsonObject.of("{\"Total\":null}")),
                                new Mod(JsonObject.of("{\"Id\":\"2\"}"), JsonObject.EMPTY, JsonObject.EMPTY)),
                        "UPDATE",
                        "OLD_AND_NEW_VALUES",
                        3,
                        2,
                        "app=shop",
                        true));
        assertThat(ChangeRecordJson.readDataChange(change.toJson())).isEqualTo(change);
    }

    @Test
    void values_keep_their_types() {
        Mod mod = values(
                string("9007199254740993"),
                number(0.1),
                number(1e22),
                number(-0.0),
                number(Double.NaN),
                number(Double.NEGATIVE_INFINITY),
                string("Infinity"),
                Value.newBuilder().setBoolValue(true).build(),
                string("aGVsbG8="),
                string("{\"a\": \"b\\n\"}"),
                NULL,
                list(number(1.5), string("NaN"), list()),
                Value.newBuilder()
                        .setStructValue(com.google.protobuf.Struct.newBuilder().putFields("a", string("b")))
                        .build(),
                string("quote \" and 🚲"));

        assertThat(mod.newValues())
                .hasToString("{\"C0\":\"9007199254740993\",\"C1\":0.1,\"C2\":1.0E22,\"C3\":-0.0,\"C4\":\"NaN\","
                        + "\"C5\":\"-Infinity\",\"C6\":\"Infinity\",\"C7\":true,\"C8\":\"aGVsbG8=\","
                        + "\"C9\":\"{\\\"a\\\": \\\"b\\\\n\\\"}\",\"C10\":null,\"C11\":[1.5,\"NaN\",[]],"
                        + "\"C12\":{\"a\":\"b\"},\"C13\":\"quote \\\" and 🚲\"}");
        assertThat(mod.newValues().members()).hasSize(14);
    }

    @Test
    void column_types_have_the_json_of_the_other_mode() {
        assertThat(typeOf(Type.newBuilder().setCode(TypeCode.FLOAT32)).json()).hasToString("{\"code\":\"FLOAT32\"}");
        assertThat(typeOf(Type.newBuilder().setCode(TypeCode.NUMERIC).setTypeAnnotation(TypeAnnotationCode.PG_NUMERIC))
                        .json())
                .hasToString("{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}");
        assertThat(typeOf(Type.newBuilder()
                                .setCode(TypeCode.ARRAY)
                                .setArrayElementType(Type.newBuilder()
                                        .setCode(TypeCode.PROTO)
                                        .setProtoTypeFqn("shop.Item")))
                        .json())
                .hasToString("{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"PROTO\","
                        + "\"proto_type_fqn\":\"shop.Item\"}}");
    }

    @Test
    void numbers_of_types_that_this_version_does_not_know_are_kept() {
        DataChangeRecord change = (DataChangeRecord) decode(change(data -> data.setModTypeValue(40)
                .setValueCaptureTypeValue(50)
                .addColumnMetadata(ColumnMetadata.newBuilder()
                        .setName("Place")
                        .setType(Type.newBuilder().setCodeValue(99).setTypeAnnotationValue(77)))));

        assertThat(change.modTypeName()).isEqualTo("40");
        assertThat(change.modType()).isEqualTo(dev.spream.core.record.ModType.UNKNOWN);
        assertThat(change.valueCaptureTypeName()).isEqualTo("50");
        assertThat(change.valueCaptureType()).isEqualTo(dev.spream.core.record.ValueCaptureType.UNKNOWN);
        SpannerType type = change.columnTypes().getFirst().type();
        assertThat(type.codeName()).isEqualTo("99");
        assertThat(type.code()).isEqualTo(dev.spream.core.record.TypeCode.UNKNOWN);
        assertThat(type.typeAnnotation()).contains("77");
    }

    @Test
    void a_record_without_its_position_or_a_token_is_refused() {
        refused("a change record has no commit_timestamp", change(data -> data.clearCommitTimestamp()));
        refused("a change record has no record_sequence", change(data -> data.clearRecordSequence()));
        refused("a change record has no server_transaction_id", change(data -> data.clearServerTransactionId()));
        refused("a change record has no table", change(data -> data.clearTable()));
        refused(
                "a change record has no timestamp",
                ChangeStreamRecord.newBuilder()
                        .setHeartbeatRecord(ChangeStreamRecord.HeartbeatRecord.getDefaultInstance()));
        refused(
                "a change record has no partition token",
                ChangeStreamRecord.newBuilder()
                        .setPartitionStartRecord(ChangeStreamRecord.PartitionStartRecord.newBuilder()
                                .setStartTimestamp(TIMESTAMP)
                                .addPartitionTokens("")));
        refused(
                "partitionTokens must name at least one partition",
                ChangeStreamRecord.newBuilder()
                        .setPartitionStartRecord(ChangeStreamRecord.PartitionStartRecord.newBuilder()
                                .setStartTimestamp(TIMESTAMP)));
        refused(
                "a change record has no source_partition_token",
                event(event -> event.addMoveInEvents(MoveInEvent.getDefaultInstance())));
        refused(
                "a change record has no destination_partition_token",
                event(event -> event.addMoveOutEvents(MoveOutEvent.getDefaultInstance())));
        refused(
                "a change record has no record_sequence",
                event(ChangeStreamRecord.PartitionEventRecord.Builder::clearRecordSequence));
        refused(
                "a change record has no end_timestamp",
                ChangeStreamRecord.newBuilder()
                        .setPartitionEndRecord(ChangeStreamRecord.PartitionEndRecord.getDefaultInstance()));
    }

    @Test
    void a_record_of_an_unknown_kind_is_refused_with_its_field() {
        ChangeStreamRecord record = ChangeStreamRecord.newBuilder()
                .setUnknownFields(unknownField(6))
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record))
                .withMessage("no data change, heartbeat, partition start, partition event or partition end record in a"
                        + " ChangeStreamRecord with unknown fields [6]");
        assertThat(undecodable(value(record))).isEmpty();
    }

    @Test
    void bytes_of_another_kind_are_refused() {
        TypedValue value = column.value("not a message".getBytes(StandardCharsets.UTF_8));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(value))
                .withMessageStartingWith("malformed ChangeStreamRecord: ");
        assertThat(undecodable(value)).isEmpty();
    }

    @Test
    void a_change_with_a_value_of_no_column_comes_with_what_can_be_read() {
        ChangeStreamRecord record = change(data -> data.addColumnMetadata(column("Id", TypeCode.INT64, true, 1))
                        .addMods(ChangeStreamRecord.DataChangeRecord.Mod.newBuilder()
                                .addKeys(modValue(0, string("1")))
                                .addNewValues(modValue(1, list(number(Double.NaN), Value.getDefaultInstance())))))
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(record))
                .withMessage("a value has column_metadata_index 1, and the change record has 1 columns");

        UndecodableChange change = undecodable(value(record)).orElseThrow();

        assertThat(change.commitTimestamp()).contains(TIME);
        assertThat(change.serverTransactionId()).contains("t1");
        assertThat(change.recordSequence()).contains("00000000");
        assertThat(change.tableName()).contains("Orders");
        JsonObject data =
                JsonObject.of(change.row()).object("data_change_record").orElseThrow();
        assertThat(data.string("table_name")).contains("Orders");
        assertThat(data.string("commit_timestamp")).contains(TIME.toString());
        assertThat(data.objects("column_types").getFirst().string("name")).contains("Id");
        JsonObject mod = data.objects("mods").getFirst();
        assertThat(mod.object("keys").orElseThrow().string("Id")).contains("1");
        assertThat(mod.object("new_values").orElseThrow().get("column_metadata_index 1"))
                .isEqualTo(Arrays.asList("NaN", null));
    }

    @Test
    void a_value_that_is_not_set_is_refused() {
        refused(
                "a value of a change record is not set",
                change(data -> data.addColumnMetadata(column("Id", TypeCode.INT64, true, 1))
                        .addMods(ChangeStreamRecord.DataChangeRecord.Mod.newBuilder()
                                .addKeys(ModValue.newBuilder().setColumnMetadataIndex(0)))));
    }

    @Test
    void an_undecodable_change_may_lack_every_part() {
        UndecodableChange change = undecodable(value(ChangeStreamRecord.newBuilder()
                        .setDataChangeRecord(ChangeStreamRecord.DataChangeRecord.getDefaultInstance())
                        .build()))
                .orElseThrow();
        assertThat(change.commitTimestamp()).isEmpty();
        assertThat(change.serverTransactionId()).isEmpty();
        assertThat(change.recordSequence()).isEmpty();
        assertThat(change.tableName()).isEmpty();
    }

    @Test
    void a_row_that_may_name_partitions_is_no_undecodable_change() {
        ChangeStreamRecord.Builder partitions = ChangeStreamRecord.newBuilder()
                .setPartitionStartRecord(ChangeStreamRecord.PartitionStartRecord.getDefaultInstance());
        assertThat(undecodable(value(partitions.build()))).isEmpty();

        ChangeStreamRecord more = change(data -> data.clearTable())
                .setUnknownFields(unknownField(6))
                .build();
        assertThat(undecodable(value(more))).isEmpty();
    }

    private static ChangeStreamRecord.Builder heartbeat() {
        return ChangeStreamRecord.newBuilder()
                .setHeartbeatRecord(
                        ChangeStreamRecord.HeartbeatRecord.newBuilder().setTimestamp(TIMESTAMP));
    }

    private static ChangeStreamRecord.Builder event(
            UnaryOperator<ChangeStreamRecord.PartitionEventRecord.Builder> edit) {
        return ChangeStreamRecord.newBuilder()
                .setPartitionEventRecord(edit.apply(ChangeStreamRecord.PartitionEventRecord.newBuilder()
                        .setCommitTimestamp(TIMESTAMP)
                        .setRecordSequence("00000002")
                        .setPartitionToken("a")));
    }

    private static ChangeStreamRecord.Builder change(UnaryOperator<ChangeStreamRecord.DataChangeRecord.Builder> edit) {
        return ChangeStreamRecord.newBuilder()
                .setDataChangeRecord(edit.apply(ChangeStreamRecord.DataChangeRecord.newBuilder()
                        .setCommitTimestamp(TIMESTAMP)
                        .setRecordSequence("00000000")
                        .setServerTransactionId("t1")
                        .setTable("Orders")));
    }

    private static ChangeStreamRecord.Builder ordersChange() {
        return change(data -> data.setIsLastRecordInTransactionInPartition(true)
                .addColumnMetadata(column("Id", TypeCode.INT64, true, 1))
                .addColumnMetadata(column("Total", TypeCode.NUMERIC, false, 2))
                .addColumnMetadata(column("Tags", TypeCode.ARRAY, false, 3)
                        .setType(Type.newBuilder()
                                .setCode(TypeCode.ARRAY)
                                .setArrayElementType(Type.newBuilder().setCode(TypeCode.STRING))))
                .addMods(ChangeStreamRecord.DataChangeRecord.Mod.newBuilder()
                        .addKeys(modValue(0, string("1")))
                        .addNewValues(modValue(1, string("9.99")))
                        .addNewValues(modValue(2, list(string("new"), NULL)))
                        .addOldValues(modValue(1, NULL)))
                .addMods(ChangeStreamRecord.DataChangeRecord.Mod.newBuilder().addKeys(modValue(0, string("2"))))
                .setModType(ModType.UPDATE)
                .setValueCaptureType(ValueCaptureType.OLD_AND_NEW_VALUES)
                .setNumberOfRecordsInTransaction(3)
                .setNumberOfPartitionsInTransaction(2)
                .setTransactionTag("app=shop")
                .setIsSystemTransaction(true));
    }

    /** Decodes a row whose columns C0, C1 and so on have these new values. */
    private Mod values(Value... values) {
        DataChangeRecord change = (DataChangeRecord) decode(change(data -> {
            ChangeStreamRecord.DataChangeRecord.Mod.Builder mod = ChangeStreamRecord.DataChangeRecord.Mod.newBuilder();
            for (int i = 0; i < values.length; i++) {
                data.addColumnMetadata(column("C" + i, TypeCode.STRING, false, i + 1));
                mod.addNewValues(modValue(i, values[i]));
            }
            return data.addMods(mod);
        }));
        return change.mods().getFirst();
    }

    private SpannerType typeOf(Type.Builder type) {
        DataChangeRecord change = (DataChangeRecord) decode(change(data ->
                data.addColumnMetadata(ColumnMetadata.newBuilder().setName("C").setType(type))));
        return change.columnTypes().getFirst().type();
    }

    private static ColumnMetadata.Builder column(String name, TypeCode code, boolean isKey, int position) {
        return ColumnMetadata.newBuilder()
                .setName(name)
                .setType(Type.newBuilder().setCode(code))
                .setIsPrimaryKey(isKey)
                .setOrdinalPosition(position);
    }

    private static ModValue modValue(int index, Value value) {
        return ModValue.newBuilder()
                .setColumnMetadataIndex(index)
                .setValue(value)
                .build();
    }

    private static Value string(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    private static Value number(double value) {
        return Value.newBuilder().setNumberValue(value).build();
    }

    private static Value list(Value... elements) {
        return Value.newBuilder()
                .setListValue(ListValue.newBuilder().addAllValues(List.of(elements)))
                .build();
    }

    private static SpannerType type(String json) {
        return new SpannerType(JsonObject.of(json));
    }

    private static UnknownFieldSet unknownField(int number) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        number, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();
    }

    private void refused(String message, ChangeStreamRecord.Builder record) {
        assertThatIllegalArgumentException().isThrownBy(() -> decode(record)).withMessage(message);
    }

    private ChangeRecord decode(ChangeStreamRecord.Builder record) {
        return decode(record.build());
    }

    private ChangeRecord decode(ChangeStreamRecord record) {
        List<ChangeRecord> records = decode(value(record));
        assertThat(records).hasSize(1);
        return records.getFirst();
    }

    private static List<ChangeRecord> decode(TypedValue row) {
        return new ChangeRecordDecoder(row.type())
                .decode(EncodedValue.of(row.value().toByteString()));
    }

    private TypedValue value(ChangeStreamRecord record) {
        return column.value(record.toByteArray());
    }

    private static Optional<UndecodableChange> undecodable(TypedValue row) {
        return RawRow.change(row.type(), EncodedValue.of(row.value().toByteString()));
    }
}

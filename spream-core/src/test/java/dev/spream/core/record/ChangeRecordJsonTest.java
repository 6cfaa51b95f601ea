package dev.spream.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChangeRecordJsonTest {
    private static final Instant COMMIT = Instant.parse("2022-09-27T12:30:00.123456Z");

    @Test
    void the_documented_data_change_is_read_field_by_field() {
        DataChangeRecord change = dataChange(DocumentedRecords.TRANSFER_FROM);

        assertThat(change.commitTimestamp()).isEqualTo(COMMIT).isEqualTo(change.timestamp());
        assertThat(change.recordSequence()).isEqualTo("00000000");
        assertThat(change.serverTransactionId()).isEqualTo("6329047911");
        assertThat(change.isLastRecordInTransactionInPartition()).isTrue();
        assertThat(change.tableName()).isEqualTo("AccountBalance");
        assertThat(change.columnTypes())
                .extracting(ColumnType::name)
                .containsExactly("AccountId", "LastUpdate", "Balance");
        assertThat(change.columnTypes())
                .extracting(column -> column.type().code())
                .containsExactly(TypeCode.STRING, TypeCode.TIMESTAMP, TypeCode.INT64);
        assertThat(change.columnTypes()).extracting(ColumnType::isPrimaryKey).containsExactly(true, false, false);
        assertThat(change.columnTypes()).extracting(ColumnType::ordinalPosition).containsExactly(1L, 2L, 3L);
        assertThat(change.modType()).isEqualTo(ModType.UPDATE);
        assertThat(change.valueCaptureType()).isEqualTo(ValueCaptureType.OLD_AND_NEW_VALUES);
        assertThat(change.numberOfRecordsInTransaction()).isEqualTo(2);
        assertThat(change.numberOfPartitionsInTransaction()).isEqualTo(2);
        assertThat(change.transactionTag()).isEqualTo("app=banking,env=prod,action=update");
        assertThat(change.isSystemTransaction()).isFalse();
        assertThat(change.identity()).hasToString("2022-09-27T12:30:00.123456Z/6329047911/00000000");

        Mod mod = change.mods().getFirst();
        assertThat(change.mods()).hasSize(1);
        assertThat(mod.keys().string("AccountId")).contains("Id1");
        assertThat(mod.newValues().int64("Balance")).as("a bare number").hasValue(1000);
        assertThat(mod.oldValues().string("LastUpdate")).contains("2022-09-26T11:28:00.189413Z");
    }

    @Test
    void the_type_that_only_the_documentation_uses_is_kept_as_it_is_named() {
        SpannerType balance =
                dataChange(DocumentedRecords.TRANSFER_FROM).columnTypes().get(2).type();
        assertThat(balance.codeName()).isEqualTo("INT");
        assertThat(balance.code()).isEqualTo(TypeCode.INT64);
    }

    @Test
    void the_documented_capture_types_have_the_values_they_capture() {
        Mod newValues = onlyMod(DocumentedRecords.NEW_VALUES, ValueCaptureType.NEW_VALUES);
        assertThat(newValues.newValues().members()).containsOnlyKeys("LastUpdate");
        assertThat(newValues.oldValues().members()).isEmpty();
        Mod newRow = onlyMod(DocumentedRecords.NEW_ROW, ValueCaptureType.NEW_ROW);
        assertThat(newRow.newValues().members()).containsOnlyKeys("LastUpdate", "Balance");
        assertThat(newRow.oldValues().members()).isEmpty();
        Mod both = onlyMod(DocumentedRecords.NEW_ROW_AND_OLD_VALUES, ValueCaptureType.NEW_ROW_AND_OLD_VALUES);
        assertThat(both.newValues().members()).containsOnlyKeys("LastUpdate", "Balance");
        assertThat(both.oldValues().members()).containsOnlyKeys("LastUpdate");
    }

    @Test
    void the_documented_heartbeat_and_children_are_read() {
        assertThat(ChangeRecordJson.read(DocumentedRecords.HEARTBEAT))
                .containsExactly(new HeartbeatRecord(Instant.parse("2022-09-27T12:35:00.312486Z")));
        assertThat(ChangeRecordJson.read(DocumentedRecords.CHILD_OF_TWO))
                .containsExactly(new ChildPartitionsRecord(
                        Instant.parse("2022-09-27T12:40:00.562986Z"),
                        "00000001",
                        List.of(new ChildPartition("child_token_1", List.of("parent_token_1", "parent_token_2")))));
    }

    @Test
    void a_numeric_sequence_and_null_parents_are_read_as_the_workflow_of_the_documentation_shows_them() {
        assertThat(ChangeRecordJson.read(DocumentedRecords.FIRST_CHILDREN))
                .containsExactly(new ChildPartitionsRecord(
                        Instant.parse("2022-05-01T09:00:01Z"),
                        "1000012389",
                        List.of(
                                new ChildPartition("child_token_1", List.of()),
                                new ChildPartition("child_token_2", List.of()))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"parent_partition_tokens\": null", ", \"parent_partition_tokens\": []"})
    void absent_null_and_empty_parents_are_the_same(String parents) {
        assertThat(ChangeRecordJson.read(child("{\"token\": \"a\"%s}".formatted(parents))))
                .containsExactly(
                        new ChildPartitionsRecord(Instant.EPOCH, "1", List.of(new ChildPartition("a", List.of()))));
    }

    @ParameterizedTest
    @CsvSource({
        "2022-09-27T12:30:00Z, 2022-09-27T12:30:00Z",
        "2022-09-27T12:30:00.123456789Z, 2022-09-27T12:30:00.123456789Z",
        "9999-12-31T23:59:59.999999999Z, 9999-12-31T23:59:59.999999999Z",
        "2022-09-27T12:30:00.5-07:00, 2022-09-27T19:30:00.5Z",
        "2022-09-27 12:30:00.123456+00:00, 2022-09-27T12:30:00.123456Z",
        "2022-09-27 12:30:00.123456789-07, 2022-09-27T19:30:00.123456789Z"
    })
    void timestamps_come_with_z_or_an_offset(String text, Instant expected) {
        assertThat(ChangeRecordJson.read("{\"heartbeat_record\": {\"timestamp\": \"%s\"}}".formatted(text)))
                .containsExactly(new HeartbeatRecord(expected));
    }

    @Test
    void counts_come_as_numbers_or_as_strings_and_unknown_members_are_ignored() {
        DataChangeRecord change = ChangeRecordJson.readDataChange("""
                {"commit_timestamp":"2022-09-27T12:30:00.123456Z","record_sequence":"0","server_transaction_id":"t",
                 "table_name":"T","number_of_records_in_transaction":"3","number_of_partitions_in_transaction":2,
                 "mods":[{"keys":{"Id":"1"}}],"column_types":null,"since_tomorrow":{"a":[1]}}""");
        assertThat(change.numberOfRecordsInTransaction()).isEqualTo(3);
        assertThat(change.numberOfPartitionsInTransaction()).isEqualTo(2);
        assertThat(change.columnTypes()).isEmpty();
        assertThat(change.mods().getFirst().newValues()).isEqualTo(JsonObject.EMPTY);
        assertThat(change.transactionTag()).isEmpty();
        assertThat(change.isLastRecordInTransactionInPartition()).isFalse();
    }

    @Test
    void empty_records_beside_the_one_and_null_elements_count_as_absent() {
        String change = """
                {"data_change_record": {"commit_timestamp":"2022-09-27T12:30:00Z","record_sequence":"0",
                  "server_transaction_id":"t","table_name":"T","column_types":[null],
                  "mods":[null, {"keys":{"Id":"1"}}, null]},
                 "heartbeat_record": {}, "child_partitions_record": {}}""";
        assertThat(dataChange(change).mods())
                .containsExactly(new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.EMPTY, JsonObject.EMPTY));
        assertThat(dataChange(change).columnTypes()).isEmpty();
    }

    @Test
    void a_record_that_names_no_children_is_none_and_one_that_may_name_some_is_malformed() {
        String record = "{\"child_partitions_record\": {\"start_timestamp\": \"1970-01-01T00:00:00Z\"%s}%s}";
        String heartbeat = ", \"heartbeat_record\": {\"timestamp\": \"1970-01-01T00:00:00Z\"}";
        assertThat(ChangeRecordJson.read(record.formatted(", \"child_partitions\": []", "")))
                .isEmpty();
        assertThat(ChangeRecordJson.read(record.formatted(", \"child_partitions\": []", heartbeat)))
                .containsExactly(new HeartbeatRecord(Instant.EPOCH));
        assertThatThrownBy(() -> ChangeRecordJson.read(record.formatted("", heartbeat)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("child_partitions");
        assertThatThrownBy(() -> ChangeRecordJson.read(record.formatted(", \"child_partitions\": [null]", heartbeat)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a child partition is null");
    }

    @Test
    void a_row_of_two_records_gives_both() {
        String heartbeat = ", \"heartbeat_record\": {\"timestamp\": \"1970-01-01T00:00:00Z\"}}";
        String row = child("{\"token\": \"a\"}");
        assertThat(ChangeRecordJson.read(row.substring(0, row.length() - 1) + heartbeat))
                .containsExactly(
                        new HeartbeatRecord(Instant.EPOCH),
                        new ChildPartitionsRecord(Instant.EPOCH, "1", List.of(new ChildPartition("a", List.of()))));
    }

    @Test
    void values_keep_the_text_that_the_server_gave_them() {
        String keys = "{\"K\": 1e22}";
        String values = "{\"A\": -0.0, \"B\": 1e22, \"C\": 0.0000001, \"D\": {\"E\": [1E5, \"\\u0041\"]}}";
        String type = "{\"code\": \"FLOAT64\", \"x\": 1e2}";
        DataChangeRecord change = dataChange("""
                {"data_change_record": {"commit_timestamp":"2022-09-27T12:30:00.123456Z","record_sequence":"0",
                 "server_transaction_id":"t","table_name":"T",
                 "column_types":[{"name":"A","type":%s,"is_primary_key":false,"ordinal_position":1}],
                 "mods":[{"keys":%s,"new_values":%s,"old_values":{}}],"mod_type":"UPDATE"}}""".formatted(type, keys, values));

        Mod mod = change.mods().getFirst();
        assertThat(mod.keys()).hasToString(keys);
        assertThat(mod.newValues()).hasToString(values);
        assertThat(mod.newValues().members()).extractingByKey("A").hasToString("-0.0");
        assertThat(mod.newValues().object("D").orElseThrow()).hasToString("{\"E\": [1E5, \"\\u0041\"]}");
        assertThat(JsonObject.of(mod.newValues().members()))
                .hasToString("{\"A\":-0.0,\"B\":1e22,\"C\":0.0000001,\"D\":{\"E\":[1E5,\"A\"]}}");
        assertThat(change.columnTypes().getFirst().type().json()).hasToString(type);
        assertThat(change.toJson()).contains(keys, values, type);
        assertThat(ChangeRecordJson.readDataChange(change.toJson()))
                .isEqualTo(change)
                .hasToString(change.toString());
    }

    @Test
    void types_that_this_version_does_not_know_are_kept() {
        DataChangeRecord change = dataChange(DocumentedRecords.TRANSFER_FROM
                .replace("\"UPDATE\"", "\"TRUNCATE\"")
                .replace("\"OLD_AND_NEW_VALUES\"", "\"EVERYTHING\"")
                .replace("{\"code\": \"INT\"}", "{\"code\":\"TENSOR\",\"shape\":[2,3]}"));
        assertThat(change.modType()).isEqualTo(ModType.UNKNOWN);
        assertThat(change.modTypeName()).isEqualTo("TRUNCATE");
        assertThat(change.valueCaptureType()).isEqualTo(ValueCaptureType.UNKNOWN);
        assertThat(change.valueCaptureTypeName()).isEqualTo("EVERYTHING");
        SpannerType type = change.columnTypes().get(2).type();
        assertThat(type.code()).isEqualTo(TypeCode.UNKNOWN);
        assertThat(type.codeName()).isEqualTo("TENSOR");
        assertThat(change.toJson()).contains("\"TRUNCATE\"", "\"EVERYTHING\"", "{\"code\":\"TENSOR\",\"shape\":[2,3]}");
        assertThat(ChangeRecordJson.readDataChange(change.toJson())).isEqualTo(change);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "",
                "{\"partition_start_record\": {}}",
                "{\"data_change_record\": null}",
                "{\"data_change_record\": []}",
                "{\"heartbeat_record\": {}}",
                "{\"heartbeat_record\": {\"timestamp\": null}}",
                "{\"heartbeat_record\": {\"timestamp\": \"yesterday\"}}",
                "{\"heartbeat_record\": {\"timestamp\": \"2022-09-27T12:30:00\"}}",
                "{\"data_change_record\": {\"commit_timestamp\": \"2022-09-27T12:30:00Z\"}}",
                "{\"child_partitions_record\": {\"start_timestamp\": \"2022-09-27T12:30:00Z\"}}",
            })
    void a_row_without_a_record_is_malformed(String row) {
        assertThatThrownBy(() -> ChangeRecordJson.read(row)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"token\": \"\"}",
                "{\"token\": null}",
                "{\"token\": {}}",
                "{\"token\": \"a\", \"parent_partition_tokens\": [7]}",
                "{\"token\": \"a\", \"parent_partition_tokens\": \"b\"}",
                "7"
            })
    void a_child_without_a_proper_token_or_parents_is_malformed(String child) {
        assertThatThrownBy(() -> ChangeRecordJson.read(child(child))).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "1e99", "1e999999999", "\"x\"", "9223372036854775808", "true", "[]"})
    void a_count_that_is_no_int64_is_malformed(String count) {
        String row = DocumentedRecords.TRANSFER_FROM.replace(
                "\"number_of_records_in_transaction\": 2", "\"number_of_records_in_transaction\": " + count);
        assertThatThrownBy(() -> ChangeRecordJson.read(row)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Mod onlyMod(String row, ValueCaptureType captured) {
        DataChangeRecord change = dataChange(row);
        assertThat(change.valueCaptureType()).isEqualTo(captured);
        assertThat(change.mods()).hasSize(1);
        return change.mods().getFirst();
    }

    private static DataChangeRecord dataChange(String row) {
        return (DataChangeRecord) ChangeRecordJson.read(row).getFirst();
    }

    private static String child(String child) {
        return """
                {"child_partitions_record": {"start_timestamp": "1970-01-01T00:00:00Z", "record_sequence": "1",
                 "child_partitions": [%s]}}""".formatted(child);
    }
}

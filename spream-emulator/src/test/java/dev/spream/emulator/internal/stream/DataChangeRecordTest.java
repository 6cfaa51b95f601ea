package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.deleteOrder;
import static dev.spream.emulator.internal.stream.StreamRig.insertItem;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.renameOrder;
import static dev.spream.emulator.internal.stream.StreamRig.repriceOrder;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.schema.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class DataChangeRecordTest {

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "OLD_AND_NEW_VALUES | INSERT | {\"Customer\":\"c1\",\"Total\":1.5} | {} | Id,Customer,Total",
                "OLD_AND_NEW_VALUES | UPDATE | {\"Customer\":\"new\"} | {\"Customer\":\"old\"} | Id,Customer",
                "OLD_AND_NEW_VALUES | DELETE | {} | {\"Customer\":\"old\",\"Total\":1.5} | Id,Customer,Total",
                "NEW_VALUES | INSERT | {\"Customer\":\"c1\",\"Total\":1.5} | {} | Id,Customer,Total",
                "NEW_VALUES | UPDATE | {\"Customer\":\"new\"} | {} | Id,Customer",
                "NEW_VALUES | DELETE | {} | {} | Id,Customer,Total",
                "NEW_ROW | INSERT | {\"Customer\":\"c1\",\"Total\":1.5} | {} | Id,Customer,Total",
                "NEW_ROW | UPDATE | {\"Customer\":\"new\",\"Total\":1.5} | {} | Id,Customer,Total",
                "NEW_ROW | DELETE | {} | {} | Id,Customer,Total",
                "NEW_ROW_AND_OLD_VALUES | INSERT | {\"Customer\":\"c1\",\"Total\":1.5} | {} | Id,Customer,Total",
                "NEW_ROW_AND_OLD_VALUES | UPDATE | {\"Customer\":\"new\",\"Total\":1.5} | {\"Customer\":\"old\"}"
                        + " | Id,Customer,Total",
                "NEW_ROW_AND_OLD_VALUES | DELETE | {} | {\"Customer\":\"old\",\"Total\":1.5} | Id,Customer,Total",
            })
    void each_capture_type_has_the_values_it_promises(
            String capture, Kind kind, String newValues, String oldValues, String columns) {
        RowChange change =
                switch (kind) {
                    case INSERT -> insertOrder(1);
                    case UPDATE -> renameOrder(1);
                    case DELETE -> deleteOrder(1);
                };
        try (StreamRig rig = watching("FOR ALL OPTIONS (value_capture_type = '" + capture + "')")) {
            rig.commit(change);

            ReadRow.Data record = readAll(rig).getFirst();
            assertThat(record.mods()).containsExactly(new ReadRow.Mod("{\"Id\":\"1\"}", newValues, oldValues));
            assertThat(record.columnNames()).containsExactly(columns.split(","));
            assertThat(record.kind()).isEqualTo(kind.name());
            assertThat(record.capture()).isEqualTo(capture);
        }
    }

    @Test
    void an_update_of_unwatched_columns_leaves_no_record() {
        try (StreamRig rig = watching("FOR Orders(Customer) OPTIONS (value_capture_type = 'NEW_ROW')")) {
            rig.commit(repriceOrder(1));
            rig.commit(renameOrder(1));
            assertThat(readAll(rig))
                    .hasSize(1)
                    .allSatisfy(record -> assertThat(record.columnNames()).containsExactly("Id", "Customer"));
        }
    }

    @Test
    void a_watch_of_keys_only_records_inserts_and_deletes_without_values() {
        try (StreamRig rig = watching("FOR Orders()")) {
            rig.commit(insertOrder(1));
            rig.commit(renameOrder(1));
            rig.commit(deleteOrder(1));
            assertThat(readAll(rig)).extracting(ReadRow.Data::kind).containsExactly("INSERT", "DELETE");
            assertThat(readAll(rig).getFirst().mods()).containsExactly(new ReadRow.Mod("{\"Id\":\"1\"}", "{}", "{}"));
        }
    }

    @Test
    void tables_that_are_not_listed_and_excluded_kinds_leave_no_record() {
        try (StreamRig rig = watching("FOR Orders OPTIONS (exclude_insert = true, exclude_delete = true)")) {
            rig.commit(insertItem(1), insertOrder(1));
            rig.commit(renameOrder(1));
            rig.commit(deleteOrder(1));
            assertThat(readAll(rig)).extracting(ReadRow.Data::kind).containsExactly("UPDATE");
        }
    }

    @Test
    void a_transaction_can_exclude_itself_only_where_the_stream_allows_it() {
        try (StreamRig rig = watching("FOR ALL")) {
            rig.commit("", true, insertOrder(1));
            rig.ddl("ALTER CHANGE STREAM S SET OPTIONS (allow_txn_exclusion = true)");
            rig.commit("", true, insertOrder(2));
            assertThat(readAll(rig))
                    .singleElement()
                    .satisfies(record -> assertThat(record.keys()).containsExactly("{\"Id\":\"1\"}"));
        }
    }

    @Test
    void changes_of_one_table_kind_and_column_set_share_a_record_and_others_do_not() {
        try (StreamRig rig = watching("FOR ALL")) {
            rig.commit(
                    "app=shop", false, insertOrder(1), insertOrder(2), renameOrder(3), repriceOrder(4), insertItem(5));

            List<ReadRow.Data> records = readAll(rig);

            assertThat(records).extracting(record -> record.mods().size()).containsExactly(2, 1, 1, 1);
            assertThat(records)
                    .extracting(ReadRow.Data::sequence)
                    .containsExactly("00000000", "00000001", "00000002", "00000003");
            assertThat(records).extracting(ReadRow.Data::last).containsExactly(false, false, false, true);
            assertThat(records)
                    .allMatch(record -> record.records() == 4
                            && record.partitions() == 1
                            && record.tag().equals("app=shop"));
            assertThat(records)
                    .extracting(ReadRow.Data::transaction)
                    .containsOnly(records.getFirst().transaction());
        }
    }

    @Test
    void a_transaction_over_several_partitions_counts_records_and_partitions_over_all_of_them() {
        try (StreamRig rig = new StreamRig(
                DrivenClock.startingAt(T0), 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 4, PartitionChurn.none())) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            List<String> tokens =
                    rig.partitions().live().stream().map(p -> p.token()).toList();
            RowChange[] changes = new RowChange[40];
            for (int i = 0; i < changes.length; i++) {
                changes[i] = i % 3 == 0 ? insertOrder(i) : renameOrder(i);
            }
            rig.commit(changes);
            tokens.forEach(rig.partitions()::move);

            List<List<ReadRow.Data>> parts =
                    tokens.stream().map(token -> data(rig.read(token, T0))).toList();
            List<ReadRow.Data> all = parts.stream().flatMap(List::stream).toList();

            assertThat(parts).noneMatch(List::isEmpty);
            assertThat(all).allMatch(record -> record.records() == all.size() && record.partitions() == 4);
            assertThat(all).extracting(ReadRow.Data::sequence).doesNotHaveDuplicates();
            assertThat(all.stream().mapToInt(record -> record.mods().size()).sum())
                    .isEqualTo(40);
            assertThat(parts).allSatisfy(part -> {
                assertThat(part).extracting(ReadRow.Data::sequence).isSorted();
                assertThat(part.stream().filter(ReadRow.Data::last)).containsExactly(part.getLast());
            });
        }
    }

    @Test
    void transactions_at_one_timestamp_are_told_apart_and_read_in_the_order_of_their_ids() {
        try (StreamRig rig = watching("FOR ALL")) {
            Instant at = T0.plusSeconds(1);
            rig.commitAt(at, insertOrder(1));
            rig.commitAt(at, insertOrder(2));
            List<ReadRow.Data> records = readAll(rig);
            assertThat(records).extracting(ReadRow.Data::commit).containsExactly(at, at);
            assertThat(records).extracting(ReadRow.Data::transaction).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void an_altered_stream_records_by_its_new_declaration_from_the_next_commit_on() {
        try (StreamRig rig = watching("FOR Orders")) {
            rig.commit(insertOrder(1), insertItem(1));
            rig.ddl("ALTER CHANGE STREAM S SET FOR Items");
            rig.commit(insertOrder(2), insertItem(2));
            rig.ddl("ALTER CHANGE STREAM S DROP FOR ALL");
            rig.commit(insertOrder(3), insertItem(3));
            assertThat(readAll(rig)).extracting(ReadRow.Data::table).containsExactly("Orders", "Items");
        }
    }

    @Test
    void column_types_have_positions_keys_and_nested_types() {
        Type numerics = Type.newBuilder()
                .setCode(TypeCode.ARRAY)
                .setArrayElementType(
                        Type.newBuilder().setCode(TypeCode.NUMERIC).setTypeAnnotation(TypeAnnotationCode.PG_NUMERIC))
                .build();
        Table table = new Table(
                "T",
                List.of(
                        new Column("N", numerics, 1, false, false),
                        StreamRig.column("B", TypeCode.STRING, 2),
                        StreamRig.column("A", TypeCode.INT64, 3)),
                List.of("A", "B"));
        Value list = Value.newBuilder()
                .setListValue(ListValue.newBuilder()
                        .addValues(StreamRig.string("1.5"))
                        .addValues(Value.getDefaultInstance()))
                .build();
        Map<String, Value> row = Map.of("A", StreamRig.string("1"), "B", StreamRig.string("q\"\n"), "N", list);
        try (StreamRig rig = watching("FOR ALL")) {
            rig.commit(new RowChange(table, Kind.INSERT, Map.of(), row, row.keySet()));

            ReadRow.Data record = readAll(rig).getFirst();

            assertThat(record.columns())
                    .containsExactly(
                            new ReadRow.Column(
                                    "N",
                                    "{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"NUMERIC\","
                                            + "\"type_annotation\":\"PG_NUMERIC\"}}",
                                    false,
                                    1),
                            new ReadRow.Column("B", "{\"code\":\"STRING\"}", true, 2),
                            new ReadRow.Column("A", "{\"code\":\"INT64\"}", true, 3));
            assertThat(record.mods())
                    .containsExactly(
                            new ReadRow.Mod("{\"A\":\"1\",\"B\":\"q\\\"\\n\"}", "{\"N\":[\"1.5\",null]}", "{}"));
        }
    }

    @Test
    void postgresql_rows_are_json_objects_with_one_key_in_a_column_named_after_the_function() {
        try (StreamRig rig =
                new StreamRig(DrivenClock.startingAt(T0), 3, DatabaseDialect.POSTGRESQL, 1, PartitionChurn.none())) {
            rig.ddl("CREATE CHANGE STREAM \"S\" FOR ALL");
            String token = rig.onlyToken();
            Instant commit = rig.commit("tag", false, renameOrder(7));
            rig.partitions().move(token);

            RowCollector query = rig.ask(StreamRig.by("read_json_S", query(token, T0, null)));

            assertThat(query.messages().getFirst().getMetadata().getRowType().getFieldsList())
                    .singleElement()
                    .satisfies(field -> {
                        assertThat(field.getName()).isEqualTo("read_json_S");
                        assertThat(field.getType().getCode()).isEqualTo(TypeCode.JSON);
                        assertThat(field.getType().getTypeAnnotation()).isEqualTo(TypeAnnotationCode.PG_JSONB);
                    });
            List<JsonObject> rows = query.values().stream()
                    .map(value -> JsonParser.parseString(value.getStringValue()).getAsJsonObject())
                    .toList();
            assertThat(rows).extracting(JsonObject::keySet).allMatch(keys -> keys.size() == 1);
            JsonObject record = rows.getFirst().getAsJsonObject("data_change_record");
            String id = record.get("server_transaction_id").getAsString();
            assertThat(record)
                    .isEqualTo(JsonParser.parseString("{\"commit_timestamp\":\"" + commit + "\","
                            + "\"record_sequence\":\"00000000\",\"server_transaction_id\":\"" + id + "\","
                            + "\"is_last_record_in_transaction_in_partition\":true,\"table_name\":\"Orders\","
                            + "\"column_types\":[{\"name\":\"Id\",\"type\":{\"code\":\"INT64\"},\"is_primary_key\":true,"
                            + "\"ordinal_position\":1},{\"name\":\"Customer\",\"type\":{\"code\":\"STRING\"},"
                            + "\"is_primary_key\":false,\"ordinal_position\":2}],"
                            + "\"mods\":[{\"keys\":{\"Id\":\"7\"},\"new_values\":{\"Customer\":\"new\"},"
                            + "\"old_values\":{\"Customer\":\"old\"}}],"
                            + "\"mod_type\":\"UPDATE\",\"value_capture_type\":\"OLD_AND_NEW_VALUES\","
                            + "\"number_of_records_in_transaction\":1,\"number_of_partitions_in_transaction\":1,"
                            + "\"transaction_tag\":\"tag\",\"is_system_transaction\":false}"));
            JsonObject children = rows.getLast().getAsJsonObject("child_partitions_record");
            assertThat(children.getAsJsonArray("child_partitions").get(0).toString())
                    .isEqualTo(
                            "{\"token\":\"" + rig.onlyToken() + "\",\"parent_partition_tokens\":[\"" + token + "\"]}");
        }
    }

    private static StreamRig watching(String clause) {
        StreamRig rig = new StreamRig(
                DrivenClock.startingAt(T0), 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());
        rig.ddl("CREATE CHANGE STREAM S " + clause);
        return rig;
    }

    private static List<ReadRow.Data> readAll(StreamRig rig) {
        String first = rig.partitions().all().getFirst().token();
        if (rig.partitions().all().size() == 1) {
            rig.partitions().move(first);
        }
        return data(rig.read(first, T0));
    }
}

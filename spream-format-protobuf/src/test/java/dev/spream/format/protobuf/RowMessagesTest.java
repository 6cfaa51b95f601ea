package dev.spream.format.protobuf;

import static dev.spream.format.protobuf.Changes.ID;
import static dev.spream.format.protobuf.Changes.STATUS;
import static dev.spream.format.protobuf.Changes.TOTAL;
import static dev.spream.format.protobuf.Changes.array;
import static dev.spream.format.protobuf.Changes.change;
import static dev.spream.format.protobuf.Changes.column;
import static dev.spream.format.protobuf.Changes.mod;
import static dev.spream.format.protobuf.Changes.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.TypeCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of rows, as Google's compiler and parser see them. */
final class RowMessagesTest {
    private static final ColumnType NOTE = column("Note", TypeCode.STRING, false, 3);
    private static final DataChangeRecord BEFORE =
            row("Orders", List.of(ID, NOTE, column("Status", TypeCode.STRING, false, 4)), "{\"Status\":\"NEW\"}");
    private static final DataChangeRecord WITHOUT = row("Orders", List.of(ID, STATUS), "{\"Status\":\"NEW\"}");

    @Test
    void a_row_has_its_columns_by_their_types() throws Exception {
        DynamicMessage row = Rows.read(Changes.inserted());
        assertThat(row.getDescriptorForType().getFullName()).isEqualTo("Orders");
        assertThat(row.getDescriptorForType().getFields())
                .extracting(FieldDescriptor::getName)
                .containsExactly("row_deleted", "Id", "Status", "Total");
        assertThat(Rows.get(row, "Id")).isEqualTo(17L);
        assertThat(Rows.get(row, "Total")).isEqualTo("12.50");
        assertThat(Rows.get(row, "__deleted")).isEqualTo(false);
    }

    @Test
    void null_differs_from_the_default_of_a_type() throws Exception {
        DataChangeRecord change = row(
                "Orders",
                List.of(ID, STATUS, column("Count", TypeCode.INT64, false, 3), column("Paid", TypeCode.BOOL, false, 4)),
                "{\"Status\":\"\",\"Count\":\"0\",\"Paid\":null}");
        DynamicMessage row = Rows.read(change);
        assertThat(Rows.has(row, "Status")).isTrue();
        assertThat(Rows.has(row, "Count")).isTrue();
        assertThat(Rows.has(row, "Paid")).isFalse();
    }

    @Test
    void a_null_array_an_empty_one_and_null_elements_are_different() throws Exception {
        DataChangeRecord change = row(
                "Orders",
                List.of(ID, array("None", "INT64", 2), array("Empty", "INT64", 3), array("Some", "INT64", 4)),
                "{\"None\":null,\"Empty\":[],\"Some\":[\"0\",null,\"7\"]}");
        DynamicMessage row = Rows.read(change);
        assertThat(Rows.has(row, "None")).isFalse();
        assertThat(Rows.has(row, "Empty")).isTrue();
        assertThat(Rows.elements(row, "Empty")).isEmpty();
        assertThat(Rows.elements(row, "Some"))
                .map(element -> {
                    FieldDescriptor value = Rows.field(((Message) element).getDescriptorForType(), "value");
                    return ((Message) element).hasField(value) ? ((Message) element).getField(value) : "null";
                })
                .containsExactly(0L, "null", 7L);
    }

    @Test
    void a_deleted_row_is_its_key_with_a_mark() throws Exception {
        DynamicMessage row = Rows.read(Changes.deleted());
        assertThat(Rows.get(row, "Id")).isEqualTo(17L);
        assertThat(Rows.get(row, "__deleted")).isEqualTo(true);
    }

    @ParameterizedTest
    @CsvSource({"int64,Id,39131021", "string,Status,341528195", "Int64Array,Tags,77135739", "string,größe,333187416"})
    void a_field_number_is_the_same_in_every_version(String type, String column, int number) {
        assertThat(FieldNumber.of(type, column)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource({"0,1000", "1,1001", "15,1015", "16,16", "18999,18999", "19000,20000", "19999,20999", "20000,20000"})
    void a_reserved_field_number_is_avoided(int hash, int number) {
        assertThat(FieldNumber.valid(hash)).isEqualTo(number);
    }

    @Test
    void a_column_keeps_its_number_when_others_come_and_go() throws Exception {
        int number = Rows.number(BEFORE, "Status");
        assertThat(Rows.number(WITHOUT, "Status"))
                .as("at another position, since Note was dropped")
                .isEqualTo(number);
        assertThat(Rows.number(Changes.inserted(), "Status")).isEqualTo(number);
    }

    @Test
    void a_reader_of_another_version_reads_the_columns_that_it_knows() throws Exception {
        byte[] noted = Rows.written(row("Orders", BEFORE.columnTypes(), "{\"Status\":\"NEW\",\"Note\":\"a\"}"))
                .bytes();
        DynamicMessage older = DynamicMessage.parseFrom(Rows.definition(WITHOUT), noted);
        assertThat(Rows.get(older, "Status")).isEqualTo("NEW");
        assertThat(older.getUnknownFields().asMap()).hasSize(1);
        DynamicMessage newer = DynamicMessage.parseFrom(
                Rows.definition(BEFORE), Rows.written(WITHOUT).bytes());
        assertThat(Rows.has(newer, "Note")).isFalse();
    }

    @Test
    void a_column_that_is_added_again_has_its_number() throws Exception {
        DataChangeRecord again = row("Orders", List.of(ID, STATUS, column("Note", TypeCode.STRING, false, 9)), "{}");
        assertThat(Rows.number(again, "Note")).isEqualTo(Rows.number(BEFORE, "Note"));
    }

    @Test
    void a_reader_of_a_columns_old_type_does_not_misread_the_new_one() throws Exception {
        DataChangeRecord number =
                row("Orders", List.of(ID, column("Paid", TypeCode.INT64, false, 2)), "{\"Paid\":\"5\"}");
        DataChangeRecord flag = row("Orders", List.of(ID, column("Paid", TypeCode.BOOL, false, 2)), "{\"Paid\":true}");
        DynamicMessage stale = DynamicMessage.parseFrom(
                Rows.definition(flag), Rows.written(number).bytes());
        assertThat(Rows.has(stale, "Paid")).isFalse();
    }

    @Test
    void columns_of_one_number_are_refused_with_their_names() {
        Map<Integer, String> known = new HashMap<>();
        @Nullable String first = null;
        String second = "";
        for (int i = 0; first == null; i++) {
            second = "Column" + i;
            first = known.put(FieldNumber.of("string", second), second);
        }
        DataChangeRecord change = row(
                "Orders",
                List.of(ID, column(first, TypeCode.STRING, false, 2), column(second, TypeCode.STRING, false, 3)),
                "{}");
        assertThatThrownBy(() -> Rows.written(change))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("the columns %s and %s of the table Orders".formatted(first, second))
                .hasMessageContaining("format.protobuf.shape=record");
    }

    @Test
    void names_that_protobuf_does_not_allow_are_written_otherwise() throws Exception {
        List<String> names = List.of(
                "Deleted",
                "rowDeleted",
                "user_id",
                "userId",
                "USERID2",
                "Int64Array",
                "google",
                "message",
                "größe",
                "1st",
                "a-b",
                "q\"q");
        List<ColumnType> columns = new ArrayList<>(List.of(ID));
        Map<String, String> values = new HashMap<>();
        for (String name : names) {
            columns.add(column(name, TypeCode.STRING, false, columns.size() + 1L));
            values.put(name, "value of " + name);
        }
        columns.add(column("At", TypeCode.TIMESTAMP, false, columns.size() + 1L));
        DynamicMessage row = Rows.read(row("Orders", columns, Json.text(values)));
        assertThat(names).allSatisfy(name -> assertThat(Rows.get(row, name)).isEqualTo("value of " + name));
        assertThat(Rows.field(row.getDescriptorForType(), "userId").getName()).isEqualTo("userId_2");
        assertThat(Rows.field(row.getDescriptorForType(), "größe").getName()).isEqualTo("gr_x00f6_x00dfe");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"google", "protobuf", "google.protobuf", "sales.google", "google.Orders", "message", "a b.c-d"})
    void a_table_may_have_any_name(String table) throws Exception {
        DynamicMessage row = Rows.read(row(
                table, List.of(ID, column("At", TypeCode.TIMESTAMP, false, 2)), "{\"At\":\"2026-01-31T12:00:00Z\"}"));
        assertThat(Rows.has(row, "At")).isTrue();
    }

    @Test
    void a_key_depends_on_the_row_alone() throws Exception {
        byte[] key = key(Changes.inserted());
        assertThat(key(WITHOUT)).isEqualTo(key);
        assertThat(key(Changes.deleted())).isEqualTo(key);
        assertThat(key(change("INSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":\"18\"}", "{}"))))
                .isNotEqualTo(key);
        assertThat(key(change("INSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":null}", "{}"))))
                .isEmpty();
    }

    @Test
    void a_key_of_several_columns_does_not_depend_on_their_positions() {
        List<ColumnType> columns = List.of(column("A", TypeCode.INT64, true, 1), column("B", TypeCode.INT64, true, 2));
        List<ColumnType> moved = List.of(column("A", TypeCode.INT64, true, 2), column("B", TypeCode.INT64, true, 1));
        assertThat(key(change("INSERT", "NEW_ROW", moved, mod("{\"B\":\"2\",\"A\":\"1\"}", "{}"))))
                .isEqualTo(key(change("INSERT", "NEW_ROW", columns, mod("{\"A\":\"1\",\"B\":\"2\"}", "{}"))));
    }

    private static byte[] key(DataChangeRecord change) {
        return Config.of("shape", "after").format().messages().orElseThrow().key(change, Optional.empty());
    }

    @Test
    void a_key_whose_types_are_missing_is_refused_since_it_would_be_that_of_all_rows() {
        DataChangeRecord typeless = change("INSERT", "NEW_ROW", List.of(STATUS), mod("{\"Id\":\"17\"}", "{}"));
        assertThatThrownBy(() -> key(typeless))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("primary key");
    }

    @Test
    void a_row_that_is_captured_in_part_is_refused() {
        DataChangeRecord part =
                change("UPDATE", "NEW_VALUES", List.of(ID, STATUS), mod("{\"Id\":\"1\"}", "{\"Status\":\"a\"}"));
        assertThatThrownBy(() -> Rows.written(part))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("NEW_ROW")
                .hasMessageContaining("format.protobuf.shape=record");
    }

    @Test
    void a_value_that_is_none_of_its_type_is_refused_without_being_told() {
        DataChangeRecord wrong =
                row("Orders", List.of(ID, column("At", TypeCode.DATE, false, 2)), "{\"At\":\"secret\"}");
        assertThatThrownBy(() -> Rows.written(wrong))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("column At of the table Orders")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    @Test
    void the_page_of_the_formats_shows_the_file_of_a_row() throws Exception {
        DataChangeRecord change =
                row("Orders", List.of(ID, STATUS, TOTAL, column("Paid", TypeCode.BOOL, false, 4)), "{}");
        assertThat(Files.readString(Path.of("../docs/formats.md")))
                .contains("```proto\n" + Rows.written(change).schema().text() + "```\n");
    }
}

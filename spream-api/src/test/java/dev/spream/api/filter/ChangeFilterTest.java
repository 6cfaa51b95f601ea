package dev.spream.api.filter;

import static dev.spream.api.filter.FilterChanges.changed;
import static dev.spream.api.filter.FilterChanges.columnNames;
import static dev.spream.api.filter.FilterChanges.delete;
import static dev.spream.api.filter.FilterChanges.insert;
import static dev.spream.api.filter.FilterChanges.mod;
import static dev.spream.api.filter.FilterChanges.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.ModType;
import org.junit.jupiter.api.Test;

final class ChangeFilterTest {
    private static final String ROW = "{\"Status\":\"open\",\"Total\":\"12\",\"Note\":null}";

    @Test
    void without_a_choice_everything_passes_as_it_is() {
        ChangeFilter filter = ChangeFilter.builder().build();
        DataChangeRecord change = insert("Orders", ROW);
        assertThat(filter.apply(change)).containsSame(change);
        assertThat(filter.isPassingAll()).isTrue();
    }

    @Test
    void tables_pass_by_their_name_or_by_a_pattern() {
        ChangeFilter filter = ChangeFilter.builder()
                .tables("Orders", "Stock*", "*Log", "sales.*")
                .build();
        assertThat(filter.apply(insert("Orders", ROW))).isPresent();
        assertThat(filter.apply(insert("Stock", ROW))).isPresent();
        assertThat(filter.apply(insert("StockItems", ROW))).isPresent();
        assertThat(filter.apply(insert("AuditLog", ROW))).isPresent();
        assertThat(filter.apply(insert("sales.Orders", ROW))).isPresent();
        assertThat(filter.apply(insert("OrdersArchive", ROW))).isEmpty();
        assertThat(filter.apply(insert("orders", ROW))).isEmpty();
        assertThat(filter.apply(insert("MyStock", ROW))).isEmpty();
        assertThat(filter.apply(insert("salesXOrders", ROW))).isEmpty();
    }

    @Test
    void of_a_table_with_chosen_columns_the_key_and_these_are_left() {
        ChangeFilter filter =
                ChangeFilter.builder().columns("Orders.Status", "Orders.Note").build();
        DataChangeRecord change = update("Orders", mod("1", ROW, "{\"Total\":\"11\",\"Note\":\"x\"}"));
        DataChangeRecord seen = filter.apply(change).orElseThrow();
        assertThat(columnNames(seen)).containsExactly("Id", "Status", "Note");
        assertThat(seen.mods().getFirst().keys()).isEqualTo(JsonObject.of("{\"Id\":\"1\"}"));
        assertThat(seen.mods().getFirst().newValues()).isEqualTo(JsonObject.of("{\"Status\":\"open\",\"Note\":null}"));
        assertThat(seen.mods().getFirst().oldValues()).isEqualTo(JsonObject.of("{\"Note\":\"x\"}"));
    }

    @Test
    void a_filtered_change_keeps_its_other_fields() {
        DataChangeRecord change = update("Orders", mod("1", ROW, "{}"), mod("2", "{\"Total\":\"1\"}", "{}"));
        DataChangeRecord seen = ChangeFilter.builder()
                .columns("Orders.Status")
                .build()
                .apply(change)
                .orElseThrow();
        assertThat(seen)
                .usingRecursiveComparison()
                .ignoringFields("columnTypes", "mods")
                .isEqualTo(change);
        assertThat(seen.identity()).isEqualTo(change.identity());
    }

    @Test
    void tables_without_a_chosen_column_are_told_of_in_full() {
        DataChangeRecord change = insert("Stock", ROW);
        assertThat(ChangeFilter.builder().columns("Orders.Status").build().apply(change))
                .containsSame(change);
    }

    @Test
    void an_updated_row_without_a_new_value_in_a_chosen_column_is_left_out() {
        ChangeFilter filter = ChangeFilter.builder().columns("Orders.Status").build();
        DataChangeRecord change = update(
                "Orders",
                mod("1", "{\"Total\":\"1\"}", "{\"Total\":\"0\"}"),
                mod("2", "{\"Status\":null}", "{\"Status\":\"open\"}"));
        assertThat(filter.apply(change).orElseThrow().mods())
                .extracting(mod -> mod.keys().string("Id").orElseThrow())
                .containsExactly("2");
        assertThat(filter.apply(update("Orders", mod("1", "{\"Total\":\"1\"}", "{}"))))
                .isEmpty();
    }

    @Test
    void inserted_and_deleted_rows_stay_if_only_with_their_keys() {
        ChangeFilter filter = ChangeFilter.builder().columns("Orders.Status").build();
        assertThat(filter.apply(insert("Orders", "{\"Total\":\"1\"}"))
                        .orElseThrow()
                        .mods())
                .containsExactly(mod("1", "{}", "{}"));
        assertThat(filter.apply(delete("Orders", "{\"Total\":\"1\"}"))
                        .orElseThrow()
                        .mods())
                .containsExactly(mod("1", "{}", "{}"));
        assertThat(filter.apply(changed(0, "Orders", "TRUNCATE", mod("1", "{}", "{}"))))
                .as("an unknown kind of change is not judged")
                .isPresent();
    }

    @Test
    void a_chosen_key_column_lets_no_update_pass() {
        ChangeFilter filter = ChangeFilter.builder().columns("Orders.Id").build();
        assertThat(filter.apply(update("Orders", mod("1", ROW, "{}")))).isEmpty();
        assertThat(columnNames(filter.apply(insert("Orders", ROW)).orElseThrow()))
                .containsExactly("Id");
    }

    @Test
    void kinds_of_change_pass_if_chosen_or_unknown() {
        ChangeFilter filter =
                ChangeFilter.builder().modTypes(ModType.INSERT, ModType.DELETE).build();
        assertThat(filter.apply(insert("Orders", ROW))).isPresent();
        assertThat(filter.apply(delete("Orders", "{}"))).isPresent();
        assertThat(filter.apply(update("Orders", mod("1", ROW, "{}")))).isEmpty();
        assertThat(filter.apply(changed(0, "Orders", "TRUNCATE", mod("1", "{}", "{}"))))
                .isPresent();
    }

    @Test
    void malformed_names_are_all_refused_at_once() {
        assertThatThrownBy(() -> ChangeFilter.builder()
                        .tables("Orders", "my table", "")
                        .columns("Status", "Orders.*", "Orders.", "Stock.Id")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'my table' is not a table name")
                .hasMessageContaining("'' is not a table name")
                .hasMessageContaining("'Status' is not a column name")
                .hasMessageContaining("'Orders.*' is not a column name")
                .hasMessageContaining("'Orders.' is not a column name");
    }

    @Test
    void a_column_of_a_table_that_does_not_pass_is_refused() {
        assertThatThrownBy(() -> ChangeFilter.builder()
                        .tables("Order*")
                        .columns("Orders.Id", "Stock.Count")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "column Stock.Count belongs to a table that is filtered out: add the table, or remove the column");
    }

    @Test
    void a_column_in_a_named_schema_is_found_by_the_last_dot() {
        ChangeFilter filter =
                ChangeFilter.builder().columns("sales.Orders.Status").build();
        assertThat(columnNames(filter.apply(insert("sales.Orders", ROW)).orElseThrow()))
                .containsExactly("Id", "Status");
    }
}

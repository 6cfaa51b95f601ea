package dev.spream.api.format;

import static dev.spream.api.format.Rows.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AfterFormatTest {
    private final ChangeFormat format = ChangeFormat.after(false);

    @Test
    void a_row_has_its_columns_in_the_order_of_the_table_and_values_of_their_types() {
        assertThat(text(format.value(Rows.inserted())))
                .isEqualTo("{\"Id\":9007199254740993,\"Line\":\"a\\n\\\"b\\\"\",\"Status\":\"NEW\",\"Total\":\"12.50\","
                        + "\"Weight\":\"NaN\",\"Ratio\":1.1,\"Paid\":true,\"Note\":\"AQL/\","
                        + "\"Placed\":\"2026-01-31T12:00:00Z\",\"Due\":\"2026-02-01\",\"Doc\":\"{\\\"a\\\":[1,2.50]}\","
                        + "\"Ref\":\"7f1c2a7e-0000-4000-8000-000000000001\",\"Kind\":2,\"Tags\":[\"x\",null],"
                        + "\"Counts\":[1,-9007199254740993]}");
    }

    @Test
    void the_key_has_values_of_the_same_types() {
        assertThat(text(format.key(Rows.inserted()))).isEqualTo("{\"Id\":9007199254740993,\"Line\":\"a\\n\\\"b\\\"\"}");
    }

    @Test
    void an_integer_that_is_none_stays_what_was_sent() {
        for (String sent :
                List.of("\"\"", "\"-\"", "\"1.5\"", "\"0x1\"", "\"01\"", "\"٣\"", "\"1234567890123456789012\"")) {
            ChangedRow row = Rows.row(
                    "INSERT",
                    "NEW_ROW",
                    new Mod(JsonObject.of("{\"Id\":" + sent + ",\"Line\":null}"), JsonObject.EMPTY, JsonObject.EMPTY));
            assertThat(text(format.key(row))).isEqualTo("{\"Id\":" + sent + ",\"Line\":null}");
        }
    }

    @Test
    void a_deleted_row_is_its_key_with_a_mark_and_a_tombstone_where_there_can_be_one() {
        assertThat(text(format.value(Rows.deleted())))
                .isEqualTo("{\"Id\":9007199254740993,\"Line\":\"a\\n\\\"b\\\"\",\"__deleted\":true}");
        assertThat(format.deletion()).isEqualTo(ChangeFormat.Deletion.TOMBSTONE);
    }

    @Test
    void an_update_that_was_captured_in_part_is_refused_unless_that_is_wanted() {
        for (String type : List.of("OLD_AND_NEW_VALUES", "NEW_VALUES", "SOMETHING_NEW")) {
            assertThatThrownBy(() -> format.value(Rows.updated(type)))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("2026-01-31T12:00:00.123456789Z/tx1/00000007")
                    .hasMessageContaining(type)
                    .hasMessageContaining("value_capture_type = 'NEW_ROW'")
                    .hasMessageContaining("after-partial=true")
                    .hasMessageNotContaining("PAID");
            assertThat(text(ChangeFormat.after(true).value(Rows.updated(type))))
                    .isEqualTo("{\"Id\":9007199254740993,\"Line\":\"a\\n\\\"b\\\"\",\"Status\":\"PAID\"}");
        }
        for (String type : List.of("NEW_ROW", "NEW_ROW_AND_OLD_VALUES")) {
            assertThat(text(format.value(Rows.updated(type)))).contains("\"Status\":\"PAID\"");
        }
    }

    @Test
    void a_change_of_an_unknown_kind_is_refused() {
        assertThatThrownBy(() -> format.value(Rows.row("TRUNCATE", "NEW_ROW", "{}", "{}")))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("unknown kind TRUNCATE");
    }
}

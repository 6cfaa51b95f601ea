package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.SpannerType;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.AbstractDataType;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rows of changes: their kinds, their values, and changes that cannot be rows. */
final class RowDataDeserializationSchemaTest {
    private static final TableColumn ID = column("Id", DataTypes.STRING().notNull(), true);
    private static final TableColumn OWNER = column("Owner", DataTypes.STRING(), false);
    private static final TableColumn AMOUNT = column("Amount", DataTypes.BIGINT(), false);

    private static TableColumn column(String name, AbstractDataType<?> type, boolean isKey) {
        return new TableColumn(name, ((DataType) type).getLogicalType(), isKey);
    }

    private static DataChangeRecord change(String kind, String capture, String newValues, String oldValues) {
        return change(kind, capture, "'Owner','Amount'", newValues, oldValues);
    }

    private static DataChangeRecord change(
            String kind, String capture, String listed, String newValues, String oldValues) {
        StringBuilder types =
                new StringBuilder("{'name':'Id','type':{'code':'STRING'},'is_primary_key':true,'ordinal_position':1}");
        if (listed.contains("Owner")) {
            types.append(",{'name':'Owner','type':{'code':'STRING'},'ordinal_position':2}");
        }
        if (listed.contains("Amount")) {
            types.append(",{'name':'Amount','type':{'code':'INT64'},'ordinal_position':3}");
        }
        return ChangeRecordJson.readDataChange(
                """
                {'commit_timestamp':'2026-01-31T10:00:00.123456789Z','record_sequence':'1','server_transaction_id':'tx',
                'table_name':'Accounts','column_types':[%s],'mods':[{'keys':{'Id':'a'},'new_values':%s,'old_values':%s}],
                'mod_type':'%s','value_capture_type':'%s','transaction_tag':'tag'}""".formatted(types, newValues, oldValues, kind, capture).replace('\'', '"'));
    }

    private static List<RowData> rows(boolean oldRows, DataChangeRecord change, TableColumn... columns)
            throws IOException {
        return rows(
                new RowDataDeserializationSchema(
                        "Accounts", List.of(columns), List.of(), oldRows, TypeInformation.of(RowData.class)),
                change);
    }

    private static List<RowData> rows(RowDataDeserializationSchema schema, DataChangeRecord change) throws IOException {
        List<RowData> rows = new ArrayList<>();
        schema.deserialize(change, new Collector<>() {
            @Override
            public void collect(RowData row) {
                rows.add(row);
            }

            @Override
            public void close() {}
        });
        return rows;
    }

    private static RowData row(RowKind kind, Object id, @Nullable Object owner, @Nullable Object amount) {
        return GenericRowData.ofKind(
                kind,
                StringData.fromString((String) id),
                owner == null ? null : StringData.fromString((String) owner),
                amount);
    }

    @Test
    void without_old_rows_changes_are_upserts_and_a_delete_has_the_key() throws IOException {
        assertThat(rows(false, change("INSERT", "NEW_ROW", "{'Owner':'x','Amount':'1'}", "{}"), ID, OWNER, AMOUNT))
                .containsExactly(row(RowKind.INSERT, "a", "x", 1L));
        assertThat(rows(false, change("UPDATE", "NEW_ROW", "{'Owner':null,'Amount':'2'}", "{}"), ID, OWNER, AMOUNT))
                .containsExactly(row(RowKind.UPDATE_AFTER, "a", null, 2L));
        assertThat(rows(false, change("DELETE", "NEW_ROW", "{}", "{}"), ID, OWNER, AMOUNT))
                .containsExactly(row(RowKind.DELETE, "a", null, null));
    }

    @Test
    void without_old_rows_a_delete_has_the_old_values_that_are_captured() throws IOException {
        DataChangeRecord delete = change("DELETE", "NEW_ROW_AND_OLD_VALUES", "{}", "{'Owner':'x','Amount':'2'}");
        assertThat(rows(false, delete, ID, OWNER, AMOUNT)).containsExactly(row(RowKind.DELETE, "a", "x", 2L));
    }

    @Test
    void an_old_row_has_the_old_values_and_otherwise_those_that_did_not_change() throws IOException {
        DataChangeRecord update =
                change("UPDATE", "NEW_ROW_AND_OLD_VALUES", "{'Owner':'y','Amount':'2'}", "{'Amount':null}");
        assertThat(rows(true, update, ID, OWNER, AMOUNT))
                .containsExactly(row(RowKind.UPDATE_BEFORE, "a", "y", null), row(RowKind.UPDATE_AFTER, "a", "y", 2L));
        DataChangeRecord delete = change("DELETE", "NEW_ROW_AND_OLD_VALUES", "{}", "{'Owner':'x','Amount':'2'}");
        assertThat(rows(true, delete, ID, OWNER, AMOUNT)).containsExactly(row(RowKind.DELETE, "a", "x", 2L));
    }

    @Test
    void modified_columns_are_enough_for_a_row_that_has_no_others() throws IOException {
        DataChangeRecord update =
                change("UPDATE", "OLD_AND_NEW_VALUES", "'Amount'", "{'Amount':'2'}", "{'Amount':'1'}");
        assertThat(rows(true, update, ID, AMOUNT))
                .containsExactly(
                        GenericRowData.ofKind(RowKind.UPDATE_BEFORE, StringData.fromString("a"), 1L),
                        GenericRowData.ofKind(RowKind.UPDATE_AFTER, StringData.fromString("a"), 2L));
    }

    @Test
    void the_rows_of_other_tables_are_not_emitted() throws IOException {
        RowDataDeserializationSchema schema = new RowDataDeserializationSchema(
                "Others", List.of(ID), List.of(), false, TypeInformation.of(RowData.class));
        assertThat(rows(schema, change("DELETE", "NEW_ROW", "{}", "{}"))).isEmpty();
    }

    @Test
    void metadata_follow_the_columns() throws IOException {
        RowDataDeserializationSchema schema = new RowDataDeserializationSchema(
                "Accounts", List.of(ID), List.of(ReadableMetadata.values()), false, TypeInformation.of(RowData.class));
        assertThat(rows(schema, change("DELETE", "NEW_ROW", "{}", "{}")))
                .containsExactly(GenericRowData.ofKind(
                        RowKind.DELETE,
                        StringData.fromString("a"),
                        TimestampData.fromInstant(Instant.parse("2026-01-31T10:00:00.123456789Z")),
                        StringData.fromString("tx"),
                        StringData.fromString("tag"),
                        StringData.fromString("DELETE")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_column_that_a_change_does_not_hold_is_an_error_that_names_the_value_capture_type(boolean oldRows) {
        DataChangeRecord update =
                change("UPDATE", "OLD_AND_NEW_VALUES", "'Amount'", "{'Amount':'2'}", "{'Amount':'1'}");
        assertThatThrownBy(() -> rows(oldRows, update, ID, OWNER, AMOUNT))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "table Accounts: the UPDATE committed at 2026-01-31T10:00:00.123456789Z cannot be a row: it does not hold column Owner, because its stream captures OLD_AND_NEW_VALUES: let it capture %s, or leave the column out. It is not emitted, and the job fails",
                        oldRows ? "NEW_ROW_AND_OLD_VALUES" : "NEW_ROW");
    }

    @Test
    void a_column_that_is_not_watched_is_an_error() {
        DataChangeRecord insert = change("INSERT", "NEW_ROW", "'Amount'", "{'Amount':'2'}", "{}");
        assertThatThrownBy(() -> rows(false, insert, ID, OWNER))
                .hasMessageContaining(
                        "it does not hold column Owner, although its stream captures NEW_ROW: the column does not exist in that case of letters, did not exist then, or is not watched");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE", "DELETE"})
    void old_rows_without_old_values_are_an_error(String kind) {
        DataChangeRecord change = change(kind, "NEW_ROW", "{'Owner':'x','Amount':'2'}", "{}");
        assertThatThrownBy(() -> rows(true, change, ID, OWNER))
                .hasMessageContaining(
                        "its stream captures NEW_ROW, without old values: let it capture NEW_ROW_AND_OLD_VALUES, or declare 'value-capture' = 'NEW_ROW'");
    }

    @Test
    void another_primary_key_than_the_declared_one_is_an_error() {
        DataChangeRecord insert = change("INSERT", "NEW_ROW", "{'Owner':'x','Amount':'2'}", "{}");
        TableColumn owner = column("Owner", DataTypes.STRING(), true);
        assertThatThrownBy(() -> rows(false, insert, owner))
                .hasMessageContaining("the primary key is (Id), and is declared as (Owner)");
    }

    @Test
    void another_type_than_the_declared_one_is_an_error_that_names_the_type_to_declare() {
        DataChangeRecord insert = change("INSERT", "NEW_ROW", "{'Owner':'x','Amount':'2'}", "{}");
        TableColumn amount = column("Amount", DataTypes.STRING(), false);
        assertThatThrownBy(() -> rows(false, insert, ID, amount))
                .hasMessageContaining(
                        "column Amount has the type {\"code\":\"INT64\"}, and is declared as STRING: declare it as BIGINT");
    }

    @Test
    void a_null_in_a_column_declared_not_null_is_an_error_that_names_the_column() {
        DataChangeRecord insert = change("INSERT", "NEW_ROW", "{'Owner':'x','Amount':null}", "{}");
        TableColumn amount = column("Amount", DataTypes.BIGINT().notNull(), false);
        assertThatThrownBy(() -> rows(false, insert, ID, amount))
                .hasMessageContaining("column Amount cannot be converted: it is NULL, and declared as BIGINT NOT NULL");
    }

    @Test
    void a_kind_of_change_that_is_not_known_is_an_error() {
        DataChangeRecord merge = change("MERGE", "NEW_ROW", "{'Owner':'x','Amount':'2'}", "{}");
        assertThatThrownBy(() -> rows(false, merge, ID))
                .hasMessageContaining("it is a MERGE, which this version does not know");
    }

    private static SpannerType type(String json) {
        return new SpannerType(JsonObject.of(json.startsWith("{") ? json : "{\"code\":\"" + json + "\"}"));
    }

    private static @Nullable Object value(String spannerType, String json, AbstractDataType<?> declared) {
        LogicalType type = ((DataType) declared).getLogicalType();
        assertThat(ColumnValues.replacement(type)).isEmpty();
        assertThat(ColumnValues.holds(type, type(spannerType))).isTrue();
        return ColumnValues.convert(JsonObject.of("{\"v\":" + json + "}").get("v"), type);
    }

    @Test
    void values_of_both_dialects_become_those_of_flink() {
        assertThat(value("BOOL", "true", DataTypes.BOOLEAN())).isEqualTo(true);
        assertThat(value("INT64", "\"-9223372036854775808\"", DataTypes.BIGINT()))
                .isEqualTo(Long.MIN_VALUE);
        assertThat(value("{\"code\":\"INT64\",\"type_annotation\":\"PG_OID\"}", "\"7\"", DataTypes.BIGINT()))
                .isEqualTo(7L);
        assertThat(value("ENUM", "\"3\"", DataTypes.BIGINT())).isEqualTo(3L);
        assertThat(value("FLOAT64", "1e308", DataTypes.DOUBLE())).isEqualTo(1e308);
        assertThat(value("FLOAT64", "\"NaN\"", DataTypes.DOUBLE())).isEqualTo(Double.NaN);
        assertThat(value("FLOAT64", "\"-Infinity\"", DataTypes.DOUBLE())).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(value("FLOAT32", "0.10000000149011612", DataTypes.FLOAT())).isEqualTo(0.1f);
        assertThat(value("FLOAT32", "0.5", DataTypes.DOUBLE())).isEqualTo(0.5);
        assertThat(value("STRING", "\"ü\"", DataTypes.STRING())).isEqualTo(StringData.fromString("ü"));
        assertThat(value("STRING", "\"ü\"", DataTypes.VARCHAR(36))).isEqualTo(StringData.fromString("ü"));
        assertThat(value("BYTES", "\"AQI=\"", DataTypes.BYTES())).isEqualTo(new byte[] {1, 2});
        assertThat(value("PROTO", "\"AQI=\"", DataTypes.BYTES())).isEqualTo(new byte[] {1, 2});
        assertThat(value("NUMERIC", "\"99999999999999999999999999999.999999999\"", DataTypes.DECIMAL(38, 9)))
                .isEqualTo(
                        DecimalData.fromBigDecimal(new BigDecimal("99999999999999999999999999999.999999999"), 38, 9));
        assertThat(value(
                        "{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}",
                        "\"1.50\"",
                        DataTypes.DECIMAL(3, 1)))
                .isEqualTo(DecimalData.fromBigDecimal(new BigDecimal("1.5"), 3, 1));
        assertThat(value("{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}", "\"NaN\"", DataTypes.STRING()))
                .isEqualTo(StringData.fromString("NaN"));
        assertThat(value("DATE", "\"0001-01-01\"", DataTypes.DATE()))
                .isEqualTo((int) LocalDate.of(1, 1, 1).toEpochDay());
        assertThat(value("TIMESTAMP", "\"9999-12-31T23:59:59.999999999Z\"", DataTypes.TIMESTAMP_LTZ(9)))
                .isEqualTo(TimestampData.fromInstant(Instant.parse("9999-12-31T23:59:59.999999999Z")));
        assertThat(value("TIMESTAMP", "\"2026-01-31 10:00:00.123456-08:00\"", DataTypes.TIMESTAMP_LTZ(3)))
                .isEqualTo(TimestampData.fromInstant(Instant.parse("2026-01-31T18:00:00.123Z")));
        assertThat(value(
                        "{\"code\":\"JSON\",\"type_annotation\":\"PG_JSONB\"}",
                        "\"{\\\"a\\\": 1}\"",
                        DataTypes.STRING()))
                .isEqualTo(StringData.fromString("{\"a\": 1}"));
        assertThat(value("UUID", "\"4e\"", DataTypes.STRING())).isEqualTo(StringData.fromString("4e"));
        assertThat(value("INTERVAL", "\"P1Y\"", DataTypes.STRING())).isEqualTo(StringData.fromString("P1Y"));
        assertThat(value(
                        "{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"INT64\"}}",
                        "[\"1\",null]",
                        DataTypes.ARRAY(DataTypes.BIGINT())))
                .isEqualTo(new GenericArrayData(new Object[] {1L, null}));
        assertThat(value("INT64", "null", DataTypes.BIGINT())).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NaN | it cannot be a DECIMAL(38, 9)",
                "0.0000000001 | it has more digits than a DECIMAL(38, 9); declare it as STRING to have all of them",
                "100000000000000000000000000000 | it has more digits than a DECIMAL(38, 9); declare it as STRING to have all of them"
            })
    void a_numeric_that_flink_cannot_hold_is_an_error_and_is_not_rounded(String number, String message) {
        assertThatThrownBy(() -> value("NUMERIC", '"' + number + '"', DataTypes.DECIMAL(38, 9)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void a_type_that_this_version_does_not_know_is_held_by_none() {
        assertThat(ColumnValues.holds(DataTypes.STRING().getLogicalType(), type("TENSOR")))
                .isFalse();
        assertThat(ColumnValues.typeFor(type("TENSOR"))).isEmpty();
        assertThat(ColumnValues.typeFor(type("STRUCT"))).isEmpty();
    }
}

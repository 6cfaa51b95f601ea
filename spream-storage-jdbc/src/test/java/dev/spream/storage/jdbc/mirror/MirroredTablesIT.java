package dev.spream.storage.jdbc.mirror;

import static dev.spream.storage.jdbc.mirror.MirrorBatch.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.storage.jdbc.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the requirements on mirrored tables, and of the messages when they are not met. */
@Timeout(120)
final class MirroredTablesIT {
    private final TestDatabase database = new TestDatabase();
    private final MirrorRows rows = new MirrorRows(database);

    @AfterEach
    void close() {
        database.close();
    }

    private JdbcMirror mirror(boolean createTables) {
        return JdbcMirror.builder(database.dataSource(), "orders")
                .createTables(createTables)
                .build();
    }

    @Test
    void a_table_that_is_not_there_is_told_with_what_makes_it_and_then_the_change_is_taken() throws Exception {
        JdbcMirror mirror = mirror(false);
        MirrorChanges table = MirrorChanges.of("Orders")
                .column("Total", TypeCode.NUMERIC)
                .key("Region", TypeCode.STRING)
                .key("Id", TypeCode.INT64);
        MirrorBatch change = batch(table.insert(1, "{\"Region\":\"EU\",\"Id\":\"7\"}", "{\"Total\":\"1.5\"}"));
        String ddl =
                "CREATE TABLE \"public\".\"Orders\" (\"Total\" numeric, \"Region\" text, \"Id\" bigint, PRIMARY KEY (\"Region\", \"Id\"))";

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror.consume(change))
                .withMessageContaining(ddl)
                .withMessageContaining("sink.jdbc.create-tables=true");

        database.execute(ddl);
        mirror.consume(change);
        assertThat(rows.of("\"Orders\"", "\"Id\"")).containsExactly("(1.5,EU,7)");
    }

    @Test
    void a_column_that_is_not_there_is_told_with_what_adds_it() throws Exception {
        mirror(true).consume(batch(MirrorChanges.ofNames("T").insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        MirrorBatch later = batch(MirrorChanges.ofNames("T")
                .column("Age", TypeCode.INT64)
                .update(2, "{\"Id\":\"1\"}", "{\"Age\":\"9\"}"));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror(false).consume(later))
                .withMessageContaining("ALTER TABLE \"public\".\"T\" ADD COLUMN IF NOT EXISTS \"Age\" bigint");

        mirror(true).consume(later);
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a,9)");
    }

    @Test
    void a_column_that_is_gone_from_the_stream_stays_and_one_that_is_dropped_behind_the_mirror_is_added_again()
            throws Exception {
        JdbcMirror mirror = mirror(true);
        MirrorChanges table = MirrorChanges.ofNames("T");
        mirror.consume(batch(table.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}")));
        mirror.consume(batch(MirrorChanges.of("T").key("Id", TypeCode.INT64).insert(2, "{\"Id\":\"2\"}", "{}")));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a)", "(2,)");

        database.execute("ALTER TABLE public.\"T\" DROP COLUMN \"Name\"");
        mirror.consume(batch(table.insert(3, "{\"Id\":\"3\"}", "{\"Name\":\"c\"}")));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,)", "(2,)", "(3,c)");
    }

    @Test
    void a_table_without_a_unique_key_is_told_what_it_lacks_and_is_left_as_it_is() {
        database.execute("CREATE TABLE public.\"T\" (\"Id\" bigint, \"Name\" text)");

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror(true)
                        .consume(batch(MirrorChanges.ofNames("T").insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}"))))
                .withMessageContaining("ALTER TABLE \"public\".\"T\" ADD PRIMARY KEY (\"Id\")");
    }

    @Test
    void names_keep_their_case_and_quotes_and_every_character() throws Exception {
        String name = "Wei\"rd; DROP TABLE x?--ä";
        MirrorChanges table =
                MirrorChanges.of(name).key("K?\"1", TypeCode.INT64).column("select", TypeCode.STRING);
        JdbcMirror mirror = mirror(true);

        mirror.consume(batch(
                table.insert(1, "{\"K?\\\"1\":\"1\"}", "{\"select\":\"a\"}"),
                table.insert(2, "{\"K?\\\"1\":\"2\"}", "{\"select\":\"b\"}")));
        mirror.consume(batch(
                table.update(3, "{\"K?\\\"1\":\"1\"}", "{\"select\":\"c\"}"), table.delete(4, "{\"K?\\\"1\":\"2\"}")));

        assertThat(rows.of(TableName.quoted(name), "1")).containsExactly("(1,c)");
    }

    @Test
    void a_name_that_the_server_would_cut_is_refused() {
        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror(true)
                        .consume(batch(MirrorChanges.ofNames("T".repeat(64)).delete(1, "{\"Id\":\"1\"}"))))
                .withMessageContaining("64 bytes");
        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror(true)
                        .consume(batch(MirrorChanges.ofNames("T")
                                .column("ä".repeat(32), TypeCode.STRING)
                                .delete(1, "{\"Id\":\"1\"}"))))
                .withMessageContaining("64 bytes");
    }

    @Test
    void a_table_of_a_named_schema_goes_to_the_schema_of_that_name_and_others_to_the_configured_one() throws Exception {
        JdbcMirror mirror = JdbcMirror.builder(database.dataSource(), "orders")
                .schema("Mirror")
                .createTables(true)
                .build();

        mirror.consume(batch(
                MirrorChanges.ofNames("sales.Orders").insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}"),
                MirrorChanges.ofNames("Orders").insert(2, "{\"Id\":\"1\"}", "{\"Name\":\"b\"}")));

        assertThat(rows.of("sales.\"Orders\"", "1")).containsExactly("(1,a)");
        assertThat(rows.of("\"Mirror\".\"Orders\"", "1")).containsExactly("(1,b)");
    }

    @Test
    void a_table_of_key_columns_alone_has_rows_and_loses_them() throws Exception {
        MirrorChanges table = MirrorChanges.of("Links").key("A", TypeCode.INT64).key("B", TypeCode.INT64);
        JdbcMirror mirror = mirror(true);

        mirror.consume(batch(
                table.insert(1, "{\"A\":\"1\",\"B\":\"2\"}", "{}"),
                table.insert(2, "{\"A\":\"1\",\"B\":\"3\"}", "{}")));
        mirror.consume(batch(
                table.update(3, "{\"A\":\"1\",\"B\":\"2\"}", "{}"), table.delete(4, "{\"A\":\"1\",\"B\":\"3\"}")));

        assertThat(rows.of("\"Links\"", "1")).containsExactly("(1,2)");
    }

    @Test
    void a_table_without_a_primary_key_has_one_row_at_most() throws Exception {
        MirrorChanges table =
                MirrorChanges.of("Settings").column("Mode", TypeCode.STRING).column("N", TypeCode.INT64);
        JdbcMirror mirror = mirror(true);

        mirror.consume(
                batch(table.insert(1, "{}", "{\"Mode\":\"a\",\"N\":\"1\"}"), table.update(2, "{}", "{\"N\":\"2\"}")));
        assertThat(rows.of("\"Settings\"", "1")).containsExactly("(a,2)");
        mirror.consume(batch(table.update(3, "{}", "{\"Mode\":\"b\"}")));
        assertThat(rows.of("\"Settings\"", "1")).containsExactly("(b,2)");
        mirror.consume(batch(table.delete(4, "{}")));
        assertThat(rows.of("\"Settings\"", "1")).isEmpty();
        mirror.consume(batch(table.delete(5, "{}"), table.insert(6, "{}", "{}")));
        assertThat(rows.of("\"Settings\"", "1")).containsExactly("(,)");
    }

    @Test
    void a_key_with_a_null_needs_an_index_that_tells_nulls_apart() throws Exception {
        MirrorChanges table = MirrorChanges.of("T")
                .key("A", TypeCode.INT64)
                .key("B", TypeCode.STRING)
                .column("V", TypeCode.STRING);
        JdbcMirror mirror = mirror(true);
        mirror.consume(batch(table.insert(1, "{\"A\":\"1\",\"B\":\"x\"}", "{\"V\":\"a\"}")));
        MirrorBatch withNull = batch(
                table.insert(2, "{\"A\":\"1\",\"B\":null}", "{\"V\":\"b\"}"),
                table.insert(3, "{\"A\":null,\"B\":null}", "{\"V\":\"c\"}"));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror.consume(withNull))
                .withMessageContaining("NULLS NOT DISTINCT");

        if (majorVersion() < 15) {
            return; // an older server has no such index, and what was asserted is all there is
        }
        database.execute(
                "ALTER TABLE public.\"T\" DROP CONSTRAINT \"T_pkey\"",
                "ALTER TABLE public.\"T\" ALTER \"A\" DROP NOT NULL, ALTER \"B\" DROP NOT NULL",
                "CREATE UNIQUE INDEX ON public.\"T\" (\"A\", \"B\") NULLS NOT DISTINCT");
        JdbcMirror after = mirror(true);
        after.consume(withNull);
        after.consume(batch(
                table.update(4, "{\"A\":\"1\",\"B\":null}", "{\"V\":\"d\"}"),
                table.delete(5, "{\"A\":null,\"B\":null}"),
                table.delete(6, "{\"A\":\"1\",\"B\":\"x\"}")));
        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,,d)");
    }

    private int majorVersion() {
        return Integer.parseInt(rows.texts("SHOW server_version_num").getFirst()) / 10_000;
    }

    @Test
    void columns_that_the_server_computes_are_left_to_it_and_identities_are_written() throws Exception {
        database.execute(
                "CREATE TABLE public.\"T\" (\"Id\" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \"Name\" text,"
                        + " \"Loud\" text GENERATED ALWAYS AS (upper(\"Name\")) STORED)");
        MirrorChanges table = MirrorChanges.ofNames("T").column("Loud", TypeCode.STRING);

        mirror(false).consume(batch(table.insert(1, "{\"Id\":\"41\"}", "{\"Name\":\"a\",\"Loud\":\"from Spanner\"}")));

        assertThat(rows.of("\"T\"", "1")).containsExactly("(41,a,A)");
    }

    @ParameterizedTest
    @EnumSource(value = ValueCaptureType.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void a_row_is_the_same_whatever_the_stream_captures(ValueCaptureType type) throws Exception {
        MirrorChanges table =
                MirrorChanges.ofNames("T").column("Age", TypeCode.INT64).capturing(type);
        boolean wholeRows = type == ValueCaptureType.NEW_ROW || type == ValueCaptureType.NEW_ROW_AND_OLD_VALUES;
        boolean oldValues =
                type == ValueCaptureType.OLD_AND_NEW_VALUES || type == ValueCaptureType.NEW_ROW_AND_OLD_VALUES;
        String key = "{\"Id\":\"1\"}";
        Mod birthday = new Mod(
                JsonObject.of(key),
                JsonObject.of(wholeRows ? "{\"Name\":\"a\",\"Age\":\"10\"}" : "{\"Age\":\"10\"}"),
                JsonObject.of(oldValues ? "{\"Age\":\"9\"}" : "{}"));
        Mod death = new Mod(
                JsonObject.of("{\"Id\":\"2\"}"),
                JsonObject.EMPTY,
                JsonObject.of(oldValues ? "{\"Name\":\"b\",\"Age\":\"90\"}" : "{}"));
        JdbcMirror mirror = mirror(true);

        mirror.consume(batch(table.change(
                1,
                "INSERT",
                MirrorChanges.mod(key, "{\"Name\":\"a\",\"Age\":\"9\"}"),
                MirrorChanges.mod("{\"Id\":\"2\"}", "{\"Name\":\"b\",\"Age\":\"90\"}"))));
        mirror.consume(batch(table.change(2, "UPDATE", birthday), table.change(3, "DELETE", death)));

        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,a,10)");
    }

    @Test
    void an_update_of_a_row_that_is_not_there_writes_what_it_names() throws Exception {
        MirrorChanges table = MirrorChanges.ofNames("T").column("Age", TypeCode.INT64);

        mirror(true).consume(batch(table.update(1, "{\"Id\":\"1\"}", "{\"Age\":\"9\"}")));

        assertThat(rows.of("\"T\"", "1")).containsExactly("(1,,9)");
    }

    @Test
    void workers_that_find_new_tables_and_columns_at_once_all_continue() throws Exception {
        int workers = 6;
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            int own = worker;
            JdbcMirror mirror = mirror(true);
            calls.add(() -> {
                for (int i = 0; i < 5; i++) {
                    MirrorChanges table = MirrorChanges.ofNames("s" + i + ".T").column("C" + own, TypeCode.INT64);
                    mirror.consume(batch(table.insert(
                            1 + own * 10 + i, "{\"Id\":\"" + own + "\"}", "{\"C" + own + "\":\"" + i + "\"}")));
                }
                return true;
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(workers)) {
            for (Future<Boolean> done : threads.invokeAll(calls)) {
                assertThat(done.get()).isTrue();
            }
        }
        for (int i = 0; i < 5; i++) {
            assertThat(rows.texts("SELECT \"Id\" FROM s%d.\"T\" ORDER BY 1".formatted(i)))
                    .hasSize(workers);
        }
    }

    @Test
    void messages_name_table_and_column_and_never_show_a_value() throws Exception {
        database.execute(
                "CREATE TABLE public.\"T\" (\"Id\" bigint PRIMARY KEY, \"Name\" varchar(3) CHECK (\"Name\" <> 'no!'), \"Age\" bigint)");
        JdbcMirror mirror = mirror(false);
        MirrorChanges table = MirrorChanges.ofNames("T").column("Age", TypeCode.STRING);

        refused(mirror, table.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\",\"Age\":\"hush\"}"), "\"Age\"", "22P02");
        refused(mirror, table.insert(2, "{\"Id\":\"1\"}", "{\"Name\":\"hush\",\"Age\":\"1\"}"), "\"Name\"", "22001");
        refused(mirror, table.insert(3, "{\"Id\":\"1\"}", "{\"Name\":\"no!\",\"Age\":\"1\"}"), "T_Name_check", "23514");
        refused(mirror, table.insert(4, "{\"Id\":\"1\"}", "{\"Name\":\"\\u0000hush\"}"), "\"Name\"", "U+0000");
        refused(mirror, table.insert(5, "{\"Id\":null}", "{\"Name\":\"a\"}"), "NULL", "\"Id\"");
        refused(mirror, table.change(6, "MERGE", MirrorChanges.mod("{\"Id\":\"1\"}", "{}")), "MERGE", "\"T\"");
        assertThat(rows.of("\"T\"", "1")).isEmpty();
        assertThat(rows.of("spream.applied_change", "1")).isEmpty();
    }

    @Test
    void a_timestamp_key_that_would_lose_digits_is_refused() throws Exception {
        MirrorChanges table = MirrorChanges.of("T").key("At", TypeCode.TIMESTAMP);

        mirror(true).consume(batch(table.insert(2, "{\"At\":\"2026-01-01T00:00:00.000001000+00:00\"}", "{}")));
        refused(mirror(true), table.insert(1, "{\"At\":\"2026-01-01T00:00:00.000000001Z\"}", "{}"), "\"At\"", "text");
    }

    private static void refused(JdbcMirror mirror, DataChangeRecord change, String... parts) {
        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror.consume(batch(change)))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts).doesNotContain("hush"))
                .withNoCause();
    }

    @Test
    void of_a_batch_that_is_refused_nothing_stays_and_it_is_left_to_be_tried_one_by_one() throws Exception {
        JdbcMirror mirror = mirror(true);
        MirrorChanges table = MirrorChanges.ofNames("T");
        MirrorBatch batch = batch(
                table.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"a\"}"),
                table.insert(2, "{\"Id\":\"hush\"}", "{\"Name\":\"b\"}"));

        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> mirror.consume(batch))
                .isNotInstanceOf(NonRetryableException.class)
                .withMessageContaining("one of 2")
                .withMessageNotContaining("hush")
                .withNoCause();
        assertThat(rows.of("\"T\"", "1")).isEmpty();
        assertThat(rows.of("spream.applied_change", "1")).isEmpty();
    }
}

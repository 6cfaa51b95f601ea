package dev.spream.format.avro;

import static dev.spream.format.avro.Changes.COMMITTED;
import static dev.spream.format.avro.Changes.ID;
import static dev.spream.format.avro.Changes.STATUS;
import static dev.spream.format.avro.Changes.TOTAL;
import static dev.spream.format.avro.Changes.change;
import static dev.spream.format.avro.Changes.column;
import static dev.spream.format.avro.Changes.mod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.TypeCode;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of files of rows, as Avro's own reader sees them. */
final class RowFilesTest {
    private final FileFormat format =
            Config.of("shape", "after").format().files("deflate").orElseThrow();

    @Test
    void a_row_has_its_columns_and_what_orders_it() throws Exception {
        List<byte[]> files = Containers.files(format, Changes.inserted());
        assertThat(files).hasSize(1);
        Schema schema = Containers.schema(files.getFirst());
        assertThat(schema.getFullName()).isEqualTo("Orders");
        assertThat(schema.getFields())
                .extracting(Schema.Field::name)
                .containsExactly("Id", "Status", "Total", "__deleted", "__commit_timestamp", "__record_sequence");
        assertThat(schema.getField("Id").schema().getType()).isEqualTo(Schema.Type.LONG);
        assertThat(schema.getField("Status").schema().isNullable()).isTrue();
        assertThat(schema.getField("Status").hasDefaultValue()).isTrue();
        GenericRecord row = Containers.records(files.getFirst()).getFirst();
        assertThat(row.get("Id")).isEqualTo(17L);
        assertThat(row.get("Status")).hasToString("NEW");
        assertThat(row.get("__deleted")).isEqualTo(false);
        assertThat(row.get("__commit_timestamp"))
                .isEqualTo(COMMITTED.getEpochSecond() * 1_000_000 + COMMITTED.getNano() / 1_000);
        assertThat(row.get("__record_sequence")).hasToString("00000001");
    }

    @Test
    void each_row_of_a_change_is_a_record() throws Exception {
        DataChangeRecord two = change(
                "INSERT",
                "NEW_ROW",
                List.of(ID, STATUS),
                mod("{\"Id\":\"1\"}", "{\"Status\":\"a\"}"),
                mod("{\"Id\":\"2\"}", "{\"Status\":null}"));
        assertThat(Containers.records(Containers.files(format, two).getFirst()))
                .extracting(row -> row.get("Id"), row -> String.valueOf(row.get("Status")))
                .containsExactly(tuple(1L, "a"), tuple(2L, "null"));
    }

    @Test
    void a_new_column_is_in_the_file_of_the_first_change_that_has_it() throws Exception {
        List<byte[]> files = Containers.files(format, Changes.inserted(), Changes.withNote(), Changes.inserted());
        assertThat(files).hasSize(1);
        assertThat(Containers.schema(files.getFirst()).getField("Note")).isNotNull();
        assertThat(Containers.records(files.getFirst()))
                .allMatch(row -> row.get("__commit_timestamp").equals(FieldValues.micros(COMMITTED)))
                .extracting(row -> String.valueOf(row.get("Note")), row -> String.valueOf(row.get("Status")))
                .containsExactly(tuple("null", "NEW"), tuple("thanks", "PAID"), tuple("null", "NEW"));
        assertThat(Containers.schema(
                                Containers.files(format, Changes.inserted()).getFirst())
                        .getField("Note"))
                .as("a dropped column is absent from the next file")
                .isNull();
    }

    @Test
    void a_column_of_another_type_begins_another_file() throws Exception {
        DataChangeRecord other = change(
                "INSERT",
                "NEW_ROW",
                List.of(ID, column("Status", TypeCode.INT64, false, 2), TOTAL),
                mod("{\"Id\":\"18\"}", "{\"Status\":\"5\",\"Total\":null}"));
        List<byte[]> files = Containers.files(format, Changes.inserted(), other, other, Changes.inserted());
        assertThat(files).hasSize(3);
        assertThat(Containers.records(files.get(1)))
                .extracting(row -> row.get("Status"))
                .containsExactly(5L, 5L);
    }

    @Test
    void another_primary_key_begins_another_file() throws Exception {
        DataChangeRecord renamed = change(
                "INSERT",
                "NEW_ROW",
                List.of(column("Uuid", TypeCode.STRING, true, 1), STATUS),
                mod("{\"Uuid\":\"u\"}", "{\"Status\":\"NEW\"}"));
        List<byte[]> files = Containers.files(format, Changes.inserted(), renamed, renamed, Changes.inserted());
        assertThat(files).hasSize(3);
        assertThat(Containers.records(files.get(1)))
                .extracting(row -> String.valueOf(row.get("Uuid")))
                .containsExactly("u", "u");
    }

    @Test
    void a_deleted_row_is_its_key_in_the_schema_of_the_rows_before() throws Exception {
        Schema alone =
                Containers.schema(Containers.files(format, Changes.deleted()).getFirst());
        assertThat(alone.getField("Status")).isNull();
        List<byte[]> both = Containers.files(format, Changes.deleted(), Changes.inserted(), Changes.deleted());
        assertThat(both).hasSize(1);
        assertThat(Containers.records(both.getFirst()))
                .extracting(row -> row.get("Id"), row -> row.get("__deleted"))
                .containsExactly(tuple(17L, true), tuple(17L, false), tuple(17L, true));
        byte[] later = Containers.files(format, Changes.deleted()).getFirst();
        assertThat(Containers.schema(later).getField("Status"))
                .as("a file of deletions alone has the columns of the last whole row")
                .isNotNull();
        assertThat(Containers.records(later).getFirst().get("Status")).isNull();
    }

    @Test
    void a_key_may_be_null_where_it_is() throws Exception {
        DataChangeRecord nameless =
                change("INSERT", "NEW_ROW", List.of(ID, STATUS), mod("{\"Id\":null}", "{\"Status\":\"a\"}"));
        List<byte[]> files = Containers.files(format, Changes.inserted(), nameless);
        assertThat(files).hasSize(1);
        assertThat(Containers.records(files.getFirst()))
                .extracting(row -> row.get("Id"))
                .containsExactly(17L, null);
    }

    @Test
    void a_row_that_is_captured_in_part_is_refused() {
        DataChangeRecord part =
                change("UPDATE", "NEW_VALUES", List.of(ID, STATUS), mod("{\"Id\":\"1\"}", "{\"Status\":\"a\"}"));
        assertThatThrownBy(() -> format.encode(part, Changes.DELIVERY))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("NEW_ROW")
                .hasMessageContaining("format.avro.shape=record");
    }

    @Test
    void a_value_that_is_none_of_its_type_is_refused_without_being_told() {
        DataChangeRecord wrong =
                change("INSERT", "NEW_ROW", List.of(ID, TOTAL), mod("{\"Id\":\"1\"}", "{\"Total\":\"secret\"}"));
        assertThatThrownBy(() -> format.encode(wrong, Changes.DELIVERY))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("column Total of the table Orders")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    @ParameterizedTest
    @CsvSource({"none,null", "deflate,deflate", "zstandard,zstandard"})
    void a_file_is_compressed_inside(String compression, String codec) throws Exception {
        FileFormat compressed =
                Config.of("shape", "after").format().files(compression).orElseThrow();
        byte[] file = Containers.files(compressed, Changes.inserted()).getFirst();
        assertThat(Containers.codec(file)).isEqualTo(codec);
        assertThat(Containers.records(file)).hasSize(1);
    }

    @Test
    void another_compression_is_refused() {
        assertThatThrownBy(() -> Config.of().format().files("gzip"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none, deflate or zstandard");
    }

    @Test
    void names_that_avro_does_not_allow_are_written_otherwise() throws Exception {
        DataChangeRecord odd = change(
                "INSERT",
                "NEW_ROW",
                List.of(
                        ID,
                        column("a-b", TypeCode.STRING, false, 2),
                        column("a_x002db", TypeCode.STRING, false, 3),
                        column("1st", TypeCode.STRING, false, 4),
                        column("größe", TypeCode.STRING, false, 5)),
                mod("{\"Id\":\"1\"}", "{\"a-b\":\"1\",\"a_x002db\":\"2\",\"1st\":\"3\",\"größe\":\"4\"}"));
        byte[] file = Containers.files(format, odd).getFirst();
        GenericRecord row = Containers.records(file).getFirst();
        assertThat(row.get("a_x002db")).hasToString("1");
        assertThat(row.get("a_x002db_")).hasToString("2");
        assertThat(row.get("_1st")).hasToString("3");
        assertThat(row.get("gr_x00f6_x00dfe")).hasToString("4");
        assertThat(Containers.schema(file).getField("a_x002db").getProp("spannerName"))
                .isEqualTo("a-b");
    }

    @Test
    void a_column_may_have_the_name_of_an_added_field() throws Exception {
        DataChangeRecord odd = change(
                "INSERT",
                "NEW_ROW",
                List.of(ID, column("__deleted", TypeCode.STRING, false, 2)),
                mod("{\"Id\":\"1\"}", "{\"__deleted\":\"no\"}"));
        GenericRecord row =
                Containers.records(Containers.files(format, odd).getFirst()).getFirst();
        assertThat(row.get("__deleted")).isEqualTo(false);
        assertThat(row.get("__deleted_")).hasToString("no");
    }
}

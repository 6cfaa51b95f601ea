package dev.spream.format.avro;

import static dev.spream.format.avro.Changes.ID;
import static dev.spream.format.avro.Changes.change;
import static dev.spream.format.avro.Changes.mod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.util.HexFormat;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Tests of whole changes, as readers of the Dataflow template's files see them. */
final class TemplateRecordTest {
    /**
     * The SHA-256 of the parsing form of the template's schema, of {@code datachangerecord.avsc} at commit 378c7e57 of
     * GoogleCloudPlatform/DataflowTemplates: names, types, symbols and their order.
     */
    private static final String OF_TEMPLATE = "d6d250fb87a69f767b4d3b122cd82e038801d47fcb5668327314549c69bfe08a";

    /** The schema of a reader of the template's files that uses some fields, in an order of its own. */
    private static final Schema READER = new Schema.Parser().parse("""
                    {"type": "record", "name": "DataChangeRecord", "namespace": "com.google.cloud.teleport.v2", "fields": [
                      {"name": "modType", "type": {"type": "enum", "name": "ModType", "symbols": ["DELETE", "INSERT", "UPDATE"]}},
                      {"name": "mods", "type": {"type": "array", "items": {"type": "record", "name": "Mod", "fields": [
                        {"name": "newValuesJson", "type": ["null", "string"]},
                        {"name": "keysJson", "type": "string"}]}}},
                      {"name": "commitTimestamp", "type": "long"},
                      {"name": "spannerDatabaseId", "type": ["null", "string"], "default": null}
                    ]}
                    """);

    private final FileFormat format = Config.of("source-database", "projects/p/instances/i/databases/shop")
            .format()
            .files("deflate")
            .orElseThrow();

    @Test
    void the_schema_is_that_of_the_template() throws Exception {
        byte[] file = Containers.files(format, Changes.inserted()).getFirst();
        assertThat(HexFormat.of().formatHex(SchemaNormalization.parsingFingerprint("SHA-256", Containers.schema(file))))
                .isEqualTo(OF_TEMPLATE);
    }

    @Test
    void a_file_has_changes_with_all_of_their_rows() throws Exception {
        DataChangeRecord two =
                change("INSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":\"1\"}", "{}"), mod("{\"Id\":\"2\"}", "{}"));
        List<byte[]> files = Containers.files(format, two, Changes.withNote(), Changes.deleted());
        assertThat(files).hasSize(1);
        List<GenericRecord> records = Containers.records(files.getFirst());
        assertThat(records)
                .extracting(
                        record -> String.valueOf(record.get("modType")),
                        record -> ((List<?>) record.get("mods")).size())
                .containsExactly(tuple("INSERT", 2), tuple("UPDATE", 1), tuple("DELETE", 1));
        GenericRecord update = records.get(1);
        assertThat(update.get("partitionToken")).hasToString("partition-1");
        assertThat(update.get("commitTimestamp")).isEqualTo(1_769_860_800_123_456L);
        assertThat(update.get("serverTransactionId")).hasToString("6329047911");
        assertThat(update.get("isLastRecordInTransactionInPartition")).isEqualTo(true);
        assertThat(update.get("recordSequence")).hasToString("00000001");
        assertThat(update.get("tableName")).hasToString("Orders");
        assertThat(update.get("valueCaptureType")).hasToString("NEW_ROW");
        assertThat(update.get("numberOfRecordsInTransaction")).isEqualTo(2L);
        assertThat(update.get("numberOfPartitionsInTransaction")).isEqualTo(1L);
        assertThat(update.get("metadata")).isNull();
        assertThat(update.get("spannerDatabaseId")).hasToString("shop");
        assertThat(update.get("spannerInstanceId")).hasToString("i");
        GenericRecord mod = (GenericRecord) ((List<?>) update.get("mods")).getFirst();
        assertThat(mod.get("keysJson")).hasToString("{\"Id\":\"17\"}");
        assertThat(mod.get("newValuesJson"))
                .hasToString("{\"Status\":\"PAID\",\"Total\":\"12.50\",\"Note\":\"thanks\"}");
        assertThat(mod.get("oldValuesJson")).hasToString("{}");
        assertThat((List<?>) update.get("rowType"))
                .extracting(column -> String.valueOf(((GenericRecord) column).get("name")))
                .containsExactly("Id", "Status", "Total", "Note");
    }

    @Test
    void types_have_the_codes_of_the_template() throws Exception {
        DataChangeRecord typed = change(
                "INSERT",
                "NEW_ROW_AND_OLD_VALUES",
                List.of(
                        ID,
                        new ColumnType(
                                "Tags",
                                new SpannerType(JsonObject.of(
                                        "{\"code\":\"ARRAY\",\"array_element_type\":{\"code\":\"STRING\"}}")),
                                false,
                                2),
                        Changes.column("Weight", TypeCode.FLOAT32, false, 3)),
                mod("{\"Id\":\"1\"}", "{}"));
        GenericRecord record =
                Containers.records(Containers.files(format, typed).getFirst()).getFirst();
        assertThat((List<?>) record.get("rowType"))
                .extracting(
                        column -> String.valueOf(((GenericRecord) column).get("Type")),
                        column -> String.valueOf(((GenericRecord) column).get("arrayElementType")))
                .containsExactly(
                        tuple("INT64", "null"), tuple("ARRAY", "STRING"), tuple("TYPE_CODE_UNSPECIFIED", "null"));
        assertThat(record.get("valueCaptureType")).as("as the template maps it").hasToString("NEW_VALUES");
    }

    @Test
    void a_reader_of_the_templates_files_reads_these() throws Exception {
        GenericDatumReader<GenericRecord> datums = new GenericDatumReader<>(null, READER);
        GenericRecord record = Containers.records(
                        Containers.files(format, Changes.deleted()).getFirst(), datums)
                .getFirst();
        assertThat(record.get("modType")).hasToString("DELETE");
        assertThat(record.get("spannerDatabaseId")).hasToString("shop");
    }

    @Test
    void a_change_of_an_unknown_kind_is_refused() {
        DataChangeRecord unknown = change("UPSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":\"1\"}", "{}"));
        assertThatThrownBy(() -> format.encode(unknown, Changes.DELIVERY))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("UPSERT");
    }
}

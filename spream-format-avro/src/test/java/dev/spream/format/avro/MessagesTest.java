package dev.spream.format.avro;

import static dev.spream.format.avro.Changes.DELIVERY;
import static dev.spream.format.avro.Changes.ID;
import static dev.spream.format.avro.Changes.STATUS;
import static dev.spream.format.avro.Changes.change;
import static dev.spream.format.avro.Changes.column;
import static dev.spream.format.avro.Changes.mod;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.MessageFormat;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.TypeCode;
import dev.spream.servers.RegistryServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.SchemaStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of messages, as Avro's own decoders see them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class MessagesTest {
    private static final Optional<String> TOPIC = Optional.of("shop.orders");
    private static final DataChangeRecord OTHER_TYPE = change(
            "INSERT",
            "NEW_ROW",
            List.of(ID, column("Status", TypeCode.BOOL, false, 2)),
            mod("{\"Id\":\"1\"}", "{\"Status\":true}"));

    private static MessageFormat messages(String... config) {
        return Config.of(config).format().messages().orElseThrow();
    }

    private static RegistryServer registry() throws IOException {
        return RegistryServer.start((reader, writer) -> SchemaCompatibility.checkReaderWriterCompatibility(
                                new Schema.Parser().parse(reader), new Schema.Parser().parse(writer))
                        .getType()
                == SchemaCompatibility.SchemaCompatibilityType.COMPATIBLE);
    }

    private static MessageFormat registered(RegistryServer registry) {
        return messages("shape", "after", "schema-registry.url", registry.url());
    }

    /** Reads a single object with Avro's decoder, by the schema that its file would have. */
    private static GenericRecord single(byte[] message, Schema schema) throws Exception {
        SchemaStore.Cache schemas = new SchemaStore.Cache();
        schemas.addSchema(schema);
        return new BinaryMessageDecoder<GenericRecord>(GenericData.get(), schema, schemas).decode(message);
    }

    private static GenericRecord read(RegistryServer registry, byte[] message) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertThat(bytes.get()).as("magic byte").isZero();
        Schema schema = new Schema.Parser().parse(registry.schema(bytes.getInt()));
        return new GenericDatumReader<GenericRecord>(schema)
                .read(null, DecoderFactory.get().binaryDecoder(message, 5, message.length - 5, null));
    }

    private static Schema messageSchema(DataChangeRecord change) {
        return new RowValues(AvroFormatProvider.Timestamps.TEXT)
                .message(change, DELIVERY)
                .schema()
                .schema();
    }

    @Test
    void without_a_registry_a_message_is_a_single_object() throws Exception {
        MessageFormat format = messages("shape", "after");
        assertThat(format.contentType()).isEqualTo("avro/binary");
        assertThat(format.hasTombstones()).isTrue();
        DataChangeRecord change = Changes.withNote();
        GenericRecord row = single(format.value(change, DELIVERY, Optional.empty()), messageSchema(change));
        assertThat(row.get("Id")).isEqualTo(17L);
        assertThat(row.get("Note")).hasToString("thanks");
        assertThat(row.get("__deleted")).isEqualTo(false);
        GenericRecord deleted =
                single(format.value(Changes.deleted(), DELIVERY, Optional.empty()), messageSchema(Changes.deleted()));
        assertThat(deleted.get("__deleted")).isEqualTo(true);
    }

    @Test
    void a_whole_change_is_a_message_with_the_one_row_and_its_key_is_json() throws Exception {
        MessageFormat format = messages();
        assertThat(format.hasTombstones()).isFalse();
        GenericRecord record =
                single(format.value(Changes.inserted(), DELIVERY, TOPIC), TemplateRecord.SCHEMA.schema());
        assertThat(record.get("tableName")).hasToString("Orders");
        assertThat(new String(format.key(Changes.inserted(), TOPIC), UTF_8)).isEqualTo("{\"Id\":\"17\"}");
    }

    @Test
    void a_key_depends_on_the_row_alone() {
        MessageFormat format = messages("shape", "after");
        byte[] key = format.key(Changes.inserted(), TOPIC);
        assertThat(format.key(Changes.withNote(), TOPIC)).isEqualTo(key);
        assertThat(format.key(Changes.deleted(), Optional.empty())).isEqualTo(key);
        assertThat(messages("shape", "after").key(Changes.inserted(), TOPIC)).isEqualTo(key);
        DataChangeRecord other =
                change("INSERT", "NEW_ROW", List.of(ID, STATUS), mod("{\"Id\":\"18\"}", "{\"Status\":\"NEW\"}"));
        assertThat(format.key(other, TOPIC)).isNotEqualTo(key);
    }

    @Test
    void a_key_whose_types_are_missing_is_refused_since_it_would_be_that_of_all_rows() {
        DataChangeRecord typeless = change("INSERT", "NEW_ROW", List.of(STATUS), mod("{\"Id\":\"17\"}", "{}"));
        assertThatThrownBy(() -> messages("shape", "after").key(typeless, TOPIC))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("primary key");
    }

    @Test
    void with_a_registry_key_and_value_have_subjects_of_the_topic() throws Exception {
        try (RegistryServer registry = registry()) {
            MessageFormat format = registered(registry);
            GenericRecord value = read(registry, format.value(Changes.inserted(), DELIVERY, TOPIC));
            assertThat(value.get("Status")).hasToString("NEW");
            assertThat(read(registry, format.key(Changes.inserted(), TOPIC)).get("Id"))
                    .isEqualTo(17L);
            assertThat(registry.requests())
                    .containsExactly(
                            "POST /subjects/shop.orders-value/versions", "POST /subjects/shop.orders-key/versions");
        }
    }

    @Test
    void a_schema_is_asked_for_once_and_a_new_column_is_another_version() throws Exception {
        try (RegistryServer registry = registry()) {
            MessageFormat format = registered(registry);
            byte[] first = format.value(Changes.inserted(), DELIVERY, TOPIC);
            assertThat(format.value(Changes.inserted(), DELIVERY, TOPIC)).isEqualTo(first);
            assertThat(registry.requests()).hasSize(1);
            GenericRecord later = read(registry, format.value(Changes.withNote(), DELIVERY, TOPIC));
            assertThat(later.get("Note")).hasToString("thanks");
            assertThat(registry.requests()).hasSize(2);
        }
    }

    @Test
    void without_a_topic_the_subject_is_the_name_of_the_record() throws Exception {
        try (RegistryServer registry = registry()) {
            registered(registry).value(Changes.inserted(), DELIVERY, Optional.empty());
            assertThat(registry.requests()).containsExactly("POST /subjects/Orders/versions");
        }
    }

    @Test
    void a_schema_that_does_not_fit_is_refused_for_good_and_not_quoted() throws Exception {
        try (RegistryServer registry = registry()) {
            MessageFormat format = registered(registry);
            format.value(Changes.inserted(), DELIVERY, TOPIC);
            assertThatThrownBy(() -> format.value(OTHER_TYPE, DELIVERY, TOPIC))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("status 409 and code 409 to the schema of shop.orders-value")
                    .hasMessageContaining("compatibility")
                    .hasMessageNotContaining("incompatible");
        }
    }
}

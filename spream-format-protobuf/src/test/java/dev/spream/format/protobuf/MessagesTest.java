package dev.spream.format.protobuf;

import static dev.spream.format.protobuf.Changes.DELIVERY;
import static dev.spream.format.protobuf.Changes.ID;
import static dev.spream.format.protobuf.Changes.STATUS;
import static dev.spream.format.protobuf.Changes.array;
import static dev.spream.format.protobuf.Changes.column;
import static dev.spream.format.protobuf.Changes.row;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.spream.api.spi.MessageFormat;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.TypeCode;
import dev.spream.servers.RegistryServer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of messages, as receivers with and without a registry see them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class MessagesTest {
    private static final Optional<String> TOPIC = Optional.of("shop.orders");

    private static MessageFormat messages(String... config) {
        return Config.of(config).format().messages().orElseThrow();
    }

    private static RegistryServer registry() throws Exception {
        return RegistryServer.start(MessagesTest::isCompatible);
    }

    private static MessageFormat registered(RegistryServer registry, String shape) {
        return messages("shape", shape, "schema-registry.url", registry.url());
    }

    /**
     * Returns whether Confluent's registry lets a schema follow another one with the compatibility FULL: the package is the same, no message is gone,
     * and a field's number has its type.
     *
     * @see <a href="https://github.com/confluentinc/schema-registry/tree/master/protobuf-provider/src/main/java/io/confluent/kafka/schemaregistry/protobuf/diff">its rules</a>
     */
    private static boolean isCompatible(String schema, String before) {
        try {
            Descriptor next = Protoc.file(schema).getMessageTypes().getFirst();
            Descriptor last = Protoc.file(before).getMessageTypes().getFirst();
            return isCompatible(next, last) && isCompatible(last, next);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isCompatible(Descriptor schema, Descriptor before) {
        return schema.getFile().getPackage().equals(before.getFile().getPackage())
                && before.getNestedTypes().stream().allMatch(nested -> {
                    @Nullable Descriptor same = schema.findNestedTypeByName(nested.getName());
                    return same != null && isCompatible(same, nested);
                })
                && before.getFields().stream().allMatch(field -> {
                    @Nullable FieldDescriptor same = schema.findFieldByNumber(field.getNumber());
                    return same == null
                            || (same.getType() == field.getType() && same.isRepeated() == field.isRepeated());
                });
    }

    /** Reads a message by its schema in the registry, as Confluent's deserializer does. */
    private static DynamicMessage read(RegistryServer registry, byte[] message) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertThat(bytes.get()).as("magic byte").isZero();
        String schema = registry.schema(bytes.getInt());
        CodedInputStream in = CodedInputStream.newInstance(bytes);
        int indexes = in.readSInt32();
        List<Descriptor> types = Protoc.file(schema).getMessageTypes();
        Descriptor type = types.get(indexes == 0 ? 0 : in.readSInt32());
        for (int i = 1; i < indexes; i++) {
            type = type.getNestedTypes().get(in.readSInt32());
        }
        return DynamicMessage.parseFrom(type, in);
    }

    @Test
    void without_a_registry_a_message_is_that_of_protobuf_alone() throws Exception {
        MessageFormat format = messages("shape", "after");
        assertThat(format.contentType()).isEqualTo("application/protobuf");
        assertThat(format.hasTombstones()).isTrue();
        DataChangeRecord change = Changes.inserted();
        DynamicMessage row =
                DynamicMessage.parseFrom(Rows.definition(change), format.value(change, DELIVERY, Optional.empty()));
        assertThat(Rows.get(row, "Status")).isEqualTo("NEW");
    }

    @Test
    void a_whole_change_is_a_message_with_the_one_row_and_its_key_is_json() throws Exception {
        MessageFormat format = messages();
        assertThat(format.hasTombstones()).isFalse();
        assertThat(format.value(Changes.inserted(), DELIVERY, TOPIC))
                .isEqualTo(new DataChangeMessage().bytes(Changes.inserted()));
        assertThat(new String(format.key(Changes.inserted(), TOPIC), UTF_8)).isEqualTo("{\"Id\":\"17\"}");
    }

    @Test
    void files_are_not_offered() {
        assertThat(Config.of().format().files("none")).isEmpty();
    }

    @Test
    void with_a_registry_key_and_value_have_subjects_of_the_topic() throws Exception {
        try (RegistryServer registry = registry()) {
            MessageFormat format = registered(registry, "after");
            DynamicMessage value = read(registry, format.value(Changes.inserted(), DELIVERY, TOPIC));
            assertThat(Rows.get(value, "Status")).isEqualTo("NEW");
            DynamicMessage key = read(registry, format.key(Changes.inserted(), TOPIC));
            assertThat(key.getDescriptorForType().getFullName()).isEqualTo("OrdersKey");
            assertThat(Rows.get(key, "Id")).isEqualTo(17L);
            assertThat(registry.requests())
                    .containsExactly(
                            "POST /subjects/shop.orders-value/versions", "POST /subjects/shop.orders-key/versions");
            assertThat(registry.types()).containsOnly("PROTOBUF");
        }
    }

    @Test
    void a_whole_change_is_found_inside_its_file() throws Exception {
        try (RegistryServer registry = registry()) {
            DynamicMessage value = read(
                    registry, registered(registry, "record").value(Changes.inserted(), DELIVERY, Optional.empty()));
            assertThat(Rows.get(value, "table")).isEqualTo("Orders");
            assertThat(registry.requests())
                    .containsExactly("POST /subjects/google.spanner.v1.ChangeStreamRecord.DataChangeRecord/versions");
        }
    }

    @Test
    void columns_that_come_and_go_are_versions_that_the_registry_accepts() throws Exception {
        ColumnType tags = array("Tags", "STRING", 3);
        ColumnType retyped = column("Tags", TypeCode.INT64, false, 3);
        List<DataChangeRecord> changes = List.of(
                row("Orders", List.of(ID, STATUS), "{}"),
                row("Orders", List.of(ID, STATUS, tags), "{\"Tags\":[\"a\"]}"),
                row("Orders", List.of(ID, tags), "{\"Tags\":[\"a\"]}"),
                row("Orders", List.of(ID), "{}"),
                row("Orders", List.of(ID, retyped, STATUS), "{\"Tags\":\"5\"}"),
                Changes.deleted());
        try (RegistryServer registry = registry()) {
            MessageFormat format = registered(registry, "after");
            for (DataChangeRecord change : changes) {
                byte[] message = format.value(change, DELIVERY, TOPIC);
                assertThat(format.value(change, DELIVERY, TOPIC)).isEqualTo(message);
                assertThat(Rows.get(read(registry, message), "Id")).isEqualTo(17L);
            }
            assertThat(registry.requests()).as("one for each list of columns").hasSize(5);
        }
    }
}

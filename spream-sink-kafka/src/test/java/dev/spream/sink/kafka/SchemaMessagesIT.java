package dev.spream.sink.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.servers.RegistryServer;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The formats of plug-ins on a real broker, with the schemas of each topic in a registry. */
@Timeout(120)
final class SchemaMessagesIT {
    private static final int HEADER = 1 + Integer.BYTES;

    /** Publishes twenty changes of five rows, and returns what is on the topic. */
    private List<ConsumerRecord<byte[], byte[]>> published(String format, RegistryServer registry) throws Exception {
        String topic = TestBroker.newTopic(1);
        List<DataChangeRecord> committed =
                IntStream.rangeClosed(1, 20).mapToObj(SchemaMessagesIT::change).toList();
        try (Spream spream = Spream.builder(SpreamConfig.of(config(topic, format, registry)))
                .source(ScriptedSource.of(ScriptedSource.START, committed))
                .storage(new InMemoryPartitionStorage())
                .build()) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(registry.requests())
                .containsExactlyInAnyOrder(
                        "POST /subjects/%s-key/versions".formatted(topic),
                        "POST /subjects/%s-value/versions".formatted(topic));
        List<ConsumerRecord<byte[], byte[]>> messages = TestBroker.topics().read(topic);
        assertThat(messages).hasSize(20);
        return messages;
    }

    private static String schema(RegistryServer registry, byte[] message) {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertThat(bytes.get()).as("magic byte").isZero();
        return registry.schema(bytes.getInt());
    }

    private static GenericRecord avro(RegistryServer registry, byte[] message) throws Exception {
        return new GenericDatumReader<GenericRecord>(new Schema.Parser().parse(schema(registry, message)))
                .read(null, DecoderFactory.get().binaryDecoder(message, HEADER, message.length - HEADER, null));
    }

    /** Returns the fields of a message, found by the number that its schema has for the column Id. */
    private static UnknownFieldSet.Field protobuf(RegistryServer registry, byte[] message) throws Exception {
        Matcher field = Pattern.compile("string Id = (\\d+)").matcher(schema(registry, message));
        assertThat(field.find()).isTrue();
        assertThat(message[HEADER]).as("the first message of its file").isZero();
        ByteString content = ByteString.copyFrom(message, HEADER + 1, message.length - HEADER - 1);
        return UnknownFieldSet.parseFrom(content).getField(Integer.parseInt(field.group(1)));
    }

    @Test
    void keys_and_values_in_avro_have_the_subjects_of_their_topic() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        try (RegistryServer registry = RegistryServer.start((schema, before) -> false)) {
            for (ConsumerRecord<byte[], byte[]> message : published("avro", registry)) {
                assertThat(Topics.header(message, "content-type")).isEqualTo("avro/binary");
                String key = avro(registry, message.key()).toString();
                GenericRecord value = avro(registry, message.value());
                assertThat(value.get("__deleted")).isEqualTo(false);
                counts.merge(key, 1, Integer::sum);
            }
        }
        assertThat(counts).hasSize(5);
        assertThat(counts.values()).containsOnly(4);
    }

    @Test
    void keys_and_values_in_protobuf_have_the_subjects_of_their_topic() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        try (RegistryServer registry = RegistryServer.start((schema, before) -> false)) {
            for (ConsumerRecord<byte[], byte[]> message : published("protobuf", registry)) {
                assertThat(Topics.header(message, "content-type")).isEqualTo("application/protobuf");
                UnknownFieldSet.Field key = protobuf(registry, message.key());
                assertThat(protobuf(registry, message.value())).isEqualTo(key);
                counts.merge(key.getLengthDelimitedList().getFirst().toStringUtf8(), 1, Integer::sum);
            }
            assertThat(registry.types()).containsOnly("PROTOBUF");
        }
        assertThat(counts).hasSize(5);
        assertThat(counts.values()).containsOnly(4);
    }

    private static DataChangeRecord change(int second) {
        ColumnType id = new ColumnType("Id", SpannerType.of(TypeCode.STRING), true, 1);
        DataChangeRecord change = ScriptedSource.newChange(second, "row" + second % 5, "tx" + second);
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                true,
                change.tableName(),
                List.of(id),
                change.mods(),
                "INSERT",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }

    private static Map<String, String> config(String topic, String format, RegistryServer registry) {
        Map<String, String> config = new HashMap<>(Map.of(
                "sink",
                "kafka",
                "sink.kafka.topic",
                topic,
                "sink.kafka.bootstrap-servers",
                TestBroker.address(),
                "sink.kafka.format",
                format,
                "max-inflight",
                "20",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(60).toString()));
        config.put("format.%s.shape".formatted(format), "after");
        config.put("format.%s.schema-registry.url".formatted(format), registry.url());
        return config;
    }
}

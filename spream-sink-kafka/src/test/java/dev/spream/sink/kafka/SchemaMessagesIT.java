package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The format of a plug-in on a real broker: Avro, with the schemas of each topic in a registry. */
@Timeout(120)
final class AvroMessagesIT {
    private final Map<String, Schema> subjects = new ConcurrentHashMap<>();

    /** Starts a server that answers as a schema registry does, with one id for each subject. */
    private HttpServer registry() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/subjects/", call -> {
            try (call) {
                String subject = call.getRequestURI().getPath().split("/", -1)[2];
                JsonObject body = JsonObject.of(new String(call.getRequestBody().readAllBytes(), UTF_8));
                subjects.put(
                        subject, new Schema.Parser().parse(body.string("schema").orElseThrow()));
                byte[] answer = "{\"id\":%d}".formatted(id(subject)).getBytes(UTF_8);
                call.sendResponseHeaders(200, answer.length);
                call.getResponseBody().write(answer);
            }
        });
        server.start();
        return server;
    }

    private static int id(String subject) {
        return subject.endsWith("-key") ? 1 : 2;
    }

    private GenericRecord read(String subject, byte[] message) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertThat(bytes.get()).isZero();
        assertThat(bytes.getInt()).isEqualTo(id(subject));
        return new GenericDatumReader<GenericRecord>(subjects.get(subject))
                .read(null, DecoderFactory.get().binaryDecoder(message, 5, message.length - 5, null));
    }

    @Test
    void keys_and_values_have_the_subjects_of_their_topic() throws Exception {
        String topic = TestBroker.newTopic(1);
        List<DataChangeRecord> committed =
                IntStream.rangeClosed(1, 20).mapToObj(AvroMessagesIT::change).toList();
        HttpServer registry = registry();
        try (Spream spream = Spream.builder(SpreamConfig.of(config(topic, registry)))
                .source(ScriptedSource.of(ScriptedSource.START, committed))
                .storage(new InMemoryPartitionStorage())
                .build()) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        } finally {
            registry.stop(0);
        }
        List<ConsumerRecord<byte[], byte[]>> messages = TestBroker.topics().read(topic);
        assertThat(messages).hasSize(20);
        assertThat(subjects.keySet()).containsExactlyInAnyOrder(topic + "-key", topic + "-value");
        Map<String, Integer> counts = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> message : messages) {
            assertThat(Topics.header(message, "content-type")).isEqualTo("avro/binary");
            String key = read(topic + "-key", message.key()).toString();
            GenericRecord value = read(topic + "-value", message.value());
            assertThat(value.get("__deleted")).isEqualTo(false);
            counts.merge(key, 1, Integer::sum);
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

    private static Map<String, String> config(String topic, HttpServer registry) {
        Map<String, String> config = new HashMap<>(Map.of(
                "sink",
                "kafka",
                "sink.kafka.topic",
                topic,
                "sink.kafka.bootstrap-servers",
                TestBroker.address(),
                "sink.kafka.format",
                "avro",
                "format.avro.shape",
                "after",
                "max-inflight",
                "20",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(60).toString()));
        config.put(
                "format.avro.schema-registry.url",
                "http://localhost:" + registry.getAddress().getPort());
        return config;
    }
}

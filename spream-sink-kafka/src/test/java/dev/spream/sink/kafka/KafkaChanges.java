package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Changes, what is published of them, and by what. */
final class KafkaChanges {
    static final Instant START = ScriptedSource.START;

    private KafkaChanges() {}

    /** A change of these rows, committed that many seconds after the start. */
    static DataChangeRecord change(long second, String... ids) {
        return withNote(second, "secret " + second, ids);
    }

    static DataChangeRecord withNote(long second, String note, String... ids) {
        return ofTable("Orders", second, note, ids);
    }

    static DataChangeRecord ofTable(String table, long second, String note, String... ids) {
        return new DataChangeRecord(
                START.plusSeconds(second),
                "00000000",
                "tx" + second,
                true,
                table,
                List.of(),
                Stream.of(ids)
                        .map(id -> new Mod(
                                JsonObject.of(Map.of("Id", id)), JsonObject.of(Map.of("Note", note)), JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "nightly",
                false);
    }

    /** The row and the second of what was published: {@code a1}. */
    static String label(ConsumerRecord<byte[], byte[]> message) {
        DataChangeRecord change = ChangeRecordJson.readDataChange(new String(message.value(), UTF_8));
        return change.mods().getFirst().keys().string("Id").orElseThrow()
                + (change.commitTimestamp().getEpochSecond() - START.getEpochSecond());
    }

    static List<String> labels(List<ConsumerRecord<byte[], byte[]>> messages) {
        return messages.stream().map(KafkaChanges::label).toList();
    }

    static KafkaOptions options(String servers, Duration timeout, Map<String, String> properties) {
        return new KafkaOptions(
                "sink.kafka", "test", List.of(servers), properties, timeout, Duration.ofSeconds(30), true);
    }
}

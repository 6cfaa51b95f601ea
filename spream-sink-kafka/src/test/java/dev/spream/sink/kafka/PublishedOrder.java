package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Compares the messages of a topic with the commits: nothing is lost, and the history of each key is in order; after a
 * step back, every later change follows again, so that the last one is at the end.
 */
final class PublishedOrder {
    private PublishedOrder() {}

    static void check(List<DataChangeRecord> committed, List<ConsumerRecord<byte[], byte[]>> arrived) {
        Map<String, List<String>> expected = new LinkedHashMap<>();
        for (DataChangeRecord change : committed) {
            for (Mod mod : change.mods()) {
                expected.computeIfAbsent(
                                new RecordKey(change.tableName(), mod.keys()).canonicalKey(), key -> new ArrayList<>())
                        .add(change.identity() + "/" + change.mods().indexOf(mod));
            }
        }
        check(expected, arrived, "identity");
    }

    /**
     * @param expected the history of each key, by what the header says
     * @param header the name of the header, whose values differ within a key
     */
    static void check(Map<String, List<String>> expected, List<ConsumerRecord<byte[], byte[]>> arrived, String header) {
        Map<String, List<String>> actual = new LinkedHashMap<>();
        for (ConsumerRecord<byte[], byte[]> message : arrived) {
            actual.computeIfAbsent(new String(message.key(), UTF_8), key -> new ArrayList<>())
                    .add(Topics.header(message, header));
        }
        assertThat(actual.keySet()).containsExactlyInAnyOrderElementsOf(expected.keySet());
        expected.forEach((key, history) -> checkKey(key, history, actual.getOrDefault(key, List.of())));
    }

    private static void checkKey(String key, List<String> history, List<String> arrived) {
        int last = -1;
        for (String identity : arrived) {
            int index = history.indexOf(identity);
            assertThat(index)
                    .as("%s of %s after change %d of %s in %s", identity, key, last, history, arrived)
                    .isBetween(0, last + 1);
            last = index;
        }
        assertThat(last)
                .as("the last change of %s that arrived, in %s", key, arrived)
                .isEqualTo(history.size() - 1);
    }
}

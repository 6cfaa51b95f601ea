package dev.spream.api.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.testkit.consume.Changes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of which message may be sent when, and of what becomes of each change. Messages are named {@code key + change}. */
final class KeyLanesTest {
    private final RecordedBatch batch = new RecordedBatch(4);
    private final KeyLanes<String> lanes = new KeyLanes<>(batch, KeyLanesTest::behind);

    private static Exception behind(RecordIdentity change) {
        return new IllegalStateException("behind");
    }

    private void enter(int change, String... keys) {
        for (String key : keys) {
            lanes.enter(change, key, key + change, 1);
        }
    }

    private KeyLanes.Request<String> next(String... messages) {
        KeyLanes.Request<String> next = lanes.next(1, Long.MAX_VALUE);
        assertThat(next.messages()).containsExactly(messages);
        return next;
    }

    @Test
    void a_message_waits_for_the_one_before_it_of_its_key_and_for_no_other() {
        enter(0, "a");
        enter(1, "a");
        enter(2, "b");
        enter(3, "a");
        KeyLanes.Request<String> first = next("a0");
        KeyLanes.Request<String> other = next("b2");
        assertThat(lanes.hasNext()).isFalse();
        assertThatThrownBy(() -> lanes.next(1, 1)).isInstanceOf(IllegalStateException.class);
        lanes.confirmed(other);
        assertThat(lanes.hasNext()).isFalse();
        lanes.confirmed(first);
        assertThat(lanes.judge()).isFalse();
        assertThat(batch.settled).containsExactly(0);
        lanes.confirmed(next("a1"));
        lanes.confirmed(next("a3"));
        assertThat(lanes.judge()).isTrue();
        assertThat(batch.settled).containsExactly(0, 1, 2, 3);
    }

    @Test
    void a_refused_message_keeps_back_what_follows_it_over_all_keys_and_nothing_else() {
        enter(0, "a");
        enter(1, "a", "b");
        enter(2, "b");
        enter(3, "c");
        lanes.refused(next("a0"), (change, message) -> new Exception(message));
        lanes.confirmed(next("c3"));
        assertThat(lanes.judge()).isTrue();
        assertThat(batch.settled)
                .as("a change after a failed one is left to the engine")
                .isEmpty();
        assertThat(batch.failed).isEqualTo(Map.of(0, "a0", 1, "behind", 2, "behind"));
    }

    @Test
    void a_change_of_several_rows_is_confirmed_when_all_are() {
        enter(0, "a", "b");
        lanes.confirmed(next("a0"));
        assertThat(lanes.judge()).isFalse();
        lanes.refused(next("b0"), (change, message) -> new Exception(message));
        lanes.judge();
        assertThat(batch.failed).isEqualTo(Map.of(0, "b0"));
    }

    @Test
    void messages_of_a_key_that_fail_together_are_sent_alone() {
        enter(0, "a");
        enter(1, "a");
        enter(2, "a");
        KeyLanes.Request<String> together = lanes.next(10, Long.MAX_VALUE);
        assertThat(together.messages()).containsExactly("a0", "a1", "a2");
        lanes.sendAlone(together);
        lanes.confirmed(next("a0"));
        KeyLanes.Request<String> faulty = lanes.next(10, Long.MAX_VALUE);
        assertThat(faulty.messages()).containsExactly("a1");
        lanes.refused(faulty, (change, message) -> new Exception(message));
        lanes.judge();
        assertThat(batch.failed).isEqualTo(Map.of(1, "a1", 2, "behind"));
        assertThat(batch.settled).containsExactly(0);
    }

    @Test
    void a_change_that_cannot_be_sent_keeps_back_what_follows_it() {
        enter(0, "a");
        enter(1, "a");
        lanes.fail(0, new Exception("too large"));
        assertThat(lanes.hasNext()).isFalse();
        lanes.judge();
        assertThat(batch.failed).containsEntry(0, "too large").containsEntry(1, "behind");
    }

    /** Random batches, answers and refusals: nothing follows a refused change on its keys unless it was in flight before. */
    @Test
    void no_message_is_sent_after_one_of_its_key_that_was_not_confirmed() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            RecordedBatch changes = new RecordedBatch(12);
            KeyLanes<String> all = new KeyLanes<>(changes, KeyLanesTest::behind);
            for (int change = 0; change < 12; change++) {
                int of = change;
                random.ints(0, 4)
                        .distinct()
                        .limit(1 + random.nextInt(2))
                        .forEach(key -> all.enter(of, "k" + key, "k%d %d".formatted(key, of), 1));
            }
            List<KeyLanes.Request<String>> flying = new ArrayList<>();
            Map<String, Integer> last = new HashMap<>();
            Set<String> refusedKeys = new HashSet<>();
            while (!all.judge()) {
                if (all.hasNext() && random.nextBoolean() || flying.isEmpty()) {
                    KeyLanes.Request<String> request = all.next(1 + random.nextInt(3), Long.MAX_VALUE);
                    assertThat(flying.stream().map(KeyLanesTest::keyOf))
                            .as("seed %d", seed)
                            .doesNotContain(keyOf(request));
                    for (String message : request.messages()) {
                        String key = message.split(" ")[0];
                        int change = Integer.parseInt(message.split(" ")[1]);
                        assertThat(refusedKeys).as("seed %d, %s", seed, message).doesNotContain(key);
                        assertThat(change).as("seed %d, %s", seed, message).isGreaterThan(last.getOrDefault(key, -1));
                        last.put(key, change);
                    }
                    flying.add(request);
                } else {
                    KeyLanes.Request<String> answered = flying.remove(random.nextInt(flying.size()));
                    if (random.nextInt(6) == 0) {
                        refusedKeys.add(keyOf(answered));
                        all.refused(answered, (change, message) -> new Exception(message));
                    } else {
                        all.confirmed(answered);
                    }
                }
            }
            assertThat(flying)
                    .as("seed %d: requests in flight after the last decision", seed)
                    .isEmpty();
            assertThat(changes.settled.size() + changes.failed.size())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(12);
            assertThat(changes.settled).as("seed %d", seed).noneMatch(changes.failed::containsKey);
            if (changes.failed.isEmpty()) {
                assertThat(changes.settled).as("seed %d", seed).hasSize(12);
            }
        }
    }

    private static String keyOf(KeyLanes.Request<String> request) {
        return request.messages().getFirst().split(" ")[0];
    }

    private static final class RecordedBatch implements Batch {
        private final List<DataChangeRecord> changes;
        private final List<Integer> settled = new ArrayList<>();
        private final Map<Integer, String> failed = new HashMap<>();

        RecordedBatch(int size) {
            changes = IntStream.range(0, size).mapToObj(i -> Changes.of(i, "A")).toList();
        }

        @Override
        public List<DataChangeRecord> changes() {
            return changes;
        }

        @Override
        public Delivery delivery(int index) {
            return Delivery.ofReplay(new PartitionToken("p"), 1);
        }

        @Override
        public void settle(int index) {
            settled.add(index);
        }

        @Override
        public void fail(int index, Throwable cause) {
            failed.put(index, String.valueOf(cause.getMessage()));
        }
    }
}

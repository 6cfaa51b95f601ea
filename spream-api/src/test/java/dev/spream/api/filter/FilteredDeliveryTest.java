package dev.spream.api.filter;

import static dev.spream.api.filter.FilterChanges.changed;
import static dev.spream.api.filter.FilterChanges.mod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter between the engine and a consumer of batches that fails changes, and whole batches, at random. */
@Timeout(120)
final class FilteredDeliveryTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int CHANGES = 200;
    private static final int KEYS = 4;

    private static final ChangeFilter FILTER =
            ChangeFilter.builder().columns("Orders.Status").build();

    @Test
    void each_key_is_consumed_in_order_whatever_is_filtered_out_and_fails_between() throws Exception {
        int largest = 0;
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            List<DataChangeRecord> changes = IntStream.rangeClosed(1, CHANGES)
                    .mapToObj(second -> changed(second, "Orders", "UPDATE", anyMod(random)))
                    .toList();
            List<DataChangeRecord> expected = changes.stream()
                    .flatMap(change -> FILTER.apply(change).stream())
                    .toList();
            RandomConsumer consumer = new RandomConsumer(random.nextLong());
            try (FilteredConsumer filtered = FILTER.before(consumer)) {
                assertThat(run(changes, filtered)).as("seed %d", seed).isEqualTo(CompletionReason.COMPLETED);
                assertThat(filtered.filtered()).as("seed %d", seed).isGreaterThanOrEqualTo(CHANGES - expected.size());
            }
            largest = Math.max(largest, consumer.largest());
            for (int key = 0; key < KEYS; key++) {
                String id = "key" + key;
                assertThat(of(consumer.taken(), id)).as("%s, seed %d", id, seed).isEqualTo(of(expected, id));
            }
        }
        assertThat(largest).as("changes in the largest batch").isGreaterThan(4);
    }

    private static Mod anyMod(Random random) {
        String values = random.nextBoolean() ? "{\"Status\":\"a\",\"Total\":\"1\"}" : "{\"Total\":\"1\"}";
        return mod("key" + random.nextInt(KEYS), values, "{}");
    }

    private static List<DataChangeRecord> of(List<DataChangeRecord> changes, String id) {
        return changes.stream()
                .filter(change -> change.mods()
                        .getFirst()
                        .keys()
                        .string("Id")
                        .orElseThrow()
                        .equals(id))
                .toList();
    }

    private static CompletionReason run(List<DataChangeRecord> changes, FilteredConsumer consumer) {
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(START)
                .endAt(START.plusSeconds(CHANGES + 1))
                .maxInflight(32)
                .errorHandler(ErrorHandler.fixedBackoff(Duration.ofMillis(1)).forever())
                .build();
        try (Subscriber subscriber = Subscriber.builder(
                        ScriptedSource.of(START, changes), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            return subscriber.run(consumer);
        }
    }

    /** Takes each change once: one that it fails has no effect, and one that it has taken already is a duplicate. */
    private static final class RandomConsumer implements BatchConsumer {
        private final Random random; // guarded by this, as all that follows
        private final List<DataChangeRecord> taken = new ArrayList<>();
        private final Set<Object> known = new HashSet<>();
        private int largest;

        RandomConsumer(long seed) {
            random = new Random(seed);
        }

        @Override
        public synchronized void consume(Batch batch) throws Exception {
            largest = Math.max(largest, batch.changes().size());
            Set<Object> failed = new HashSet<>();
            for (int i = 0; i < batch.changes().size(); i++) {
                DataChangeRecord change = batch.changes().get(i);
                Object key = change.mods().getFirst().keys();
                int mood = random.nextInt(10);
                if (failed.contains(key)) {
                    continue;
                }
                if (mood == 0) {
                    throw new IOException("the whole batch");
                }
                if (mood <= 2) {
                    batch.fail(i, new IOException("this one"));
                    failed.add(key);
                    continue;
                }
                if (known.add(change.identity())) {
                    taken.add(change);
                }
                batch.settle(i);
            }
        }

        synchronized int largest() {
            return largest;
        }

        synchronized List<DataChangeRecord> taken() {
            return List.copyOf(taken);
        }
    }
}

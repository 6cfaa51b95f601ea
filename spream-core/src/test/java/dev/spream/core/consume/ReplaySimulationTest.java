package dev.spream.core.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Random histories of one partition that parks keys, crashes and comes again from its watermark, while an operator replays.
 * What a key's consumer took is looked at as places in the key's history.
 */
final class ReplaySimulationTest {
    private static final int CHANGES = 40;
    private static final int SEEDS = Integer.getInteger("spream.replay.seeds", 6);

    @Test
    void replays_of_what_has_caught_up_keep_each_key_in_order_through_crashes() throws Exception {
        assertThat(violations(store -> store, true, ReplaySimulationTest::isOrderedSuffixes))
                .isEmpty();
    }

    @Test
    void replays_at_any_time_end_with_each_key_in_order() throws Exception {
        assertThat(violations(store -> store, false, ReplaySimulationTest::endsInOrder))
                .isEmpty();
    }

    @Test
    void a_store_that_releases_too_early_or_loses_letters_is_noticed() throws Exception {
        UnaryOperator<DeadLetterStore> neverParks = store -> new ForwardingStore(store) {
            @Override
            public boolean acceptIfParked(DeadLetter letter) {
                return false;
            }
        };
        assertThat(violations(neverParks, true, ReplaySimulationTest::isOrderedSuffixes))
                .isNotEmpty();
        assertThat(violations(neverParks, false, ReplaySimulationTest::endsInOrder))
                .isNotEmpty();
        assertThat(violations(ForgetfulStores.ForgetsWhatIsBehind::new, true, ReplaySimulationTest::isOrderedSuffixes))
                .isNotEmpty();
    }

    /** The histories of keys that lack a change or are not as they should be. */
    private static List<String> violations(
            UnaryOperator<DeadLetterStore> spoiler, boolean onlyCaughtUp, Predicate<List<Integer>> isAsItShouldBe)
            throws Exception {
        List<String> violations = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (Simulation simulation = new Simulation(seed, spoiler, onlyCaughtUp)) {
                Map<RecordKey, List<Integer>> taken = simulation.run();
                for (RecordKey key : simulation.histories.keySet()) {
                    List<Integer> places = taken.getOrDefault(key, List.of());
                    if (new HashSet<>(places).size() < simulation.history(key).size() || !isAsItShouldBe.test(places)) {
                        violations.add("seed %d: %s took %s".formatted(seed, key, places));
                    }
                }
            }
        }
        return violations;
    }

    /** Whether the last time that each place was taken is before the last time of the next one. */
    private static boolean endsInOrder(List<Integer> places) {
        List<Integer> last =
                places.stream().distinct().sorted().map(places::lastIndexOf).toList();
        return last.equals(last.stream().sorted().toList());
    }

    /** Whether each place is followed by the next one, or by an earlier one from which it all comes again. */
    private static boolean isOrderedSuffixes(List<Integer> places) {
        int before = -1;
        for (int place : places) {
            if (place > before + 1) {
                return false;
            }
            before = place;
        }
        return true;
    }

    /** A partition's reader as the engine is one, as far as it has to do with dead letters. */
    private static final class Simulation implements AutoCloseable {
        private final Random random;
        private final boolean onlyCaughtUp;
        private final JsonlFixture fixture;
        private final List<DataChangeRecord> changes = new ArrayList<>();
        private final Map<RecordKey, List<DataChangeRecord>> histories = new HashMap<>();
        private final Map<RecordKey, List<Integer>> taken = new HashMap<>();
        private final Set<RecordKey> mayBeParked = new HashSet<>();
        private int position;
        private int furthest;
        private int watermark;
        private boolean healthy;

        Simulation(long seed, UnaryOperator<DeadLetterStore> spoiler, boolean onlyCaughtUp) {
            this.fixture = new JsonlFixture(spoiler);
            this.random = new Random(seed);
            this.onlyCaughtUp = onlyCaughtUp;
            for (long second = 0; second < CHANGES; second++) {
                DataChangeRecord change =
                        switch (random.nextInt(5)) {
                            case 0 -> Changes.of(second, "A", "B");
                            case 1, 2 -> Changes.of(second, "A");
                            case 3 -> Changes.of(second, "B");
                            default -> Changes.of(second, "C");
                        };
                changes.add(change);
                RecordKey.of(change)
                        .forEach(key -> histories
                                .computeIfAbsent(key, k -> new ArrayList<>())
                                .add(change));
            }
        }

        private List<DataChangeRecord> history(RecordKey key) {
            return histories.getOrDefault(key, List.of());
        }

        Map<RecordKey, List<Integer>> run() throws Exception {
            while (position < changes.size()) {
                switch (random.nextInt(12)) {
                    case 0 -> crash();
                    case 1 -> watermark += random.nextInt(position - watermark + 1);
                    case 2 -> replay();
                    default -> deliver(changes.get(position++));
                }
                furthest = Math.max(furthest, position);
            }
            healthy = true;
            assertThat(replay(DeadLetterReplay.of(fixture.sink(), this::consume))
                            .isComplete())
                    .isTrue();
            assertThat(fixture.sink().parkedKeys()).isEmpty();
            return taken;
        }

        private void crash() throws Exception {
            fixture.restart();
            position = watermark;
            mayBeParked.clear();
            mayBeParked.addAll(fixture.sink().parkedKeys());
        }

        private void replay() throws InterruptedException {
            if (!onlyCaughtUp || position == furthest) {
                replay(DeadLetterReplay.of(fixture.sink(), this::consume));
            }
        }

        private ReplayResult replay(DeadLetterReplay replay) throws InterruptedException {
            return healthy || random.nextBoolean() ? replay.all() : replay.key(Changes.key("A"));
        }

        private void deliver(DataChangeRecord change) throws Exception {
            Set<RecordKey> keys = RecordKey.of(change);
            if (keys.stream().anyMatch(mayBeParked::contains)) {
                if (fixture.sink().acceptIfParked(Letters.behind(change))) {
                    mayBeParked.addAll(keys);
                    return;
                }
                mayBeParked.removeAll(keys);
            }
            fixture.sink().delivering(change);
            try {
                consume(change, new Delivery(Letters.PARTITION, 1, 1, Optional.empty()));
            } catch (IOException e) {
                fixture.sink().accept(Letters.parked(change));
                mayBeParked.addAll(keys);
            }
        }

        private void consume(DataChangeRecord change, Delivery delivery) throws IOException {
            if (!healthy && random.nextInt(4) == 0) {
                throw new IOException("unreachable in attempt " + delivery.attempt());
            }
            RecordKey.of(change)
                    .forEach(key -> taken.computeIfAbsent(key, k -> new ArrayList<>())
                            .add(history(key).indexOf(change)));
        }

        @Override
        public void close() throws IOException {
            fixture.close();
        }
    }
}

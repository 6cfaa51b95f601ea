package dev.spream.core.subscription.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.subscription.ScriptedSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PerKeyQueueTest {
    private static final long SEEDS = 1_000;

    private final PerKeyQueue lanes = new PerKeyQueue(() -> {});

    private static InflightRecord record(long sequence, String... keys) {
        return new InflightRecord(sequence, ScriptedSource.newChange(sequence, "A", "tx-" + sequence), Set.of(keys), 1);
    }

    private InflightRecord enter(long sequence, String... keys) {
        InflightRecord record = record(sequence, keys);
        lanes.enter(record);
        return record;
    }

    private InflightRecord takeOne() {
        List<InflightRecord> taken = lanes.take(1);
        assertThat(taken).hasSize(1);
        return taken.getFirst();
    }

    private List<Long> take(int max) {
        return lanes.take(max).stream().map(InflightRecord::sequence).toList();
    }

    @Test
    void a_record_waits_for_the_one_before_it_on_its_key_and_for_no_other() {
        InflightRecord first = enter(1, "A");
        enter(2, "A");
        enter(3, "B");

        assertThat(takeOne()).isEqualTo(first);
        assertThat(takeOne().sequence()).isEqualTo(3);
        assertThat(lanes.take(1)).isEmpty();

        lanes.leave(first);
        assertThat(takeOne().sequence()).isEqualTo(2);
    }

    @Test
    void a_record_of_several_keys_waits_for_all_of_them_and_holds_up_all_of_them() {
        InflightRecord a = enter(1, "A");
        InflightRecord b = enter(2, "B");
        InflightRecord both = enter(3, "A", "B");
        enter(4, "A");
        enter(5, "B");
        lanes.take(1);
        lanes.take(1);

        lanes.leave(a);
        assertThat(lanes.ready()).isZero();
        lanes.leave(b);
        assertThat(takeOne()).isEqualTo(both);
        assertThat(lanes.ready()).isZero();
        lanes.leave(both);
        assertThat(take(10)).containsExactly(4L, 5L);
    }

    @Test
    void without_lanes_nothing_waits() {
        enter(1);
        enter(2);

        assertThat(lanes.ready()).isEqualTo(2);
    }

    @Test
    void records_that_follow_one_another_can_be_taken_together_in_their_order() {
        for (int sequence = 1; sequence <= 6; sequence++) {
            enter(sequence, sequence % 2 == 0 ? "even" : "odd");
        }

        assertThat(take(4)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(take(4)).as("the rest waits for those that were taken").isEmpty();
    }

    @Test
    void a_record_is_not_taken_with_another_before_what_it_waits_for_elsewhere() {
        enter(1, "A");
        InflightRecord elsewhere = takeOne();
        enter(2, "B");
        enter(3, "A", "B");
        enter(4, "B");

        assertThat(take(10)).containsExactly(2L);
        lanes.leave(elsewhere);
        assertThat(lanes.ready()).isZero();
    }

    @Test
    void a_record_that_is_put_back_comes_again_before_what_follows_it() {
        InflightRecord first = enter(1, "A");
        enter(2, "A");
        lanes.take(1);

        lanes.putBack(first, false);

        assertThat(take(10)).containsExactly(1L, 2L);
    }

    @Test
    void a_record_that_has_to_be_alone_is_taken_alone() {
        InflightRecord first = enter(1, "A");
        InflightRecord second = enter(2, "A");
        enter(3, "B");
        lanes.take(10);
        lanes.putBack(first, true);
        lanes.putBack(second, true);

        assertThat(take(10)).containsExactly(1L);
        lanes.leave(first);
        enter(4, "B");
        assertThat(take(10)).containsExactly(2L);
    }

    @Test
    void a_record_settled_before_one_that_it_follows_does_not_let_others_overtake_that_one() {
        InflightRecord failed = enter(1, "A");
        InflightRecord settled = enter(2, "A");
        enter(3, "A");
        lanes.take(2);

        lanes.leave(settled);
        assertThat(lanes.ready()).as("3 must not overtake 1").isZero();
        lanes.leave(failed);
        assertThat(takeOne().sequence()).isEqualTo(3);
    }

    @Test
    void a_record_that_was_not_taken_cannot_leave() {
        InflightRecord record = enter(1, "A");

        assertThatThrownBy(() -> lanes.leave(record)).isInstanceOf(IllegalStateException.class);
    }

    /** Against a list that is searched: a record may start when no unsettled one before it shares a key. */
    @Test
    void any_order_of_events_gives_what_a_naive_model_gives() {
        for (long seed = 0; seed < SEEDS; seed++) {
            new Model(seed).run();
        }
    }

    private static final class Model {
        private final long seed;
        private final Random random;
        private final PerKeyQueue lanes = new PerKeyQueue(() -> {});
        private final List<InflightRecord> unsettled = new ArrayList<>(); // in read order
        private final Set<InflightRecord> taken = new HashSet<>();
        private final Set<InflightRecord> alone = new HashSet<>();
        private final Set<InflightRecord> settled = new HashSet<>();
        private long next = 1;

        Model(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(4)) {
                    case 0, 1 -> enter();
                    case 2 -> take();
                    default -> giveBackOne();
                }
                assertThat(lanes.ready())
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(startable().size());
            }
        }

        private void enter() {
            Set<String> keys = new TreeSet<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                keys.add("k" + random.nextInt(5));
            }
            InflightRecord record = record(next++, keys.toArray(String[]::new));
            lanes.enter(record);
            unsettled.add(record);
        }

        private void take() {
            int max = 1 + random.nextInt(4);
            List<InflightRecord> startable = startable();
            List<InflightRecord> batch = lanes.take(max);
            assertThat(batch.size()).as("seed %d", seed).isLessThanOrEqualTo(max);
            if (startable.isEmpty()) {
                assertThat(batch).as("seed %d", seed).isEmpty();
                return;
            }
            assertThat(batch).as("seed %d", seed).contains(startable.getFirst());
            assertThat(batch.size() == 1 || batch.stream().noneMatch(alone::contains))
                    .as("seed %d: alone", seed)
                    .isTrue();
            assertThat(batch)
                    .as("seed %d", seed)
                    .isSortedAccordingTo((a, b) -> Long.compare(a.sequence(), b.sequence()));
            for (InflightRecord record : batch) {
                assertThat(before(record).allMatch(batch::contains))
                        .as("seed %d: %d waits for none, or for what is in its batch", seed, record.sequence())
                        .isTrue();
            }
            if (alone.isEmpty()) {
                assertThat(batch)
                        .as("seed %d: no smaller than need be", seed)
                        .hasSizeGreaterThanOrEqualTo(Math.min(max, startable.size()));
            }
            taken.addAll(batch);
        }

        private void giveBackOne() {
            List<InflightRecord> candidates =
                    unsettled.stream().filter(taken::contains).toList();
            if (candidates.isEmpty()) {
                return;
            }
            InflightRecord record = candidates.get(random.nextInt(candidates.size()));
            taken.remove(record);
            if (random.nextInt(4) == 0) {
                boolean single = random.nextBoolean();
                lanes.putBack(record, single);
                if (single) {
                    alone.add(record);
                }
            } else {
                lanes.leave(record);
                settled.add(record);
                goInOrder();
            }
        }

        /** A settled record goes when nothing before it in its lanes is left. */
        private void goInOrder() {
            for (InflightRecord record : List.copyOf(unsettled)) {
                if (settled.contains(record) && before(record).findAny().isEmpty()) {
                    unsettled.remove(record);
                }
            }
        }

        /** Not taken, and nothing unsettled before it shares a key. */
        private List<InflightRecord> startable() {
            return unsettled.stream()
                    .filter(record ->
                            !taken.contains(record) && before(record).findAny().isEmpty())
                    .toList();
        }

        private Stream<InflightRecord> before(InflightRecord record) {
            return unsettled.stream()
                    .takeWhile(other -> !other.equals(record))
                    .filter(other -> !Collections.disjoint(other.lanes(), record.lanes()));
        }
    }
}

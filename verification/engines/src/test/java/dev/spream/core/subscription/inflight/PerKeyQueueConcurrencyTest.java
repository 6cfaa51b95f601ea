package dev.spream.core.subscription.inflight;

import dev.spream.testkit.subscription.ScriptedSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that concurrent operations are linearizable, by a naive specification: one thread adds records, as the reader
 * does; any thread takes them; the thread that took a record settles it or puts it back.
 */
@Tag("proof")
class PerKeyQueueConcurrencyTest {
    private static final int THREADS = 3;

    /** The state at the start of a scenario: each of the three kinds of waiting. */
    private static final List<Integer> ENTERED = List.of(1, 2, 3, 1, 2);

    @Test
    void in_every_interleaving_of_small_scenarios_the_lanes_are_linearizable() {
        new ModelCheckingOptions()
                .iterations(40)
                .invocationsPerIteration(1_000)
                .threads(THREADS)
                .actorsPerThread(3)
                .actorsBefore(2)
                .sequentialSpecification(Specification.class)
                .check(Lanes.class);
    }

    @Test
    void under_stress_the_lanes_are_linearizable() {
        new StressOptions()
                .iterations(40)
                .invocationsPerIteration(2_000)
                .threads(THREADS)
                .actorsPerThread(4)
                .actorsBefore(2)
                .sequentialSpecification(Specification.class)
                .check(Lanes.class);
    }

    /** A record has none, one or both of two keys. */
    private static Set<String> keys(int which) {
        return switch (which) {
            case 0 -> Set.of();
            case 1 -> Set.of("A");
            case 2 -> Set.of("B");
            default -> Set.of("A", "B");
        };
    }

    private static <R> List<Deque<R>> oneForEachThread() {
        return Stream.generate(() -> (Deque<R>) new ArrayDeque<R>())
                .limit(THREADS + 2) // and for what happens before and after the threads run
                .toList();
    }

    /** The operations tell records by their sequences; 0 says that the thread has taken none. */
    @Param(name = "keys", gen = IntGen.class, conf = "0:3")
    @Param(name = "max", gen = IntGen.class, conf = "1:3")
    @Param(name = "thread", gen = ThreadIdGen.class)
    @Param(name = "alone", gen = BooleanGen.class)
    public static final class Lanes {
        private final PerKeyQueue lanes = new PerKeyQueue(() -> {});
        private final List<Deque<InflightRecord>> taken = oneForEachThread();
        private int sequence;

        public Lanes() {
            ENTERED.forEach(this::enter);
        }

        @Operation(nonParallelGroup = "reader", params = "keys")
        public void enter(int keys) {
            sequence++;
            lanes.enter(new InflightRecord(sequence, ScriptedSource.newChange(sequence, "A", "tx"), keys(keys), 1));
        }

        @Operation
        public int ready() {
            return lanes.ready();
        }

        @Operation(params = {"thread", "max"})
        public List<Long> take(int thread, int max) {
            List<InflightRecord> records = lanes.take(max);
            taken.get(thread).addAll(records);
            return records.stream().map(InflightRecord::sequence).toList();
        }

        @Operation(params = "thread")
        public long leave(int thread) {
            return leave(taken.get(thread).pollFirst());
        }

        /** The newest first: a batch consumer may settle a change before one that it follows. */
        @Operation(params = "thread")
        public long leaveLast(int thread) {
            return leave(taken.get(thread).pollLast());
        }

        private long leave(@Nullable InflightRecord record) {
            if (record == null) {
                return 0;
            }
            lanes.leave(record);
            return record.sequence();
        }

        @Operation(params = {"thread", "alone"})
        public long putBack(int thread, boolean alone) {
            InflightRecord record = taken.get(thread).pollFirst();
            if (record == null) {
                return 0;
            }
            lanes.putBack(record, alone);
            return record.sequence();
        }
    }

    /** The same by looking at all records that are left, each time. */
    public static final class Specification {
        private final List<Entry> left = new ArrayList<>();
        private final List<Deque<Entry>> taken = oneForEachThread();
        private int sequence;

        public Specification() {
            ENTERED.forEach(this::enter);
        }

        private static final class Entry {
            final long sequence;
            final Set<String> keys;
            boolean isTaken;
            boolean isAlone;
            boolean isSettled;

            Entry(long sequence, Set<String> keys) {
                this.sequence = sequence;
                this.keys = keys;
            }
        }

        public void enter(int keys) {
            left.add(new Entry(++sequence, keys(keys)));
        }

        public int ready() {
            return (int) startable().count();
        }

        public List<Long> take(int thread, int max) {
            List<Entry> batch = new ArrayList<>();
            Optional<Entry> next = startable().findFirst();
            boolean single = max == 1 || next.map(entry -> entry.isAlone).orElse(false);
            while (next.isPresent()) {
                next.get().isTaken = true;
                batch.add(next.get());
                next = single || batch.size() == max ? Optional.empty() : next(batch);
            }
            batch.sort((a, b) -> Long.compare(a.sequence, b.sequence));
            taken.get(thread).addAll(batch);
            return batch.stream().map(entry -> entry.sequence).toList();
        }

        /** The oldest that may join: the first startable one, or one that waits only for what is in the batch. */
        private Optional<Entry> next(List<Entry> batch) {
            Optional<Entry> free = startable().findFirst().filter(entry -> !entry.isAlone);
            return left.stream()
                    .filter(entry -> !entry.isTaken && !entry.isAlone)
                    .filter(entry -> free.filter(entry::equals).isPresent()
                            || (before(entry).findAny().isPresent()
                                    && before(entry).allMatch(batch::contains)))
                    .findFirst();
        }

        public long leave(int thread) {
            return leave(taken.get(thread).pollFirst());
        }

        public long leaveLast(int thread) {
            return leave(taken.get(thread).pollLast());
        }

        private long leave(@Nullable Entry entry) {
            if (entry == null) {
                return 0;
            }
            entry.isSettled = true;
            Predicate<Entry> goes =
                    other -> other.isSettled && before(other).findAny().isEmpty();
            for (Optional<Entry> gone = left.stream().filter(goes).findFirst();
                    gone.isPresent();
                    gone = left.stream().filter(goes).findFirst()) {
                left.remove(gone.get());
            }
            return entry.sequence;
        }

        public long putBack(int thread, boolean alone) {
            Entry entry = taken.get(thread).pollFirst();
            if (entry == null) {
                return 0;
            }
            entry.isTaken = false;
            entry.isAlone |= alone;
            return entry.sequence;
        }

        private Stream<Entry> startable() {
            return left.stream()
                    .filter(entry -> !entry.isTaken && before(entry).findAny().isEmpty());
        }

        private Stream<Entry> before(Entry entry) {
            return left.stream()
                    .takeWhile(other -> !other.equals(entry))
                    .filter(other -> !Collections.disjoint(other.keys, entry.keys));
        }
    }
}

package dev.spream.core.subscription.inflight;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Concurrent operations have the results of the same operations one after the other, by a naive specification: one
 * thread opens and marks, as the reader does, and all threads settle and query.
 */
@Tag("proof")
class InflightTrackerConcurrencyTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    private static final int CAPACITY = 3;

    @Test
    void in_every_interleaving_of_small_scenarios_the_tracker_is_linearizable() {
        new ModelCheckingOptions()
                .iterations(40)
                .invocationsPerIteration(1_000)
                .threads(3)
                .actorsPerThread(3)
                .sequentialSpecification(Specification.class)
                .check(Tracker.class);
    }

    @Test
    void under_stress_the_tracker_is_linearizable() {
        new StressOptions()
                .iterations(40)
                .invocationsPerIteration(2_000)
                .threads(3)
                .actorsPerThread(4)
                .sequentialSpecification(Specification.class)
                .check(Tracker.class);
    }

    /** Every second, something is read; a record that finds no room, or is not in flight, is refused. */
    @Param(name = "sequence", gen = IntGen.class, conf = "1:5")
    public static final class Tracker {
        private final InflightTracker tracker = new InflightTracker("Orders/p", CAPACITY, START);
        private int second;

        @Operation(nonParallelGroup = "reader")
        public long open() {
            return tracker.open(START.plusSeconds(++second));
        }

        @Operation(nonParallelGroup = "reader")
        public void mark() {
            tracker.mark(START.plusSeconds(++second));
        }

        @Operation(params = "sequence")
        public void settle(int sequence) {
            tracker.settle(sequence);
        }

        @Operation
        public long watermark() {
            return Duration.between(START, tracker.watermark()).toSeconds();
        }

        @Operation
        public int inFlight() {
            return tracker.inFlight();
        }
    }

    /** The same by a list of everything that was ever read. */
    public static final class Specification {
        private final List<Boolean> settled = new ArrayList<>(List.of(true));
        private final List<Integer> positions = new ArrayList<>(List.of(0));
        private int second;

        public long open() {
            second++;
            if (inFlight() == CAPACITY) {
                throw new IllegalStateException("no room");
            }
            settled.add(false);
            positions.add(second);
            return settled.size() - 1;
        }

        public void mark() {
            positions.set(positions.size() - 1, ++second);
        }

        public void settle(int sequence) {
            if (sequence >= settled.size() || settled.get(sequence)) {
                throw new IllegalStateException("not in flight");
            }
            settled.set(sequence, true);
        }

        public long watermark() {
            return positions.get(lastSettled());
        }

        public int inFlight() {
            return settled.size() - 1 - lastSettled();
        }

        private int lastSettled() {
            int firstUnsettled = settled.indexOf(false);
            return firstUnsettled < 0 ? settled.size() - 1 : firstUnsettled - 1;
        }
    }
}

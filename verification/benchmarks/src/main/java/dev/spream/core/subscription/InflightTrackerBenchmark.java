package dev.spream.core.subscription;

import dev.spream.core.subscription.inflight.InflightTracker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of the tracker per record: it is opened, and settled after the tracker was filled to its capacity. One
 * tracker is used in the whole trial, so that growth would be visible. In the tracker's package, for access to it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = "-Xmx512m")
public class InflightTrackerBenchmark {
    /** A multiple of every capacity. */
    private static final int RECORDS = 64_000;

    /** The order in which the records in flight are settled. */
    public enum Settling {
        IN_ORDER,
        SHUFFLED,
        REVERSED
    }

    @Param({"1", "64", "1000"})
    public int capacity;

    @Param
    public Settling settling = Settling.IN_ORDER;

    private InflightTracker tracker = new InflightTracker("", 1, Instant.EPOCH);
    private int[] order = {};
    private Instant timestamp = Instant.EPOCH;

    @Setup
    public void createTracker() {
        tracker = new InflightTracker("benchmark", capacity, Instant.EPOCH);
        List<Integer> offsets = new ArrayList<>();
        for (int i = 0; i < capacity; i++) {
            offsets.add(i);
        }
        switch (settling) {
            case IN_ORDER -> {}
            case SHUFFLED -> Collections.shuffle(offsets, new Random(1));
            case REVERSED -> Collections.reverse(offsets);
        }
        order = offsets.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Fills the tracker and empties it, until that many records were settled. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public Instant openAndSettle() {
        timestamp = timestamp.plusNanos(1);
        for (int passed = 0; passed < RECORDS; passed += capacity) {
            long first = tracker.open(timestamp);
            for (int i = 1; i < capacity; i++) {
                tracker.open(timestamp);
            }
            for (int offset : order) {
                tracker.settle(first + offset);
            }
        }
        return tracker.watermark();
    }
}

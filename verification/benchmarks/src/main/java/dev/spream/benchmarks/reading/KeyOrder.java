package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Subscriptions;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Ordering;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The cost of order by key: a subscriber with {@link Ordering#KEY} compared with one with {@link Ordering#NONE}, on a
 * source with negligible cost, with an empty consumer and with one that computes for 20 microseconds. Goal: from a
 * hundred keys on, at most 1.3 times as long. With one key there is no parallelism.
 */
public final class KeyOrder {
    private static final int CHANGES = Integer.getInteger("changes", 200_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int MAX_INFLIGHT = 64;
    private static final long WORK_NANOS = 20_000;
    private static final int CALIBRATIONS = 2_000;
    private static final long CALIBRATION_TOKENS = 20_000;

    private KeyOrder() {}

    public static void main(String[] args) throws Exception {
        for (int keys : new int[] {1, 100, 10_000}) {
            compare("no-op consumer", keys, CHANGES, 0);
        }
        long tokens = calibrate();
        for (int keys : new int[] {1, 100, 10_000}) {
            compare("consumer of 20 us", keys, CHANGES / 5, tokens);
        }
    }

    private static void compare(String consumer, int keys, int changes, long tokens) throws Exception {
        new Comparison("%s, keys: %,d, maxInflight %d".formatted(consumer, keys, MAX_INFLIGHT), changes)
                .add("spream, no order", () -> subscribe(Ordering.NONE, keys, changes, tokens))
                .add("spream, by key", () -> subscribe(Ordering.KEY, keys, changes, tokens))
                .add("spream, by partition", () -> subscribe(Ordering.PARTITION, keys, changes, tokens))
                .run(WARM_UPS, TURNS);
    }

    private static long subscribe(Ordering ordering, int keys, int changes, long tokens) {
        LongAdder consumed = new LongAdder();
        ChangeHandler consumer = change -> {
            Blackhole.consumeCPU(tokens);
            consumed.increment();
        };
        try (MemorySource source = new MemorySource(changes, keys)) {
            Subscriptions.readToEnd(
                    source,
                    consumer,
                    options -> options.startAt(MemorySource.START)
                            .endAt(MemorySource.END)
                            .maxInflight(MAX_INFLIGHT)
                            .ordering(ordering));
        }
        return consumed.sum();
    }

    /** Returns the amount of JMH's busy work that takes that long here, without other load. */
    private static long calibrate() {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < CALIBRATIONS; i++) {
            long startedAt = System.nanoTime();
            Blackhole.consumeCPU(CALIBRATION_TOKENS);
            fastest = Math.min(fastest, System.nanoTime() - startedAt);
        }
        return WORK_NANOS * CALIBRATION_TOKENS / fastest;
    }
}

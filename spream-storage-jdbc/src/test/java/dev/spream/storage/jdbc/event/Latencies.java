package dev.spream.storage.jdbc.event;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLongArray;

/** The latencies of events, to the tenth of a millisecond, up to a minute. Thread-safe. */
final class Latencies {
    private static final int STEPS = 600_000;
    private static final long STEP_NANOS = 100_000;

    private final AtomicLongArray counts = new AtomicLongArray(STEPS);

    void add(Instant from, Instant to) {
        long step = Math.clamp(Duration.between(from, to).toNanos() / STEP_NANOS, 0, STEPS - 1);
        counts.incrementAndGet(Math.toIntExact(step));
    }

    /** Returns the latency in milliseconds that so many of a thousand did not exceed. */
    double perMille(int share) {
        long total = 0;
        for (int step = 0; step < STEPS; step++) {
            total += counts.get(step);
        }
        long within = 0;
        for (int step = 0; step < STEPS; step++) {
            within += counts.get(step);
            if (within * 1_000 >= total * share) {
                return step / 10.0;
            }
        }
        return STEPS / 10.0;
    }

    @Override
    public String toString() {
        return "p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms".formatted(perMille(500), perMille(990), perMille(999));
    }
}

package dev.spream.testkit.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;

/**
 * The rate of a version under construction, in events a second, as reported by its builders. Guarded by the
 * projection's memory.
 */
final class BuildRate {
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private Instant since;
    private long events;
    private OptionalDouble rate = OptionalDouble.empty();

    BuildRate(Instant now) {
        this.since = now;
    }

    void add(long more, Instant now) {
        events += more;
        Duration passed = Duration.between(since, now);
        if (passed.compareTo(WINDOW) >= 0) {
            rate = OptionalDouble.of(events * 1e3 / passed.toMillis());
            since = now;
            events = 0;
        }
    }

    /** Returns the rate; empty if none was reported recently. */
    OptionalDouble at(Instant now) {
        return Duration.between(since, now).compareTo(SILENCE) < 0 ? rate : OptionalDouble.empty();
    }
}

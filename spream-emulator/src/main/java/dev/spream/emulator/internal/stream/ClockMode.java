package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The passing of time for the emulator's threads: by itself, or only when a test drives it. A thread that waits for a time waits
 * as long as {@link #realNanos} says, is woken when the clock is moved, and then looks at the clock again. Safe for use by many
 * threads.
 */
final class ClockMode {
    private final InstantSource time;
    private final Instant start;

    ClockMode(InstantSource time) {
        this.time = time;
        this.start = time.instant();
    }

    Instant instant() {
        return time.instant();
    }

    /** Nanoseconds since a fixed moment, which clocks that are set do not change. */
    long nanos() {
        return isDriven() ? Duration.between(start, time.instant()).toNanos() : System.nanoTime();
    }

    /** How long to wait in real time for so much time to pass, unless woken. */
    long realNanos(long nanos) {
        return isDriven() ? Long.MAX_VALUE : nanos;
    }

    private boolean isDriven() {
        return time instanceof DrivenClock;
    }

    /** Has it called whenever the clock was moved by hand. */
    DrivenClock.Listening onMove(Runnable wake) {
        return time instanceof DrivenClock clock ? clock.onMove(wake) : () -> {};
    }
}

package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The passing of time for the emulator's threads: by itself, or only when a test advances the clock. A thread that
 * waits for a time waits for {@link #realNanos}, is woken when the clock is moved, and then checks the clock again.
 * Safe for use by many threads.
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

    /** Returns the nanoseconds since a fixed moment, which do not change when a clock is set. */
    long nanos() {
        return isDriven() ? Duration.between(start, time.instant()).toNanos() : System.nanoTime();
    }

    /** Returns how long to wait in real time for the given time to pass, unless woken. */
    long realNanos(long nanos) {
        return isDriven() ? Long.MAX_VALUE : nanos;
    }

    /** Returns whether time passes only when a test advances it. */
    boolean isDriven() {
        return time instanceof DrivenClock;
    }

    /** Registers an action that is called whenever the clock was moved by a test. */
    DrivenClock.Listening onMove(Runnable wake) {
        return time instanceof DrivenClock clock ? clock.onMove(wake) : () -> {};
    }
}

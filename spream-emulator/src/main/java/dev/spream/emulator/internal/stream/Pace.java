package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How time passes for the emulator's threads: by itself, or only when a test drives it. Whoever waits for a time waits as
 * long as {@link #realNanos} says, is woken when the clock is moved, and then looks at the clock again. Safe for use by
 * many threads.
 */
sealed interface Pace {

    static Pace of(InstantSource time) {
        return time instanceof DrivenClock clock ? new Driven(clock, clock.instant()) : new Real(time);
    }

    Instant instant();

    /** Nanoseconds since a fixed moment, which clocks that are set do not change. */
    long nanos();

    /** How long to wait in real time for so much time to pass, unless woken. */
    long realNanos(long nanos);

    /** Has it called whenever the clock was moved by hand. */
    DrivenClock.Listening onMove(Runnable wake);

    /** The instants of a clock, and the passing of real time. */
    record Real(InstantSource time) implements Pace {
        @Override
        public Instant instant() {
            return time.instant();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long realNanos(long nanos) {
            return nanos;
        }

        @Override
        public DrivenClock.Listening onMove(Runnable wake) {
            return () -> {};
        }
    }

    /** A clock that is driven. */
    record Driven(DrivenClock clock, Instant start) implements Pace {
        @Override
        public Instant instant() {
            return clock.instant();
        }

        @Override
        public long nanos() {
            return Duration.between(start, clock.instant()).toNanos();
        }

        @Override
        public long realNanos(long nanos) {
            return Long.MAX_VALUE;
        }

        @Override
        public DrivenClock.Listening onMove(Runnable wake) {
            return clock.onMove(wake);
        }
    }
}

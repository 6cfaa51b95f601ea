package dev.spream.lock;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The time by which a call must have its locks: a {@link LockWait} that has begun. It is evaluated again before each
 * lock, because each may take some of the time. Immutable.
 */
public final class LockDeadline {
    private final OptionalLong endNanos;
    private final LongSupplier nanoTime;
    private final boolean immediate;

    private LockDeadline(OptionalLong endNanos, LongSupplier nanoTime, boolean immediate) {
        this.endNanos = endNanos;
        this.nanoTime = nanoTime;
        this.immediate = immediate;
    }

    /** Begins to wait now. */
    public static LockDeadline start(LockWait wait, InstantSource clock) {
        return start(wait, clock, System::nanoTime);
    }

    public static LockDeadline start(LockWait wait, InstantSource clock, LongSupplier nanoTime) {
        return switch (wait) {
            case LockWait.Forever forever -> new LockDeadline(OptionalLong.empty(), nanoTime, false);
            case LockWait.AtMost atMost -> in(atMost.time(), nanoTime);
            case LockWait.Until until -> in(Duration.between(clock.instant(), until.deadline()), nanoTime);
        };
    }

    /** Returns the deadline after that time; a time that the clock cannot express counts as no deadline. */
    private static LockDeadline in(Duration time, LongSupplier nanoTime) {
        if (time.compareTo(Duration.ofDays(36_500)) > 0) {
            return new LockDeadline(OptionalLong.empty(), nanoTime, false);
        }
        Duration left = time.isNegative() ? Duration.ZERO : time;
        return new LockDeadline(OptionalLong.of(nanoTime.getAsLong() + left.toNanos()), nanoTime, left.isZero());
    }

    /** Returns the remaining time, zero when it is over; empty if there is no deadline. */
    public Optional<Duration> left() {
        return endNanos.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, endNanos.getAsLong() - nanoTime.getAsLong())));
    }

    /** Returns whether the call does not wait: it takes only free locks. */
    public boolean isImmediate() {
        return immediate;
    }

    public boolean isOver() {
        return left().filter(Duration::isZero).isPresent();
    }
}

package dev.spream.core.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * A lease from the view of its holder: measured on the holder's own clocks, from before the request that acquired or
 * renewed it. It ends here before it ends in the storage, by an eighth of its time, so that a call which is
 * interrupted at its end can return before another owner begins. Immutable; safe for use by many threads.
 *
 * <p>Of the monotonic and the wall clock, the one that shows more elapsed time counts. The monotonic clock stops
 * while a machine is suspended; the wall clock may be set back. A wall clock that is set forward costs a lease, which
 * is acquired again.
 */
public final class LocalLease {
    private static final int MARGIN_SHARE = 8;

    private final MonotonicTime time;
    private final long requestedNanos;
    private final Instant requestedInstant;
    private final long nanos;

    private LocalLease(MonotonicTime time, Duration leaseTime) {
        this.time = time;
        this.requestedNanos = time.nanoTime();
        this.requestedInstant = time.instant();
        this.nanos = leaseTime.minus(leaseTime.dividedBy(MARGIN_SHARE)).toNanos();
    }

    /** Returns a lease for a request that is about to be sent. Must be called before the request is sent. */
    public static LocalLease requested(MonotonicTime time, Duration leaseTime) {
        return new LocalLease(time, leaseTime);
    }

    /** Returns an expired lease. */
    public static LocalLease ended(MonotonicTime time) {
        return new LocalLease(time, Duration.ZERO);
    }

    public boolean isHeld() {
        return left() > 0;
    }

    /** Returns the remaining nanoseconds of the lease; zero or less if it has expired. */
    public long left() {
        long counted = time.nanoTime() - requestedNanos;
        long byWallClock = TimeUnit.NANOSECONDS.convert(Duration.between(requestedInstant, time.instant()));
        return nanos - Math.max(counted, byWallClock);
    }
}

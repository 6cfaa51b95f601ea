package dev.spream.lock;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;

/** The time that a call waits for locks that others hold. */
public sealed interface LockWait {
    /** Waits until the locks are free, or the thread is interrupted. */
    LockWait FOREVER = new Forever();

    /** Does not wait. */
    LockWait NONE = new AtMost(Duration.ZERO);

    /**
     * Returns a wait with a time limit for all locks of the call together.
     *
     * @param time not negative; a store may round up to its own precision, never down
     */
    static LockWait atMost(Duration time) {
        return new AtMost(time);
    }

    /** Returns a wait until that time, by the clock of this process; a past time means not to wait. */
    static LockWait until(Instant deadline) {
        return new Until(deadline);
    }

    record Forever() implements LockWait {}

    record AtMost(Duration time) implements LockWait {
        public AtMost {
            if (time.isNegative()) {
                throw new IllegalArgumentException("time is %s, must not be negative".formatted(DurationText.of(time)));
            }
        }
    }

    record Until(Instant deadline) implements LockWait {}
}

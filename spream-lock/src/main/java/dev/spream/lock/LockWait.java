package dev.spream.lock;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;

/** The time that a call waits for locks that others hold. */
public sealed interface LockWait {
    /** Until they are free, however long that takes, or until the thread is interrupted. */
    LockWait FOREVER = new Forever();

    /** Not at all. */
    LockWait NONE = new AtMost(Duration.ZERO);

    /**
     * At most so long for all locks of the call together.
     *
     * @param time not negative; a store may round up to its own precision, never down
     */
    static LockWait atMost(Duration time) {
        return new AtMost(time);
    }

    /** Until that time, by the clock of this process; one in the past means not at all. */
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

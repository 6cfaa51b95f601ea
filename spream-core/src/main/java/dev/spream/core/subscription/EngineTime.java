package dev.spream.core.subscription;

import dev.spream.core.internal.MonotonicTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;

/** The time that the engine lives in, and every wait of the engine that a time ends. Safe for use by many threads. */
interface EngineTime extends MonotonicTime {
    EngineTime SYSTEM = of(InstantSource.system(), System::nanoTime);

    /** These clocks; waits follow the system's. */
    static EngineTime of(InstantSource clock, LongSupplier nanoTime) {
        return new EngineTime() {
            @Override
            public Instant instant() {
                return clock.instant();
            }

            @Override
            public long nanoTime() {
                return nanoTime.getAsLong();
            }

            @Override
            @SuppressWarnings("WaitNotInLoop") // the caller's part
            public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
                return condition.awaitNanos(nanos);
            }
        };
    }
}

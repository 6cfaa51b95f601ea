package dev.spream.outbox.worker;

import dev.spream.core.internal.MonotonicTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;

/** A time that stands still until a test moves it, for workers and for the store. */
final class DrivenOutboxTime implements MonotonicTime {
    private static final long LOOK_EVERY = TimeUnit.MILLISECONDS.toNanos(1);

    private final Instant start;
    private final AtomicLong elapsed = new AtomicLong();

    DrivenOutboxTime(Instant start) {
        this.start = start;
    }

    void advance(Duration by) {
        elapsed.addAndGet(by.toNanos());
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanoTime());
    }

    @Override
    public long nanoTime() {
        return elapsed.get();
    }

    @Override
    @SuppressWarnings({"WaitNotInLoop", "unused"}) // the caller checks its condition in a loop, whatever ended the wait
    public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
        long until = nanoTime() + nanos;
        if (nanos > 0) {
            long left = condition.awaitNanos(LOOK_EVERY);
        }
        return until - nanoTime();
    }
}

package dev.spream.outbox.worker;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A limit on the rate at which attempts begin: they are spread evenly, and time without attempts is not made up for. Safe
 * for use by many threads, which wait in turn.
 */
final class SendRate {
    private static final int ALL_TURNS = 1_000_000;

    private final long interval;
    private final MonotonicTime time;
    private final Waiter wake;
    private final Semaphore turn = new Semaphore(1, true);
    private volatile boolean ended;

    private long next; // used by the thread whose turn it is

    /** @param perSecond empty for no limit */
    SendRate(OptionalInt perSecond, MonotonicTime time) {
        this.interval = perSecond.isPresent() ? TimeUnit.SECONDS.toNanos(1) / perSecond.getAsInt() : 0;
        this.time = time;
        this.wake = new Waiter(time);
        this.next = time.nanoTime();
    }

    /** Waits until an attempt may begin, or the limit has {@linkplain #end ended}. */
    void await() throws InterruptedException {
        if (interval == 0) {
            return;
        }
        turn.acquire();
        try {
            long now = time.nanoTime();
            while (!ended && next - now > 0) {
                wake.await(next - now);
                now = time.nanoTime();
            }
            next = now + interval;
        } finally {
            turn.release();
        }
    }

    /** Ends the limit: no thread waits any more. */
    void end() {
        ended = true;
        wake.signal();
        turn.release(ALL_TURNS);
    }
}

package dev.spream.outbox;

import dev.spream.core.StorageException;
import dev.spream.core.internal.Alarm;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a worker does beside its work, on a thread of its own: keeps its lanes, gives up entries that have expired, and sees to
 * it that it is called when something is enqueued.
 */
final class Upkeep {
    private static final int EXPIRE_AT_ONCE = 500;
    private static final long SHORTEST_SWEEP = TimeUnit.SECONDS.toNanos(1);
    private static final int POLLS_PER_SWEEP = 10;

    private final WorkerContext context;
    private final LaneKeeper lanes;
    private final Breaker breaker;
    private final Runnable onWake;
    private final Runnable afterLanes;
    private final Alarm wake;
    private OutboxStore.@Nullable Watch watch; // confined to the thread until it has ended
    private volatile boolean stopped;

    /**
     * The upkeep of a worker.
     *
     * @param onWake called when something was enqueued
     * @param afterLanes called when the lanes may be others
     */
    Upkeep(WorkerContext context, LaneKeeper lanes, Breaker breaker, Runnable onWake, Runnable afterLanes) {
        this.context = context;
        this.lanes = lanes;
        this.breaker = breaker;
        this.onWake = onWake;
        this.afterLanes = afterLanes;
        this.wake = new Alarm(context.time());
    }

    /** How often a worker looks for what it would not find by its work, in nanoseconds. */
    static long sweepEvery(OutboxWorkerOptions options) {
        return Math.max(SHORTEST_SWEEP, POLLS_PER_SWEEP * options.pollInterval().toNanos());
    }

    /** Has it see to the lanes now. */
    void hurry() {
        wake.raise();
    }

    void stop() {
        stopped = true;
        wake.raise();
    }

    /** Works until it is stopped. */
    void run() throws InterruptedException {
        long sweepEvery = sweepEvery(context.options());
        long every = Math.min(context.leaseNanos() / 4, sweepEvery);
        long nextSweep = context.now();
        while (!stopped) {
            if (context.stop().isRunning()) {
                watch();
            }
            seeToLanes();
            if (context.now() - nextSweep >= 0 && context.stop().isRunning()) {
                expire();
                nextSweep = context.now() + sweepEvery / 2 + context.random().nextLong(sweepEvery);
            }
            wake.await(Math.min(every, untilProbe()));
        }
    }

    /** Keeps the lanes; but not while the breaker is open, since others may get through. For a probe it takes lanes again. */
    private void seeToLanes() {
        if (breaker.allowance(context.now()) == 0) {
            lanes.stayAway();
            return;
        }
        lanes.hold();
        afterLanes.run();
    }

    private long untilProbe() {
        long pause = breaker.pauseLeft(context.now());
        return pause > 0 ? pause : Long.MAX_VALUE;
    }

    private void watch() {
        if (watch == null) {
            try {
                watch = context.calls()
                        .call("watching for entries", () -> context.store().watch(onWake));
            } catch (StorageException e) {
                // Told; tried again at the next time, and the worker looks by itself.
            }
        }
    }

    private void expire() {
        try {
            int expired;
            do {
                expired = context.calls()
                        .call("giving up expired entries", () -> context.store().expire(EXPIRE_AT_ONCE));
                if (expired > 0) {
                    int entries = expired;
                    context.listener().tell(listener -> listener.expired(entries));
                }
            } while (expired >= EXPIRE_AT_ONCE && !stopped);
        } catch (StorageException e) {
            // Told; tried again at the next time.
        }
    }

    /** Gives up what it holds, when its thread has ended. */
    void leave() {
        OutboxStore.Watch watching = watch;
        if (watching != null) {
            watching.close();
        }
        lanes.leave();
    }
}

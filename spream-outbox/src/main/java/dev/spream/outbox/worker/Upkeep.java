package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import java.util.random.RandomGenerator;

/** The chores of a worker, on a thread of its own: it keeps its lanes, aborts entries that have expired, and stays registered. */
final class Upkeep {
    private static final int EXPIRE_AT_ONCE = 500;

    private final WorkerStore store;
    private final EnqueueWatch watch;
    private final LaneKeeper lanes;
    private final Breaker breaker;
    private final WorkerEvents events;
    private final MonotonicTime time;
    private final RandomGenerator random;
    private final WorkerSignals signals;
    private final long sweepEvery;
    private final long every;
    private volatile boolean stopped;

    Upkeep(
            WorkerStore store,
            EnqueueWatch watch,
            LaneKeeper lanes,
            Breaker breaker,
            OutboxWorkerOptions options,
            WorkerEvents events,
            MonotonicTime time,
            RandomGenerator random,
            WorkerSignals signals) {
        this.store = store;
        this.watch = watch;
        this.lanes = lanes;
        this.breaker = breaker;
        this.events = events;
        this.time = time;
        this.random = random;
        this.signals = signals;
        this.sweepEvery = options.sweepNanos();
        this.every = Math.min(options.lease().toNanos() / 4, sweepEvery);
    }

    void stop() {
        stopped = true;
        signals.upkeep().raise();
    }

    /** Works until it is stopped. */
    void run() throws InterruptedException {
        long nextSweep = time.nanoTime();
        while (!stopped) {
            if (signals.isRunning()) {
                watch.keep();
            }
            seeToLanes();
            if (time.nanoTime() - nextSweep >= 0 && signals.isRunning()) {
                expire();
                nextSweep = time.nanoTime() + sweepEvery / 2 + random.nextLong(sweepEvery);
            }
            signals.upkeep().await(Math.min(every, untilProbe()));
        }
    }

    /** Keeps the lanes; but not while the breaker is open, since others may get through. For a probe it takes lanes again. */
    private void seeToLanes() {
        if (breaker.allowance(time.nanoTime()) == 0) {
            lanes.stayAway();
            return;
        }
        lanes.hold();
        signals.reader().raise();
    }

    private long untilProbe() {
        long pause = breaker.pauseLeft(time.nanoTime());
        return pause > 0 ? pause : Long.MAX_VALUE;
    }

    private void expire() {
        try {
            int expired;
            do {
                expired = store.expire(EXPIRE_AT_ONCE);
                if (expired > 0) {
                    int entries = expired;
                    events.tell(listener -> listener.expired(entries));
                }
            } while (expired >= EXPIRE_AT_ONCE && !stopped);
        } catch (StorageException e) {
            // Reported; tried again at the next time.
        }
    }

    /** Releases what it holds, when its thread has ended. */
    void leave() {
        watch.close();
        lanes.leave();
    }
}

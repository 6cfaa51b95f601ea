package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.OrderedEntry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads ahead what a {@link OrderedClaimPlanner} wants to know, on a thread of its own: segments going forward, keys that are
 * unclear, and now and then the segments from their beginning, for entries that were committed after others with a greater id. While
 * no entry has an ordering key it reads no segment, and asks for one instead. An answer costs much where many entries were settled
 * that the database cannot forget yet, so no claim waits for it, and it is not asked for all the time: when called, with a gap
 * between, and at least once a poll interval, which finds entries without a notification. Each time it is asked of all entries,
 * whatever their ids.
 */
final class KeyReader {
    private static final int KEYS_AT_ONCE = 64;

    /** Between two reads that brought nothing: entries without an ordering key, enqueued all the time, are to cost few reads. */
    private static final long LONGEST_GAP = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long SHORTEST_GAP = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause before the next read, as a multiple of the duration of the last one, and at most the poll interval. */
    private static final int REST = 10;

    private final WorkerStore store;
    private final OrderedClaimPlanner plan;
    private final WorkerSignals signals;
    private final long pollInterval;
    private final long lookEvery;

    // Confined to the thread.
    private boolean expected;
    private long nextAsk;
    private long nextRead;
    private long nextLook;
    private long gap;
    private long lastRead;

    KeyReader(WorkerStore store, OrderedClaimPlanner plan, OutboxWorkerOptions options, WorkerSignals signals) {
        this.store = store;
        this.plan = plan;
        this.signals = signals;
        this.pollInterval = options.pollInterval().toNanos();
        this.lookEvery = options.sweepNanos();
        this.nextRead = signals.now();
        this.lastRead = nextRead;
        this.nextLook = nextRead + lookEvery;
    }

    void run() throws InterruptedException {
        boolean called = true;
        while (signals.isRunning()) {
            long pause;
            try {
                readOnce(called);
                pause = pause();
            } catch (StorageException e) {
                pause = pollInterval;
            }
            called = signals.reader.await(pause);
            if (called) {
                waitUntil(lastRead + gap);
            }
        }
    }

    /** Waits regardless of signals, but not when the worker stops. */
    private void waitUntil(long until) throws InterruptedException {
        while (signals.isRunning() && until - signals.now() > 0) {
            signals.reader.await(until - signals.now());
        }
    }

    private long pause() {
        long now = signals.now();
        boolean toReadOn = expected && !plan.toRead(false).isEmpty();
        if (toReadOn || !plan.keysToReread(1).isEmpty()) {
            return 0;
        }
        long untilRead = Math.max(1, Math.min(nextRead, nextLook) - now);
        return Math.min(untilRead, Math.max(1, plan.nextDue(now)));
    }

    private void readOnce(boolean called) {
        plan.releaseDue(signals.now());
        rereadStaleKeys();
        long now = signals.now();
        boolean again = called || now - nextRead >= 0;
        if (again) {
            nextRead = now + pollInterval;
        }
        boolean look = now - nextLook >= 0;
        if (look) {
            nextLook = now + lookEvery;
        }
        if (again && (!expected || now - nextAsk >= 0)) {
            ask(now);
        }
        if (expected) {
            readOn(plan.toRead(again), again);
            if (look) {
                lookThrough();
            }
        }
        if (plan.readyKeys() > 0) {
            signals.claims.signal();
        }
    }

    private void ask(long now) {
        expected = store.hasOrdered();
        lastRead = signals.now();
        nextAsk = lastRead + pollInterval;
        if (!expected) {
            nextRead = nextAsk;
            gap = Math.max(longerGap(), Math.min(pollInterval, REST * (lastRead - now)));
        }
    }

    private long longerGap() {
        return Math.min(LONGEST_GAP, Math.max(SHORTEST_GAP, 2 * gap));
    }

    private void readOn(Map<Integer, Long> after, boolean again) {
        if (after.isEmpty()) {
            return;
        }
        lastRead = signals.now();
        List<OrderedEntry> entries = store.ordered(after, OrderedClaimPlanner.PAGE);
        boolean news = plan.read(after, OrderedClaimPlanner.PAGE, entries, signals.now());
        if (news) {
            gap = 0;
        } else if (again) {
            gap = longerGap();
        }
    }

    private void lookThrough() {
        Map<Integer, Long> after = plan.toLookThrough();
        if (!after.isEmpty()) {
            plan.lookedThrough(
                    after,
                    OrderedClaimPlanner.LOOK_PAGE,
                    store.ordered(after, OrderedClaimPlanner.LOOK_PAGE),
                    signals.now());
        }
    }

    private void rereadStaleKeys() {
        int limit = OrderingKeyQueue.MAX_IDS;
        for (String key : plan.keysToReread(KEYS_AT_ONCE)) {
            plan.reread(key, limit, store.ordered(key, limit), signals.now());
        }
    }
}

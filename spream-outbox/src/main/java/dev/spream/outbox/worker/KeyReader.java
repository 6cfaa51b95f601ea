package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.OrderedEntry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads ahead for the {@link OrderedClaimPlanner}, on a thread of its own: segments in the order of ids, keys in state
 * {@code UNCLEAR}, and at intervals the segments from their beginning, for entries that were committed after others
 * with a greater id. <p>While no entry has an ordering key it reads no segments, and only checks whether there is such
 * an entry. The check is expensive while the database cannot remove many rows that were settled, so no claim waits for
 * it, and its rate is limited: it is made on a notification, with a minimum gap between two of them, and at least once
 * a poll interval, which finds entries without a notification. Each check covers all entries, whatever their ids.
 */
final class KeyReader {
    private static final int KEYS_AT_ONCE = 64;

    /**
     * The maximum gap between two reads that found nothing, so that a constant flow of entries without an ordering key
     * causes few reads.
     */
    private static final long LONGEST_GAP = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long SHORTEST_GAP = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause before the next read, as a multiple of the duration of the last one, and at most the poll interval. */
    private static final int REST = 10;

    private final WorkerStore store;
    private final String destination;
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

    KeyReader(
            WorkerStore store,
            String destination,
            OrderedClaimPlanner plan,
            OutboxWorkerOptions options,
            WorkerSignals signals) {
        this.store = store;
        this.destination = destination;
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

    /** Waits until that time, regardless of signals, unless the worker stops. */
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
        List<OrderedEntry> entries = store.ordered(destination, after, OrderedClaimPlanner.PAGE);
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
                    store.ordered(destination, after, OrderedClaimPlanner.LOOK_PAGE),
                    signals.now());
        }
    }

    /** Reads keys again; before that, ends the entries that have expired, the usual reason why first ones are refused. */
    private void rereadStaleKeys() {
        if (plan.takeRefusals()) {
            expire();
        }
        int limit = OrderingKeyQueue.MAX_IDS;
        for (String key : plan.keysToReread(KEYS_AT_ONCE)) {
            plan.reread(key, limit, store.ordered(destination, key, limit), signals.now());
        }
    }

    private void expire() {
        try {
            store.expire();
        } catch (StorageException e) {
            // Already reported; retried at the next refusal and by the sweep. Other keys are read meanwhile.
        }
    }
}

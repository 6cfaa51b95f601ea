package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.projection.Fence;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Distinguishes a failing store from an event that aborts its transactions, such as one that takes longer than the
 * server's limit for idle sessions: counts, for each feed, the transactions that the store aborted after events were
 * applied in them, since the last commit. Outlives the loops that are ended. Safe for use by many threads.
 */
final class StoreAbortTracker {
    private static final int OUTAGES = 1;
    private static final int WHOLE = -1;

    private final Map<Integer, Integer> counts = new ConcurrentHashMap<>();

    /** Returns whether the store failed, and not the projection. */
    static boolean isOfStore(Throwable failure) {
        return failure instanceof StorageException storage && storage.retryable();
    }

    /** Counts an aborted transaction; returns whether its events count as the cause, rather than an outage. */
    boolean again(Fence fence) {
        return counts.merge(feed(fence), 1, Integer::sum) > OUTAGES;
    }

    void committed(Fence fence) {
        counts.remove(feed(fence));
    }

    private static int feed(Fence fence) {
        return fence instanceof Fence.Segment held ? held.segment() : WHOLE;
    }
}

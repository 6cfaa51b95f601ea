package dev.spream.projection.runner;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Distinguishes an outage from failures of single aggregates: counts the aggregates with retryable failures since an event was
 * last applied. During an outage no aggregate is parked. Safe for use by many threads.
 */
final class OutageDetector {
    private static final int FEW = 3;
    private static final int MOST_DOUBLINGS = 10;
    private static final int REMEMBERED = 10_000;

    // Guarded by this.
    private final Set<String> failed = new HashSet<>();
    private int outages;
    private long applied; // number of transactions that applied events
    private final Map<String, Long> attempts = new LinkedHashMap<>(); // applied at the last attempt of each

    synchronized void failed(String key) {
        failed.add(key);
    }

    synchronized void worked() {
        if (!failed.isEmpty()) {
            failed.clear();
        }
        outages = 0;
        applied++;
    }

    /**
     * Records a retryable failure of an aggregate; returns whether it counts as an attempt: it does if an event of any
     * aggregate was applied since the previous attempt, as far as known.
     */
    synchronized boolean counts(String key) {
        Long before = attempts.remove(key);
        attempts.put(key, applied);
        if (attempts.size() > REMEMBERED) {
            attempts.remove(attempts.keySet().iterator().next());
        }
        return before != null && before < applied;
    }

    /** Removes an aggregate that is no longer parked. */
    synchronized void forget(String key) {
        attempts.remove(key);
    }

    synchronized boolean isRaised() {
        return failed.size() >= FEW;
    }

    /**
     * Returns whether to abort a batch of which nothing could be applied. The threshold rises each time, so that in the
     * end every aggregate of the batch is tried.
     *
     * @param tried the number of aggregates of the batch that failed
     * @param untried whether there are other aggregates
     * @param events the number of events in the batch
     */
    synchronized boolean isOutage(int tried, boolean untried, int events) {
        if (failed.size() < FEW) {
            return false;
        }
        int threshold =
                (FEW + Integer.SIZE - Integer.numberOfLeadingZeros(events)) << Math.min(outages, MOST_DOUBLINGS);
        if (untried && tried < threshold) {
            return false;
        }
        outages++;
        return true;
    }
}

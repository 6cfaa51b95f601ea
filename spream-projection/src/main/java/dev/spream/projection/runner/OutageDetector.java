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
    private long applied; // transactions with events that were
    private final Map<String, Long> attempts = new LinkedHashMap<>(); // the value of that at the last of each aggregate

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
     * An attempt at an aggregate has failed in a way that may pass; whether that says something of the aggregate: an event of
     * any was applied since the attempt before, as far as that is known.
     */
    synchronized boolean counts(String key) {
        Long before = attempts.remove(key);
        attempts.put(key, applied);
        if (attempts.size() > REMEMBERED) {
            attempts.remove(attempts.keySet().iterator().next());
        }
        return before != null && before < applied;
    }

    /** The aggregate is parked no more. */
    synchronized void forget(String key) {
        attempts.remove(key);
    }

    synchronized boolean isRaised() {
        return failed.size() >= FEW;
    }

    /**
     * Returns whether to give up a batch of which nothing could be applied. It is more patient each time, so that in the end
     * every aggregate of the batch is tried.
     *
     * @param tried how many aggregates of the batch have failed
     * @param untried whether there are others
     * @param events in the batch
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

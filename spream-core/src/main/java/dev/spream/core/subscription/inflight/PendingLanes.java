package dev.spream.core.subscription.inflight;

import java.util.Map;

/**
 * The records of a partition that were in flight at a point of its reading, by lane. Another partition that continues
 * its keys from there lets its records follow them, so that the order of a key holds although both are read. Safe for
 * use by many threads.
 */
public final class PendingLanes {
    private final PerKeyQueue queue;
    private final Map<Object, InflightRecord> newest;

    PendingLanes(PerKeyQueue queue, Map<Object, InflightRecord> newest) {
        this.queue = queue;
        this.newest = Map.copyOf(newest);
    }

    /** Lets the record of the other queue follow the newest one of the lane, if there is one that has not left. */
    boolean precedes(Object lane, InflightRecord record, PerKeyQueue other) {
        InflightRecord before = newest.get(lane);
        return before != null && queue.precedes(before, record, other);
    }
}

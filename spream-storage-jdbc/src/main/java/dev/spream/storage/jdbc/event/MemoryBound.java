package dev.spream.storage.jdbc.event;

import java.util.function.Predicate;

/**
 * Bounds the memory of the events of one read. Its rows are fetched in portions: a small one first, and then as many as
 * would fit if none were larger than the largest so far. Used once.
 */
final class MemoryBound implements Predicate<StoredEvent> {
    /** The memory that the events of one read may take, not counting the last of them. */
    static final long MAX_BYTES = 8L << 20;

    private static final int MIN_FETCH = 64;

    /** As many rows may be in memory beyond the bound, if large events follow small ones. */
    private static final int MAX_FETCH = 256;

    private long bytes;
    private long largest;

    /** Counts the event. Returns whether the bound is reached. */
    @Override
    public boolean test(StoredEvent event) {
        bytes += event.bytes();
        largest = Math.max(largest, event.bytes());
        return isReached();
    }

    boolean isReached() {
        return bytes >= MAX_BYTES;
    }

    /** Returns the number of rows to fetch next. */
    int fetch() {
        return largest == 0 ? MIN_FETCH : Math.clamp((MAX_BYTES - bytes) / largest, MIN_FETCH, MAX_FETCH);
    }
}

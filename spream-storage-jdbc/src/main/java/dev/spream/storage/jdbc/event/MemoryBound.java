package dev.spream.storage.jdbc.event;

import java.util.function.Predicate;

/** Bounds the memory of the events of one read. Used once. */
final class MemoryBound implements Predicate<StoredEvent> {
    /** The memory that the events of one read may take, not counting the last of them. */
    static final long MAX_BYTES = 8L << 20;

    /** The number of rows that are fetched at once; up to as many may be in memory beyond the bound. */
    static final int FETCH = 64;

    private long bytes;

    /** Counts the event. Returns whether the bound is reached. */
    @Override
    public boolean test(StoredEvent event) {
        bytes += event.bytes();
        return bytes >= MAX_BYTES;
    }

    boolean isReached() {
        return bytes >= MAX_BYTES;
    }
}

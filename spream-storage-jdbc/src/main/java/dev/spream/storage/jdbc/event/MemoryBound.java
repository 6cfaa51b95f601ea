package dev.spream.storage.jdbc.event;

import java.util.function.Predicate;

/** Says when events that are read at once are enough, by the memory that they take. Of one read. */
final class MemoryBound implements Predicate<StoredEvent> {
    /** What events that are read at once may take, but for the last of them. */
    static final long MAX_BYTES = 8L << 20;

    /** How many rows come from the server at once: beside the bound, so many may be in memory. */
    static final int FETCH = 64;

    private long bytes;

    /** Counts the event. */
    @Override
    public boolean test(StoredEvent event) {
        bytes += event.bytes();
        return bytes >= MAX_BYTES;
    }

    boolean isReached() {
        return bytes >= MAX_BYTES;
    }
}

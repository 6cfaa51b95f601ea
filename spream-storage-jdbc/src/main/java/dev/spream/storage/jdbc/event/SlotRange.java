package dev.spream.storage.jdbc.event;

import dev.spream.projection.event.FeedRequest;

/** The slots of a segment, first and last included. All segments have the same number of adjacent slots. */
record SlotRange(int first, int last) {
    private static final int SLOTS = 256;

    static SlotRange of(FeedRequest request) {
        int size = SLOTS / request.segments();
        return new SlotRange(request.segment() * size, request.segment() * size + size - 1);
    }

    boolean contains(StoredEvent event) {
        return event.slot() >= first && event.slot() <= last;
    }

    /** Returns how many ranges of this size make up all slots. */
    int share() {
        return SLOTS / (last - first + 1);
    }
}

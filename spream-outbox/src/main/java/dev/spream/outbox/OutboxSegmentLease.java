package dev.spream.outbox;

import static dev.spream.core.internal.Bounds.requireBetween;

import dev.spream.core.Sha256;

/**
 * The lease of a segment by a worker. Entries with an ordering key are in one of {@value #SEGMENTS} segments, by a hash
 * of the key; only the holder of the segment sends them.
 *
 * @param segment 0 to 255
 * @param epoch the fencing token: incremented with each new holder of the segment, never reset
 */
public record OutboxSegmentLease(int segment, long epoch) {
    /** The number of segments, fixed for every store. */
    public static final int SEGMENTS = 256;

    public OutboxSegmentLease {
        requireBetween("segment", segment, 0, SEGMENTS - 1);
    }

    /**
     * Returns the segment of an ordering key: the first byte of the SHA-256 of its UTF-8 bytes. The mapping is fixed
     * for every store.
     */
    public static int segmentOf(String orderingKey) {
        return Byte.toUnsignedInt(Sha256.of(orderingKey)[0]);
    }
}

package dev.spream.outbox;

import static dev.spream.core.internal.Bounds.requireBetween;

import dev.spream.core.Sha256;

/**
 * The lease of a lane by a worker. Entries with an ordering key are in one of {@value #LANES} lanes, by a hash of the key; only
 * the holder of the lane sends them.
 *
 * @param lane 0 to 255
 * @param epoch one more each time the lane changes hands, for ever
 */
public record LaneLease(int lane, long epoch) {
    /** How many there are, in every store and for ever. */
    public static final int LANES = 256;

    public LaneLease {
        requireBetween("lane", lane, 0, LANES - 1);
    }

    /** The lane of an ordering key: the first byte of the SHA-256 of its UTF-8, in every store and for ever. */
    public static int laneOf(String orderingKey) {
        return Byte.toUnsignedInt(Sha256.of(orderingKey)[0]);
    }
}

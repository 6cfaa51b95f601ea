package dev.spream.projection;

import java.util.List;

/**
 * The share of an owner in a projection's segments.
 *
 * @param held until the lease is over
 * @param segments into how many the projection is split, when it was split into those
 * @param fair how many at most, so that each of those that are there has about as many: what is above, it is to give up
 * @param owners how many are there, itself among them
 */
public record SegmentShare(List<SegmentLease> held, int segments, int fair, int owners) {
    public SegmentShare {
        held = List.copyOf(held);
    }
}

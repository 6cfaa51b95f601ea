package dev.spream.core.projection;

import java.util.List;

/**
 * What an owner has of a projection's segments.
 *
 * @param held until the lease is over
 * @param fair how many at most, so that each of those that are there has about as many: what is above, it is to give up
 * @param owners how many are there, itself among them
 */
public record SegmentShare(List<SegmentLease> held, int fair, int owners) {
    public SegmentShare {
        held = List.copyOf(held);
    }
}

package dev.spream.projection;

import java.util.List;

/**
 * The share of an owner in a projection's segments.
 *
 * @param held the leases of its segments
 * @param segments the number of segments into which the projection is split
 * @param fair the maximum number for an even share among the live owners; segments above it are to be released
 * @param owners the number of live owners, including this one
 */
public record SegmentShare(List<SegmentLease> held, int segments, int fair, int owners) {
    public SegmentShare {
        held = List.copyOf(held);
    }
}

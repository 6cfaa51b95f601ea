package dev.spream.projection;

import static java.util.Objects.requireNonNull;

/**
 * The identity of the owner that writes for a projection, checked by each write: a write with a fence that is no longer
 * valid has no effect.
 */
public sealed interface Fence {
    String projection();

    /** The holder of a segment, in the epoch of its lease, while the projection is running. */
    record Segment(String projection, ProjectionOwner owner, int segment, long epoch) implements Fence {
        public Segment {
            requireNonNull(projection, "projection");
            requireNonNull(owner, "owner");
        }
    }

    /**
     * Any writer, while the projection is running and its status has not changed since that epoch: for sources without
     * positions.
     */
    record Whole(String projection, long epoch) implements Fence {
        public Whole {
            requireNonNull(projection, "projection");
        }
    }
}

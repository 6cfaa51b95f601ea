package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The details of a projection in its store.
 *
 * @param parkedKeys how many aggregates are parked
 * @param parkedEvents how many of their events are kept unapplied
 * @param deadLetters what was skipped, or was no event
 */
public record ProjectionDetails(
        ProjectionState state, List<Segment> segments, long parkedKeys, long parkedEvents, long deadLetters) {
    public ProjectionDetails {
        requireNonNull(state, "state");
        segments = List.copyOf(segments);
    }

    /**
     * A segment.
     *
     * @param owner its holder, if there is one
     * @param leaseLeft how long yet
     */
    public record Segment(
            int segment, long epoch, long position, Optional<String> owner, Optional<Duration> leaseLeft) {
        public Segment {
            requireNonNull(owner, "owner");
            requireNonNull(leaseLeft, "leaseLeft");
        }
    }
}

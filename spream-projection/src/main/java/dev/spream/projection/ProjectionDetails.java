package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The details of a projection in its store.
 *
 * @param parkedKeys the number of parked aggregates
 * @param parkedEvents the number of their stored, unapplied events
 * @param deadLetters the number of skipped events and undecodable items
 */
public record ProjectionDetails(
        ProjectionState state, List<Segment> segments, long parkedKeys, long parkedEvents, long deadLetters) {
    public ProjectionDetails {
        requireNonNull(state, "state");
        segments = List.copyOf(segments);
    }

    /**
     * A segment of the projection, with its current owner.
     *
     * @param owner its holder, if there is one
     * @param leaseLeft the remaining time of its lease
     */
    public record Segment(
            int segment, long epoch, long position, Optional<String> owner, Optional<Duration> leaseLeft) {
        public Segment {
            requireNonNull(owner, "owner");
            requireNonNull(leaseLeft, "leaseLeft");
        }
    }
}

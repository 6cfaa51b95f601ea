package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A projection in all that its store knows of it.
 *
 * @param parkedKeys how many aggregates are parked
 * @param parkedEvents how many events are set aside for them
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
     * @param owner who holds it, if somebody does
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

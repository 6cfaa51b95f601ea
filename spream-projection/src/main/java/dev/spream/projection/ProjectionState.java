package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The stored state of a projection. The last event and the position are updated about once a second; the exact values
 * are in its segments and in the states of its aggregates.
 *
 * @param epoch raised each time the status changes
 * @param segments its number of segments; 0 if its source has no positions
 * @param position every event up to here is applied, skipped, or parked; 0 if there was none, or its source has no positions
 * @param lastEventId the id of the last event that was applied in order; not of one that was parked or skipped
 * @param lastEventAt the time at which that event occurred
 * @param errorCount the number of failures since it was created
 * @param lastError the description of the last failure, without contents of events
 * @param lastErrorAt the time at which it was reported, by the store's clock; the failure may have ended since
 * @param updatedAt the time of the last update, by the store's clock
 */
public record ProjectionState(
        String projection,
        ProjectionStatus status,
        long epoch,
        int segments,
        long position,
        Optional<String> lastEventId,
        Optional<Instant> lastEventAt,
        long errorCount,
        Optional<String> lastError,
        Optional<Instant> lastErrorAt,
        Instant updatedAt) {
    private static final int MAX_SEGMENTS = 256;

    public ProjectionState {
        requireNonNull(projection, "projection");
        requireNonNull(status, "status");
        requireNonNull(lastEventId, "lastEventId");
        requireNonNull(lastEventAt, "lastEventAt");
        requireNonNull(lastError, "lastError");
        requireNonNull(lastErrorAt, "lastErrorAt");
        requireNonNull(updatedAt, "updatedAt");
    }

    /**
     * Checks that a projection can have that number of segments.
     *
     * @throws IllegalArgumentException if it is neither a power of 2 up to 256, nor 0 for a source without positions
     */
    public static void requireNumber(int segments) {
        if (segments < 0 || segments > MAX_SEGMENTS || Integer.bitCount(segments) > 1) {
            throw new IllegalArgumentException(
                    "segments is %d, must be a power of 2 up to %d, or 0".formatted(segments, MAX_SEGMENTS));
        }
    }

    /**
     * Checks that it is run over the same kind of source as before: with positions, and so with any number of segments,
     * or without.
     *
     * @param asked the requested number of segments; 0 for a source without positions
     * @return this
     * @throws IllegalArgumentException if the kind of source differs
     */
    public ProjectionState requireSegments(int asked) {
        if ((asked == 0) == (segments == 0)) {
            return this;
        }
        throw new IllegalArgumentException(
                "projection '%s' has run over a source %s positions, and now has one %s: configure a source of the same kind, or another name for the projection"
                        .formatted(projection, segments == 0 ? "without" : "with", asked == 0 ? "without" : "with"));
    }
}

package dev.spream.core.projection;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * How far a projection is, as its store has it. The last event and the position follow what was applied within a second or
 * so; what is exact is in its segments and in what is remembered of each aggregate.
 *
 * @param epoch raised each time the status changes
 * @param segments how many it is split into; 0 if its source has no positions
 * @param position every event up to here is applied, skipped, or parked; 0 if there was none, or its source has no positions
 * @param lastEventId of the last event that was dealt with
 * @param lastEventAt when that event occurred
 * @param errorCount failures since it was created
 * @param lastError what failed last; without what events contain
 * @param lastErrorAt when that was reported, by the store's clock: it may be over since
 * @param updatedAt by the store's clock
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
     * Checks that it is split as whoever runs it wants it to be.
     *
     * @param asked into how many; 0 for a source without positions
     * @return this
     * @throws IllegalArgumentException if it is not
     */
    public ProjectionState requireSegments(int asked) {
        if (asked == segments) {
            return this;
        }
        throw new IllegalArgumentException(
                "projection '%s' has %d segments in the store, fixed when it first ran; %d were asked for: %s"
                        .formatted(projection, segments, asked, remedy(asked)));
    }

    private String remedy(int asked) {
        if (segments == 0) {
            return "give it a source without positions as before, or another name";
        }
        return asked == 0 ? "give it a source with positions as before, or another name" : "set %d".formatted(segments);
    }
}

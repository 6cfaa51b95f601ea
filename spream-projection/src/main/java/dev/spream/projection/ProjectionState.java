package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The state of a projection, as its store has it. The last event and the position follow what was applied within a
 * second or so; what is exact is in its segments and in what is remembered of each aggregate.
 *
 * @param epoch raised each time the status changes
 * @param segments how many it is split into; 0 if its source has no positions
 * @param position every event up to here is applied, skipped, or parked; 0 if there was none, or its source has no positions
 * @param lastEventId of the last event that was applied as it came; not of one that was parked or passed over
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
     * Checks that a projection can be split into so many segments.
     *
     * @throws IllegalArgumentException if it is neither a power of 2 up to 256 nor 0, for a source without positions
     */
    public static void requireNumber(int segments) {
        if (segments < 0 || segments > MAX_SEGMENTS || Integer.bitCount(segments) > 1) {
            throw new IllegalArgumentException(
                    "%d segments: must be a power of 2 up to %d, or 0".formatted(segments, MAX_SEGMENTS));
        }
    }

    /**
     * Checks that it is run over a source as before: with positions, and so with segments, however many, or without.
     *
     * @param asked how many segments; 0 for a source without positions
     * @return this
     * @throws IllegalArgumentException if it is not
     */
    public ProjectionState requireSegments(int asked) {
        if ((asked == 0) == (segments == 0)) {
            return this;
        }
        throw new IllegalArgumentException(
                "projection '%s' has run over a source %s positions, and now over one %s: give it a source as before, or another name"
                        .formatted(projection, segments == 0 ? "without" : "with", asked == 0 ? "without" : "with"));
    }
}

package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * The parked aggregates and events of a version of a projection, in numbers, as its store has them: delivered, behind
 * the position, and not applied.
 *
 * @param aggregates how many are parked
 * @param events how many are set aside for them
 * @param waiting how many of the aggregates are parked as {@link ParkReason#POISON}, until somebody retries or skips them
 * @param firstError of those, the error of the one that was parked first
 * @param longest for how long the aggregate has been parked that was parked first; empty if none is
 */
public record ParkedSummary(
        long aggregates, long events, long waiting, Optional<String> firstError, Optional<Duration> longest) {
    /** Nothing is parked. */
    public static final ParkedSummary NONE = new ParkedSummary(0, 0, 0, Optional.empty(), Optional.empty());

    public ParkedSummary {
        requireNonNull(firstError, "firstError");
        requireNonNull(longest, "longest");
    }
}

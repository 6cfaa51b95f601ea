package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * Counts of a version's parked aggregates and of their events, which are delivered and not applied, as its store has them.
 *
 * @param aggregates how many are parked
 * @param events how many of their events are kept unapplied
 * @param waiting how many of the aggregates are parked as {@link ParkReason#POISON}, until an operator retries or skips them
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

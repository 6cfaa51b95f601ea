package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * The counts of a version's parked aggregates and of their stored events.
 *
 * @param aggregates the number of parked aggregates
 * @param events the number of their stored, unapplied events
 * @param waiting the number of aggregates that are parked as {@link ParkReason#POISON}, until an operator retries or
 *     skips them
 * @param firstError the error of the one among these that was parked first
 * @param longest how long the aggregate that was parked first has been parked; empty if none is parked
 */
public record ParkedSummary(
        long aggregates, long events, long waiting, Optional<String> firstError, Optional<Duration> longest) {
    /** The summary without parked aggregates. */
    public static final ParkedSummary NONE = new ParkedSummary(0, 0, 0, Optional.empty(), Optional.empty());

    public ParkedSummary {
        requireNonNull(firstError, "firstError");
        requireNonNull(longest, "longest");
    }
}

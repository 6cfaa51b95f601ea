package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * The decision to park an aggregate, or to keep it parked after a failed retry.
 *
 * @param attempts the number of attempts at its first event so far
 * @param error the description of the failure, without contents of events
 * @param nextTry the time until the next attempt; empty if it waits for an operator
 */
public record ParkDecision(ParkReason reason, int attempts, String error, Optional<Duration> nextTry) {
    public ParkDecision {
        requireNonNull(reason, "reason");
        requireNonNull(error, "error");
        requireNonNull(nextTry, "nextTry");
        if (attempts < 0) {
            throw new IllegalArgumentException("%d attempts".formatted(attempts));
        }
    }
}

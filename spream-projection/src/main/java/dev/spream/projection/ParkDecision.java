package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * Sets an aggregate aside, or says that trying it again has failed.
 *
 * @param attempts at its first event so far
 * @param error what failed; without what events contain
 * @param nextTry in how long to try again; empty if somebody has to
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

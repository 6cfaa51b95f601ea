package dev.spream.core.projection;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How far a loop is behind.
 *
 * @param events that are known and not dealt with
 * @param oldest when the oldest of them occurred, or the last one that was dealt with
 */
record LagSample(long events, Optional<Instant> oldest) {
    static final LagSample NONE = new LagSample(0, Optional.empty());

    Duration age(Instant now) {
        return oldest.filter(at -> events > 0 && at.isBefore(now))
                .map(at -> Duration.between(at, now))
                .orElse(Duration.ZERO);
    }
}

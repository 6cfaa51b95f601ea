package dev.spream.core.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * A cut-over that was made.
 *
 * @param from the version that was live
 * @param to the version that is
 * @param pause how long no event was applied to either: reads went on, and saw the one or the other
 * @param withoutEffects how many aggregates were parked in the old version and are further in the new one: no side effects
 *     follow from those events
 */
public record CutOver(String projection, int from, int to, Duration pause, long withoutEffects) {
    public CutOver {
        requireNonNull(projection, "projection");
        requireNonNull(pause, "pause");
    }
}

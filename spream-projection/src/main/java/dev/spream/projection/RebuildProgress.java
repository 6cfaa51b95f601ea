package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The progress of a version that is not live.
 *
 * @param startedAt the time at which it was requested, by the store's clock
 * @param applied the number of events that were processed since then, each once: applied, skipped, or parked;
 *     consistent with the position. Parked events count again if a change of the number of segments causes them to be
 *     read again
 * @param position the position up to which every event is processed
 * @param target the position of the live version
 * @param parked the number of aggregates that are parked in it
 * @param skipped the number of events that are skipped in it, including those that are not reached yet
 * @param rate recent events per second, as reported by its process; empty if it does not run
 */
public record RebuildProgress(
        ProjectionVersion version,
        Instant startedAt,
        long applied,
        long position,
        long target,
        long parked,
        long skipped,
        OptionalDouble rate) {
    public RebuildProgress {
        requireNonNull(version, "version");
        requireNonNull(startedAt, "startedAt");
        requireNonNull(rate, "rate");
    }

    /** Returns the processed share, between 0 and 1. */
    public double share() {
        long all = target - version.from();
        return all <= 0 ? 1 : Math.clamp((double) (position - version.from()) / all, 0, 1);
    }

    public boolean isCaughtUp() {
        return position >= target;
    }

    /** Returns the remaining time at this rate, if events remain as dense as so far; empty if unknown. */
    public Optional<Duration> left() {
        if (isCaughtUp()) {
            return Optional.of(Duration.ZERO);
        }
        long passed = position - version.from();
        if (rate.isEmpty() || rate.getAsDouble() <= 0 || applied <= 0 || passed <= 0) {
            return Optional.empty();
        }
        double events = (double) (target - position) * applied / passed;
        return Optional.of(Duration.ofMillis(Math.round(1_000 * events / rate.getAsDouble())));
    }
}

package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The progress of a version that is not live.
 *
 * @param startedAt when it was asked for, by the store's clock
 * @param applied how many events were dealt with since then, each once: applied, passed over, or parked; exact with the position.
 *     Those that are parked count again if another number of segments has them read again
 * @param position every event up to here is dealt with
 * @param target where the live version is
 * @param parked how many aggregates are parked in it
 * @param skipped how many events are skipped in it, those among them that come yet
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

    /** Between 0 and 1. */
    public double share() {
        long all = target - version.from();
        return all <= 0 ? 1 : Math.clamp((double) (position - version.from()) / all, 0, 1);
    }

    public boolean isCaughtUp() {
        return position >= target;
    }

    /** Returns the remaining time at this rate, if events stay as dense as so far; empty if it is not known. */
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

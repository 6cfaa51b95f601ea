package dev.spream.projection.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The last lag sample of a loop. An old sample of a loop that was caught up only shows since when its lag is unknown.
 *
 * @param events the number of known unprocessed events; empty if unknown
 * @param since the time at which the oldest of them, or the last processed one, occurred; without any, the time of the
 *     last sample. Empty if there is none
 */
record LagSample(OptionalLong events, Optional<Instant> since) {
    /** The period for which a sample is valid. A loop that is not blocked takes samples ten times as often. */
    static final Duration LASTS = Duration.ofSeconds(10);

    /** No sample was taken yet. */
    static final LagSample UNKNOWN = new LagSample(OptionalLong.empty(), Optional.empty());

    static LagSample caughtUp(Instant now) {
        return new LagSample(OptionalLong.of(0), Optional.of(now));
    }

    /** Returns a sample of a source that could not be read since then. */
    static LagSample unread(Instant since) {
        return new LagSample(OptionalLong.empty(), Optional.of(since));
    }

    static LagSample behind(long events, Instant since) {
        return new LagSample(OptionalLong.of(events), Optional.of(since));
    }

    private boolean isCaughtUp() {
        return events.isPresent() && events.getAsLong() == 0;
    }

    /** Returns the sample as of that time. */
    LagSample at(Instant now) {
        return since.filter(looked -> looked.isBefore(now.minus(LASTS))).isPresent() ? unattended() : this;
    }

    /**
     * Returns the sample after its loop has stopped: known events still wait, and a loop that was caught up may have
     * new ones.
     */
    LagSample unattended() {
        return isCaughtUp() ? new LagSample(OptionalLong.empty(), since) : this;
    }

    /** Returns how long something has waited, or may have waited; empty if unknown. */
    Optional<Duration> age(Instant now) {
        return isCaughtUp()
                ? Optional.of(Duration.ZERO)
                : since.map(at -> at.isBefore(now) ? Duration.between(at, now) : Duration.ZERO);
    }
}

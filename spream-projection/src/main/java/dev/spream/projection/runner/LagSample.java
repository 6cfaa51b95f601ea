package dev.spream.projection.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The last lag sample of a loop. An old sample of a loop that was caught up proves nothing: it is only the time since which its
 * lag is unknown.
 *
 * @param events that are known and not processed; empty if unknown
 * @param since when the oldest of them occurred, or the last one that was processed; without any, the time of the last sample.
 *     Empty if there is none
 */
record LagSample(OptionalLong events, Optional<Instant> since) {
    /** A loop that nothing holds up looks ten times as often. */
    static final Duration LASTS = Duration.ofSeconds(10);

    /** Nobody has looked yet. */
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

    /** The sample after its loop has stopped: known events still wait, and where there were none there may be some now. */
    LagSample unattended() {
        return isCaughtUp() ? new LagSample(OptionalLong.empty(), since) : this;
    }

    /** For how long something has waited, or may have; empty if that is not known. */
    Optional<Duration> age(Instant now) {
        return isCaughtUp()
                ? Optional.of(Duration.ZERO)
                : since.map(at -> at.isBefore(now) ? Duration.between(at, now) : Duration.ZERO);
    }
}

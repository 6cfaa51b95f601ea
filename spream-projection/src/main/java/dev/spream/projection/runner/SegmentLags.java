package dev.spream.projection.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lags of the segments that are to be read here, as their loops measured them. A source without positions is
 * segment 0. Safe for use by many threads.
 */
final class SegmentLags {
    /**
     * The last lag sample of a loop. An old sample of a loop that was caught up only shows since when its lag is unknown.
     *
     * @param events the number of known unprocessed events; empty if unknown
     * @param since the time at which the oldest of them, or the last processed one, occurred; without any, the time of the
     *     last sample. Empty if there is none
     */
    record Sample(OptionalLong events, Optional<Instant> since) {
        /** The period for which a sample is valid. A loop that is not blocked takes samples ten times as often. */
        static final Duration LASTS = Duration.ofSeconds(10);

        /** No sample was taken yet. */
        static final Sample UNKNOWN = new Sample(OptionalLong.empty(), Optional.empty());

        static Sample caughtUp(Instant now) {
            return new Sample(OptionalLong.of(0), Optional.of(now));
        }

        /** Returns a sample of a source that could not be read since then. */
        static Sample unread(Instant since) {
            return new Sample(OptionalLong.empty(), Optional.of(since));
        }

        static Sample behind(long events, Instant since) {
            return new Sample(OptionalLong.of(events), Optional.of(since));
        }

        private boolean isCaughtUp() {
            return events.isPresent() && events.getAsLong() == 0;
        }

        /** Returns the sample as of that time. */
        Sample at(Instant now) {
            return since.filter(looked -> looked.isBefore(now.minus(LASTS))).isPresent() ? unattended() : this;
        }

        /**
         * Returns the sample after its loop has stopped: known events still wait, and a loop that was caught up may have
         * new ones.
         */
        Sample unattended() {
            return isCaughtUp() ? new Sample(OptionalLong.empty(), since) : this;
        }

        /** Returns how long something has waited, or may have waited; empty if unknown. */
        Optional<Duration> age(Instant now) {
            return isCaughtUp()
                    ? Optional.of(Duration.ZERO)
                    : since.map(at -> at.isBefore(now) ? Duration.between(at, now) : Duration.ZERO);
        }
    }

    private final Map<Integer, Sample> samples = new ConcurrentHashMap<>();

    /**
     * The combined lag.
     *
     * @param events the number of unprocessed events of the segment that is furthest behind, as far as known; 0 only if
     *     each loop has found none
     * @param age the longest wait; zero under the same condition
     */
    record Furthest(OptionalLong events, Optional<Duration> age) {}

    /**
     * Adds a segment that is to be read from now on; its lag is unknown until its loop has measured it, unless it was
     * measured before.
     */
    void expect(int segment) {
        samples.putIfAbsent(segment, Sample.UNKNOWN);
    }

    void found(int segment, Sample sample) {
        samples.put(segment, sample);
    }

    /** Records that its loop has ended. */
    void unattended(int segment) {
        samples.computeIfPresent(segment, (any, sample) -> sample.unattended());
    }

    /** Removes a segment that is no longer read here. */
    void forget(int segment) {
        samples.remove(segment);
    }

    /**
     * Returns the lags at that time.
     *
     * @param held whether the segments are still held, as far as this process can determine
     */
    Furthest furthest(Instant now, boolean held) {
        List<Sample> known = samples.values().stream()
                .map(sample -> held ? sample.at(now) : sample.unattended())
                .toList();
        boolean looked = known.stream().allMatch(sample -> sample.events().isPresent());
        return new Furthest(
                known.stream()
                        .flatMapToLong(sample -> sample.events().stream())
                        .filter(events -> looked || events > 0)
                        .max(),
                known.stream()
                        .flatMap(sample -> sample.age(now).stream())
                        .filter(age -> looked || age.isPositive())
                        .max(Comparator.naturalOrder()));
    }
}

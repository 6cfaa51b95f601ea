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
    private final Map<Integer, LagSample> samples = new ConcurrentHashMap<>();

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
        samples.putIfAbsent(segment, LagSample.UNKNOWN);
    }

    void found(int segment, LagSample sample) {
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
        List<LagSample> known = samples.values().stream()
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

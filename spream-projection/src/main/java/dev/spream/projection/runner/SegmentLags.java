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
 * The lags of the segments that are to be read here, each as its loop found it. A source without positions is segment
 * 0. Safe for use by many threads.
 */
final class SegmentLags {
    private final Map<Integer, LagSample> samples = new ConcurrentHashMap<>();

    /**
     * All of them in one.
     *
     * @param events of the one that is behind most, as far as known; 0 only if a loop has looked at each and found none
     * @param age of what has waited longest; zero likewise
     */
    record Furthest(OptionalLong events, Optional<Duration> age) {}

    /** A segment is to be read from now on; nothing is known of it until its loop has looked, unless one did before. */
    void expect(int segment) {
        samples.putIfAbsent(segment, LagSample.UNKNOWN);
    }

    void found(int segment, LagSample sample) {
        samples.put(segment, sample);
    }

    /** Its loop has ended. */
    void unattended(int segment) {
        samples.computeIfPresent(segment, (any, sample) -> sample.unattended());
    }

    /** It is not read here any more. */
    void forget(int segment) {
        samples.remove(segment);
    }

    /**
     * Returns the lags at that time.
     *
     * @param held whether they are this process's still, as far as it can know
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

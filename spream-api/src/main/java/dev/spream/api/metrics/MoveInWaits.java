package dev.spream.api.metrics;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The waits for move-ins of the partitions that this worker reads. Safe for use by many threads. */
final class MoveInWaits {
    private final InstantSource clock;
    private final Map<PartitionToken, Instant> since = new ConcurrentHashMap<>();

    MoveInWaits(InstantSource clock) {
        this.clock = clock;
    }

    void begin(PartitionToken partition) {
        since.putIfAbsent(partition, clock.instant());
    }

    void end(PartitionToken partition) {
        since.remove(partition);
    }

    void clear() {
        since.clear();
    }

    int count() {
        return since.size();
    }

    Optional<Duration> longest() {
        return Optional.of(since.values().stream()
                .min(Comparator.naturalOrder())
                .map(first -> Duration.between(first, clock.instant()))
                .orElse(Duration.ZERO));
    }
}

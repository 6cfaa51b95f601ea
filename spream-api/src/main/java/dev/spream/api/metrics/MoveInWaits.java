package dev.spream.api.metrics;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The waits for move-ins of the partitions that this worker reads, and of those that no worker has. A partition that
 * waits may pass from one to the other: its wait began when this worker first saw it. Safe for use by many threads.
 */
final class MoveInWaits {
    private record Wait(MoveIn moveIn, Instant since) {}

    private final InstantSource clock;

    // Guarded by this; waits outlast the two sets until the next lineage.
    private final Map<PartitionToken, Wait> waits = new HashMap<>();
    private final Set<PartitionToken> held = new HashSet<>();
    private final Set<PartitionToken> unclaimed = new HashSet<>();

    MoveInWaits(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void begin(PartitionToken partition, MoveIn moveIn) {
        note(partition, moveIn);
        held.add(partition);
    }

    /** Ends the wait of a partition that this worker reads, or its reading. */
    synchronized void end(PartitionToken partition) {
        held.remove(partition);
    }

    /** Takes the waits of the partitions that no worker has. */
    synchronized void unclaimed(Map<PartitionToken, MoveIn> waiting) {
        unclaimed.clear();
        unclaimed.addAll(waiting.keySet());
        waiting.forEach(this::note);
        waits.keySet().removeIf(partition -> !held.contains(partition) && !unclaimed.contains(partition));
    }

    private void note(PartitionToken partition, MoveIn moveIn) {
        waits.compute(
                partition,
                (token, known) ->
                        known != null && known.moveIn().equals(moveIn) ? known : new Wait(moveIn, clock.instant()));
    }

    synchronized void clear() {
        waits.clear();
        held.clear();
        unclaimed.clear();
    }

    synchronized int count() {
        return (int) current().count();
    }

    synchronized Optional<Duration> longest() {
        return Optional.of(current()
                .map(Wait::since)
                .min(Comparator.naturalOrder())
                .map(first -> Duration.between(first, clock.instant()))
                .orElse(Duration.ZERO));
    }

    private Stream<Wait> current() {
        return waits.entrySet().stream()
                .filter(wait -> held.contains(wait.getKey()) || unclaimed.contains(wait.getKey()))
                .map(Map.Entry::getValue);
    }
}

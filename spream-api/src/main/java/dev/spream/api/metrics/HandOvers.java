package dev.spream.api.metrics;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The times at which parents of partitions ended in this process, for measuring how long their children waited. Entries
 * of children that other workers read are evicted after a number of newer ones. Safe for use by many threads.
 */
final class HandOvers {
    private static final int KEPT = 1_000;

    // Guarded by this.
    private final Map<PartitionToken, Long> endedAt = new LinkedHashMap<>(); // by child
    private final Set<PartitionToken> begun =
            new LinkedHashSet<>(); // the start was reported before the end of a parent

    /**
     * Records the end of a partition.
     *
     * @param nanos the time of the end, by the clock of {@link #started}
     * @return the number of children whose start was reported before
     */
    synchronized int finished(PartitionEnd proof, long nanos) {
        int atOnce = 0;
        for (PartitionToken child : proof.children()) {
            if (begun.remove(child)) {
                atOnce++;
                continue;
            }
            endedAt.put(child, nanos); // the later of two parents counts
            forgetOldest(endedAt.keySet());
        }
        return atOnce;
    }

    /** Returns the time that the partition waited for its reader; empty if no end of a parent was reported here yet. */
    synchronized Optional<Duration> started(PartitionToken partition, long nanos) {
        Long ended = endedAt.remove(partition);
        if (ended == null) {
            begun.add(partition);
            forgetOldest(begun);
            return Optional.empty();
        }
        return Optional.of(Duration.ofNanos(nanos - ended));
    }

    private static void forgetOldest(Set<PartitionToken> partitions) {
        if (partitions.size() > KEPT) {
            partitions.remove(partitions.iterator().next());
        }
    }
}

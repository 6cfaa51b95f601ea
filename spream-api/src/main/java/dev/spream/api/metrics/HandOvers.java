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
 * The times when parents of partitions ended here, to tell how long their children waited. A child that another worker
 * reads is forgotten when many others have come after it. Safe for use by many threads.
 */
final class HandOvers {
    private static final int KEPT = 1_000;

    // Guarded by this.
    private final Map<PartitionToken, Long> endedAt = new LinkedHashMap<>(); // by child
    private final Set<PartitionToken> begun = new LinkedHashSet<>(); // before an end of a parent was told

    /**
     * A partition was finished.
     *
     * @param nanos when, by the same clock as in {@link #started}
     * @return how many children were not waited for: the reader of one was told first
     */
    synchronized int finished(PartitionEnd proof, long nanos) {
        int atOnce = 0;
        for (PartitionToken child : proof.children()) {
            if (begun.remove(child)) {
                atOnce++;
                continue;
            }
            endedAt.put(child, nanos); // the last of two parents counts
            forgetOldest(endedAt.keySet());
        }
        return atOnce;
    }

    /** Returns the time that the partition waited for its reader; empty if no end of a parent was reported here, or not yet. */
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

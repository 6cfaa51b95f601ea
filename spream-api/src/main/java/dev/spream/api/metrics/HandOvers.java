package dev.spream.api.metrics;

import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When the parents of partitions ended here, to tell how long their children waited. A child that another worker reads is
 * forgotten when many others have come after it. Safe for use by many threads.
 */
final class HandOvers {
    private static final int KEPT = 1_000;

    private final Map<PartitionToken, Long> endedAt = new LinkedHashMap<>(); // by child, guarded by this

    /** @param nanos when it was finished, by the same clock as in {@link #started} */
    synchronized void finished(EndProof proof, long nanos) {
        for (PartitionToken child : proof.children()) {
            endedAt.put(child, nanos); // the last of two parents counts
            if (endedAt.size() > KEPT) {
                endedAt.remove(endedAt.keySet().iterator().next());
            }
        }
    }

    /** How long the partition waited for its reader; empty if its parents did not end here, or it started before. */
    synchronized Optional<Duration> started(PartitionToken partition, long nanos) {
        return Optional.ofNullable(endedAt.remove(partition)).map(ended -> Duration.ofNanos(nanos - ended));
    }
}

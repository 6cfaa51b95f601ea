package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * An operator's change of a stored subscription, while no worker reads it. {@link #plan} is a pure function, so that a dry
 * run shows what every storage would write.
 */
public sealed interface Correction {

    /**
     * Another start. A subscription that has read nothing begins there. One that has read something begins anew there, and
     * delivers again what was committed from there on; a start that would skip changes is refused.
     */
    record MoveStart(Instant to) implements Correction {
        public MoveStart {
            requireNonNull(to, "to");
        }
    }

    /**
     * Another end, or none. Partitions that finished at an earlier end are read on; an end before what was read is refused.
     *
     * @param to the last commit timestamp to read, inclusive; empty to read for ever
     */
    record MoveEnd(Optional<Instant> to) implements Correction {
        public MoveEnd {
            requireNonNull(to, "to");
        }
    }

    /**
     * A period that is not read. Each of the partitions gets a gap from its watermark, which has to be in the period, to
     * the end of the period; one with a later watermark stays as it is. A partition that the stream returns later is read
     * from its start; with mutable key ranges, one that started in the period from the end of the gap, if it lives then.
     *
     * @param partitions unfinished partitions; empty for all of them
     */
    record AddGap(PartitionGap period, Set<PartitionToken> partitions) implements Correction {
        public AddGap {
            requireNonNull(period, "period");
            partitions = Set.copyOf(partitions);
        }
    }

    /**
     * Removes all partitions and their proofs, and begins with the initial query, or with a snapshot as of the start.
     *
     * @param start the first commit timestamp to read; empty for the stored start, or with a snapshot for the time of the
     *     correction, because the database may not have the rows as of the stored start any more
     * @param snapshot whether it begins with a snapshot; empty if it begins as it did before
     */
    record BeginAnew(Optional<Instant> start, Optional<Boolean> snapshot) implements Correction {
        public BeginAnew {
            requireNonNull(start, "start");
            requireNonNull(snapshot, "snapshot");
        }

        /** Creates the correction of a subscription that begins as it did before. */
        public BeginAnew(Optional<Instant> start) {
            this(start, Optional.empty());
        }

        /** Returns whether that subscription begins with a snapshot after this correction. */
        public boolean withSnapshot(SubscriptionRecord stored) {
            return snapshot.orElse(stored.snapshot().isPresent());
        }
    }

    /**
     * Adds the rows of tables, such as those that the stream has watched only for a while, without another start. Workers
     * then read every partition of the stream up to that time, deliver the rows as of then, and read on after it.
     *
     * @param at the time of the rows, at or after every watermark
     * @param partitions the first partition of each table, {@linkplain
     *     dev.spream.core.source.ChangeStreamSource#addedSnapshot as the source names it}
     * @param again whether this snapshot replaces one that was added and is not settled, as when the database does not keep
     *     the rows as of then any more; otherwise that one has to be settled first
     */
    record AddSnapshot(Instant at, Map<String, PartitionToken> partitions, boolean again) implements Correction {
        public AddSnapshot {
            requireNonNull(at, "at");
            partitions = Collections.unmodifiableMap(new TreeMap<>(partitions));
            partitions.values().stream()
                    .filter(partition -> !partition.isOfAddedSnapshot())
                    .forEach(partition -> {
                        throw new IllegalArgumentException(
                                "partition %s is not of an added snapshot".formatted(partition));
                    });
            if (partitions.isEmpty()) {
                throw new IllegalArgumentException("a snapshot of no table");
            }
        }
    }

    /**
     * Reads on after a snapshot that was added, once all partitions are finished: those that ended at its time continue
     * after it. Made by the workers, so that it is not refused because of them.
     */
    record ContinueAfterSnapshot() implements Correction {}

    /**
     * The state of another reader that has continued the subscription, such as a job of Apache Flink, in place of the stored
     * partitions: workers continue where that reader stopped. A state that would skip changes is refused; one that is
     * behind what is stored delivers changes again.
     */
    record Replace(SubscriptionState state) implements Correction {
        public Replace {
            requireNonNull(state, "state");
        }
    }

    /**
     * Plans the correction of a subscription that was read at one moment; refuses it if a worker may read the subscription,
     * or if changes would be lost that the correction does not name.
     *
     * @param lineage all its stored partitions
     * @param proofs the proofs of its removed partitions
     * @param workers its registered workers
     */
    default CorrectionOutcome plan(
            SubscriptionRecord subscription,
            Lineage lineage,
            List<FinishedPartition> proofs,
            List<WorkerRegistration> workers) {
        return new CorrectionPlanner(subscription, lineage, proofs, workers).plan(this);
    }
}

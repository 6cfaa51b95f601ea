package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
     * from its start.
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

package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import java.time.Instant;
import java.util.List;

/**
 * The whole state of a subscription at a moment when no worker reads it: another reader continues it from here, such as a
 * job of Apache Flink, and {@link Correction.Replace} stores the state in which that reader leaves it.
 *
 * @param subscription the record of the subscription
 * @param partitions the unfinished partitions, and the finished ones that they may wait for; leases have no meaning here
 * @param finished the proofs of removed partitions that others may still name
 */
public record SubscriptionState(
        SubscriptionRecord subscription, List<PartitionMetadata> partitions, List<FinishedPartition> finished) {
    public SubscriptionState {
        requireNonNull(subscription, "subscription");
        partitions = List.copyOf(partitions);
        finished = List.copyOf(finished);
    }

    /**
     * Reads the state of a subscription that another reader may continue. The storage does not prevent workers that start
     * later from reading it too.
     *
     * @throws StorageException if none is stored, a worker may read it, a snapshot that was added to it is not settled,
     *     which workers alone order among the changes, or a partition stands at the end of an accepted gap, where workers
     *     look for partitions that started in it
     */
    public static SubscriptionState ofStopped(PartitionStorage storage) {
        SubscriptionRecord subscription =
                storage.subscription().orElseThrow(() -> refused("no subscription is stored; nothing was changed"));
        List<WorkerRegistration> workers = storage.workers();
        Lineage lineage = storage.lineage();
        List<FinishedPartition> proofs = storage.proofs(); // after the lineage: clean-up may run between the two
        try {
            CorrectionRefusal.requireIdle(lineage, workers);
            requireSettledSnapshot(subscription, lineage, proofs, workers);
            requireReadPastGaps(lineage);
        } catch (CorrectionRefusal e) {
            throw refused(e.reason());
        }
        return new SubscriptionState(
                subscription,
                lineage.partitions().stream()
                        .map(partition ->
                                partition.isFinished() ? partition : CorrectedPartition.withoutOwner(partition))
                        .toList(),
                proofs);
    }

    private static void requireReadPastGaps(Lineage lineage) {
        lineage.partitions().stream()
                .filter(partition ->
                        !partition.isFinished() && partition.discoveredUntil().isBefore(partition.watermark()))
                .findFirst()
                .ifPresent(partition -> {
                    throw new CorrectionRefusal(
                            "partition %s stands at the end of an accepted gap, %s; nothing was changed. Start a worker: it finds the partitions that started in the gap, and can be stopped when it has read on"
                                    .formatted(partition.token().abbreviated(), partition.watermark()));
                });
    }

    static void requireSettledSnapshot(
            SubscriptionRecord subscription,
            Lineage lineage,
            List<FinishedPartition> proofs,
            List<WorkerRegistration> workers) {
        lineage.pausedAt().ifPresent(at -> {
            throw unsettledSnapshot(at);
        });
        CorrectionOutcome after = new Correction.ContinueAfterSnapshot().plan(subscription, lineage, proofs, workers);
        if (after instanceof CorrectionOutcome.Planned planned
                && !planned.plan().changesNothing()) {
            throw new CorrectionRefusal(
                    "partitions ended at the time of a snapshot that was added, and are not read on yet; nothing was changed. Start a worker: it reads on, and can be stopped then");
        }
    }

    static CorrectionRefusal unsettledSnapshot(Instant at) {
        return new CorrectionRefusal(
                "a snapshot as of %s was added and is not settled; nothing was changed. Let workers read it first, or begin anew"
                        .formatted(at));
    }

    private static StorageException refused(String reason) {
        return new StorageException(reason, false, null);
    }
}

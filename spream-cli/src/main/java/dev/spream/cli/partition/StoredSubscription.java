package dev.spream.cli.partition;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Instant;
import java.util.List;

/**
 * The stored state of a subscription.
 *
 * @param subscription the record, read after the proofs: it has the time before which some may be forgotten
 * @param proofs the proofs of removed partitions, read after the lineage so that none is missed
 */
record StoredSubscription(
        SubscriptionRecord subscription,
        Lineage lineage,
        List<FinishedPartition> proofs,
        List<WorkerRegistration> workers) {

    /** @throws CommandFailure if nothing is stored */
    static StoredSubscription read(OpenStorage open) {
        PartitionStorage storage = open.storage();
        Lineage lineage = storage.lineage();
        List<FinishedPartition> proofs = storage.proofs();
        SubscriptionRecord subscription = storage.subscription()
                .orElseThrow(() -> new CommandFailure(
                        "nothing is stored at %s: no reader has run with it yet".formatted(open.place())));
        return new StoredSubscription(subscription, lineage, proofs, storage.workers());
    }

    Instant now() {
        return lineage.readAt();
    }

    List<PartitionMetadata> unfinished() {
        return lineage.partitions().stream()
                .filter(partition -> !partition.isFinished())
                .toList();
    }

    long heldBy(WorkerId worker) {
        return lineage.partitions().stream()
                .filter(partition -> partition.leaseLive()
                        && partition.owner().filter(worker::equals).isPresent())
                .count();
    }
}

package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Renews all leases of this worker, in one call, and then its registration, which ends with them, several times within a
 * lease time; and stops reading partitions whose lease was lost. If the storage is unreachable, the leases expire, but the
 * subscription continues.
 */
record LeaseKeeper(EngineContext context, Membership membership, Supplier<Collection<HeldPartition>> partitions) {
    private static final String RENEWING = "renewing the leases";
    private static final int RENEWALS_PER_LEASE = 4;

    /**
     * Returns the interval between the starts of renewals: two slow ones, of which the first fails for a partition, fit
     * into a lease.
     */
    Duration interval() {
        return context.options().leaseTime().dividedBy(RENEWALS_PER_LEASE);
    }

    void renew() {
        endThoseThatRanOut();
        List<HeldPartition> held = partitions.get().stream()
                .filter(partition -> !partition.isLeft())
                .toList();
        long begun = context.time().nanoTime();
        Optional<StorageException> failure = Optional.empty();
        if (held.isEmpty()) {
            context.storageCalls().abandoned(RENEWING);
        } else {
            failure = context.storageCalls().once(RENEWING, " until they expire", () -> renew(held));
        }
        boolean renewed =
                failure.filter(e -> !(e instanceof BusyPartitionsException)).isEmpty();
        if (renewed || membership.isLeaving()) {
            context.storageCalls()
                    .once(
                            "registering the worker",
                            " until the registration expires and the worker loses its share",
                            () -> membership.register(begun));
        }
        endThoseThatRanOut();
    }

    /**
     * Marks partitions with expired leases as lost. Partitions without a reader are not renewed: other workers may
     * claim them.
     */
    private void endThoseThatRanOut() {
        partitions.get().stream().filter(partition -> !partition.isHeld()).forEach(HeldPartition::revoke);
    }

    private void renew(List<HeldPartition> held) {
        List<PartitionLease> leases = held.stream().map(HeldPartition::lease).toList();
        LocalLease requested =
                LocalLease.requested(context.time(), context.options().leaseTime());
        try {
            Set<PartitionToken> lost =
                    context.storage().renew(leases, context.options().leaseTime());
            renewed(held, requested, lost);
        } catch (BusyPartitionsException e) {
            renewed(
                    held.stream()
                            .filter(partition -> !e.busy().contains(partition.token()))
                            .toList(),
                    requested,
                    e.lost());
            throw e;
        }
    }

    private static void renewed(List<HeldPartition> held, LocalLease requested, Set<PartitionToken> lost) {
        for (HeldPartition partition : held) {
            if (!lost.contains(partition.token())) {
                partition.renewed(requested);
            } else {
                partition.unknownToStorage();
            }
        }
    }
}

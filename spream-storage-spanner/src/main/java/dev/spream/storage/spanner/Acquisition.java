package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * One call that acquires partitions, in one transaction or several. If the confirmation of one of its transactions is
 * lost, it identifies the acquired rows by the epoch after that of the claim, the owner, and the end of the lease,
 * which no other call has set to the same time. Safe for use by many threads.
 */
final class Acquisition {
    private final WorkerId worker;
    private final Duration leaseTime;
    private final Map<PartitionToken, Set<Instant>> leaseEnds =
            new ConcurrentHashMap<>(); // requested, confirmed or not

    Acquisition(WorkerId worker, Duration leaseTime) {
        this.worker = worker;
        this.leaseTime = leaseTime;
    }

    WriteOperation<List<PartitionLease>> of(List<PartitionClaim> claims) {
        Set<PartitionToken> tokens = claims.stream().map(PartitionClaim::token).collect(Collectors.toSet());
        return WriteOperation.each("acquiring " + PartitionWrites.count(tokens), tokens, transaction -> {
            List<PartitionLease> acquired = new ArrayList<>();
            for (PartitionClaim claim : claims) {
                transaction
                        .partition(claim.token())
                        .flatMap(row -> acquire(transaction, claim, row))
                        .ifPresent(acquired::add);
            }
            return List.copyOf(acquired);
        });
    }

    private Optional<PartitionLease> acquire(WriteTransaction transaction, PartitionClaim claim, PartitionRow row) {
        if (row.epoch() != claim.epoch() || !row.isFree(transaction.now())) {
            return acquired(claim, row);
        }
        Instant leaseEnd = transaction.in(leaseTime);
        leaseEnds
                .computeIfAbsent(claim.token(), token -> ConcurrentHashMap.newKeySet())
                .add(leaseEnd);
        return Optional.of(row.acquire(worker, leaseEnd));
    }

    /** Returns whether a transaction of this call has tried to write to the row. */
    boolean hasTried(PartitionClaim claim) {
        return leaseEnds.containsKey(claim.token());
    }

    /** Returns the lease, if a transaction of this call has acquired the row. */
    Optional<PartitionLease> acquired(PartitionClaim claim, PartitionRow row) {
        return row.lease(leaseEnds.getOrDefault(claim.token(), Set.of()))
                .filter(lease -> lease.owner().equals(worker) && lease.epoch() == claim.epoch() + 1);
    }
}

package dev.spream.core.subscription;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.lease.FairShare;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims partitions as soon as the gate lets them through, and gives some when others have fewer: at once when this worker
 * has changed the lineage, when the lease of another runs out, and at every discovery interval. Confined to the thread that
 * runs the subscription.
 *
 * <p>What other workers should claim is left to them for a few discovery intervals; what they have not claimed then is
 * claimed here, and for a lease time or more nothing is given: the others may be stuck.
 */
final class PartitionScheduler {
    private static final Logger log = LoggerFactory.getLogger(PartitionScheduler.class);

    interface Readers {
        /** Whether this worker still has a reader for the partition, be its lease lost. */
        boolean isRead(PartitionToken partition);

        /** How many partitions are read. */
        int open();

        void start(PartitionLease lease, LocalLease held);

        Set<PartitionToken> leaving();

        /** Lets that many partitions be handed over. */
        void give(int count);
    }

    /** How much sooner than usual a worker looks that others should give partitions to, and how often before it relents. */
    private static final int EAGERNESS = 10;

    private static final int EAGER_ROUNDS = 5 * EAGERNESS;

    private static final Duration LEASE_END_MARGIN = Duration.ofMillis(2);

    private final EngineContext context;
    private final Readers readers;
    private final Membership membership;
    private final UnclaimedPartitions neglected;
    private int eagerRounds; // since partitions are due, or one of them came

    private volatile List<PartitionMetadata> waiting = List.of();
    private volatile @Nullable Instant lowWatermark;

    PartitionScheduler(EngineContext context, Readers readers, Membership membership) {
        this.context = context;
        this.readers = readers;
        this.membership = membership;
        this.neglected = new UnclaimedPartitions(context);
    }

    /** Claims partitions until the subscription is completed, which it returns true for, or nobody wants it any more. */
    boolean run(BooleanSupplier wanted) throws InterruptedException {
        while (wanted.getAsBoolean()) {
            Set<PartitionToken> leaving =
                    readers.leaving(); // before the look: what is given back in between shows as free

            Lineage lineage = context.storageCalls().repeat("reading the lineage", wanted, PartitionStorage::frontier);
            noteLowWatermark(lineage);
            if (nothingUnfinished(lineage) && isCompleted(wanted)) {
                return true;
            }
            FairShare share = FairShare.of(lineage, membership.members(lineage, wanted), context.worker(), leaving);
            boolean claimed = claim(share, wanted);
            give(share);
            context.partitionsChanged()
                    .await(Collections.min(List.of(untilLeaseEnds(lineage), untilNextRound(share, claimed))));
        }
        return false;
    }

    private void give(FairShare share) {
        if (share.surplus() > 0 && !neglected.abstains()) {
            readers.give(share.surplus());
        }
    }

    /** Sooner than the discovery interval while others should give partitions; not for ever if they do not. */
    private Duration untilNextRound(FairShare share, boolean claimed) {
        Duration interval = context.options().partitionDiscoveryInterval();
        eagerRounds = share.due() == 0 || claimed ? 0 : eagerRounds + 1;
        boolean eager = share.due() > 0 && eagerRounds <= EAGER_ROUNDS;
        return eager ? interval.dividedBy(EAGERNESS) : interval;
    }

    /** Until the first of the others' leases has run out: what a worker that died held is claimed at once then. */
    private Duration untilLeaseEnds(Lineage lineage) {
        return lineage.partitions().stream()
                .filter(partition -> !partition.isFinished() && partition.leaseLive())
                .filter(partition -> !readers.isRead(partition.token()))
                .flatMap(partition -> partition.leaseUntil().stream())
                .min(Comparator.naturalOrder())
                .map(end -> Duration.between(lineage.readAt(), end).plus(LEASE_END_MARGIN))
                .orElse(context.options().partitionDiscoveryInterval());
    }

    /** Of the subscription, as last read from the storage. */
    Optional<Instant> lowWatermark() {
        return Optional.ofNullable(lowWatermark);
    }

    /** The partitions that could be read but for the limit, as last read from the storage, the oldest watermark first. */
    List<PartitionMetadata> waiting() {
        return waiting;
    }

    private void noteLowWatermark(Lineage lineage) {
        lineage.lowWatermark().ifPresent(watermark -> {
            lowWatermark = watermark;
            context.listener().tell(listener -> listener.lowWatermark(watermark));
        });
    }

    private static boolean nothingUnfinished(Lineage lineage) {
        return lineage.partitions().stream().allMatch(PartitionMetadata::isFinished);
    }

    private boolean isCompleted(BooleanSupplier wanted) throws InterruptedException {
        return context.storageCalls()
                .repeat("completing the subscription", wanted, PartitionStorage::completeIfAllFinished);
    }

    /** Whether something was acquired. */
    private boolean claim(FairShare share, BooleanSupplier wanted) throws InterruptedException {
        List<PartitionMetadata> free = Stream.of(share.claims(), neglected.of(share.othersClaims()), share.unclaimed())
                .flatMap(List::stream)
                .filter(partition -> !readers.isRead(partition.token()))
                .toList();
        int room = Math.max(0, context.maxOpenPartitions() - readers.open());
        noteWaiting(free.subList(Math.min(room, free.size()), free.size()));
        List<PartitionClaim> claims =
                free.stream().limit(room).map(PartitionClaim::of).toList();
        if (claims.isEmpty()) {
            return false;
        }
        Acquired acquired =
                context.storageCalls().repeat("acquiring partitions", wanted, storage -> acquire(storage, claims));
        acquired.leases().forEach(lease -> {
            noteTakeOver(lease, free);
            readers.start(lease, acquired.held());
        });
        return !acquired.leases().isEmpty();
    }

    /** A partition that was given back has no owner; one that still had one was not, because its worker died or stood still. */
    private void noteTakeOver(PartitionLease lease, List<PartitionMetadata> free) {
        free.stream()
                .filter(partition -> partition.token().equals(lease.token()))
                .flatMap(partition -> partition.owner().stream())
                .forEach(owner -> log.warn(
                        "[{}] taken over from {}, whose lease ran out; reading continues at {} (epoch {})",
                        context.label(lease.token()),
                        owner.equals(context.worker()) ? "this worker itself" : "worker " + owner.value(),
                        lease.watermark(),
                        lease.epoch()));
    }

    /** Partitions over the limit, in the order in which they come next. */
    private void noteWaiting(List<PartitionMetadata> over) {
        int before = waiting.size();
        waiting = List.copyOf(over);
        if (over.size() == before) {
            return;
        }
        if (before == 0) {
            log.warn(
                    "[{}] {} partitions wait, the oldest since {}: {} are read, which is the limit. Raise maxOpenPartitions and what the source can carry, or add workers, before what they hold expires",
                    context.source().streamName(),
                    over.size(),
                    over.getFirst().watermark(),
                    context.maxOpenPartitions());
        }
        Instant oldest = over.isEmpty() ? null : over.getFirst().watermark();
        context.listener().tell(listener -> listener.partitionsWaiting(over.size(), oldest));
    }

    private Acquired acquire(PartitionStorage storage, List<PartitionClaim> claims) {
        LocalLease requested =
                LocalLease.requested(context.time(), context.options().leaseTime());
        return new Acquired(
                requested,
                storage.acquire(context.worker(), claims, context.options().leaseTime()));
    }

    private record Acquired(LocalLease held, List<PartitionLease> leases) {}
}

package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.lease.FairShare;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.lease.WorkerModes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims partitions as soon as their parents have finished, or can be read ahead of, and their move-ins are over; and
 * hands some over to workers with fewer: at once when this worker has changed the lineage, when another worker's lease
 * expires, and at every discovery interval. Confined to the thread that runs the subscription.
 *
 * <p>Partitions that belong to other workers' shares are left to them for a few discovery intervals. Those still
 * unclaimed are claimed here, and nothing is handed over for at least a lease time: the other workers may be stuck.
 */
final class PartitionScheduler {
    private static final Logger log = LoggerFactory.getLogger(PartitionScheduler.class);

    interface Readers {
        /** Returns whether this worker still has a reader for the partition, even if its lease is lost. */
        boolean isRead(PartitionToken partition);

        /** Returns the number of partitions that are read. */
        int open();

        /** Returns the partitions that have a reader. */
        Collection<HeldPartition> held();

        /** Returns the partitions that a reader waits for. */
        Set<PartitionToken> awaited();

        /** Returns whether a reader waits until all other partitions were read up to some time. */
        boolean awaitsAll();

        /**
         * Starts to read a partition.
         *
         * @param unfinished the parents that are not finished, ahead of which it is read
         * @param lineage the lineage in which it was claimed
         */
        void start(PartitionLease lease, LocalLease held, List<PartitionToken> unfinished, Lineage lineage);

        /** Returns whether the partition can be read ahead of those parents: they are read to their end here. */
        boolean canReadAhead(PartitionToken partition, List<PartitionToken> unfinished);

        /** Prepares for partitions that are about to be claimed. */
        void prepare(List<PartitionClaim> claims, BooleanSupplier wanted) throws InterruptedException;

        /** Returns the times before which every partition that the one which is read here names is stored. */
        Map<PartitionToken, Instant> positions();

        /** Passes a lineage on that was just read. */
        void observe(Lineage lineage);

        /** Starts to hand over partitions that wait for others, because their places are needed. */
        void giveBlocked();

        Set<PartitionToken> leaving();

        /** Starts to hand over that many partitions. */
        void give(int count);

        /** Starts to hand over all partitions, without waiting for what is in flight. */
        void giveAll();
    }

    /**
     * The factor by which a worker below its share reads the lineage more often, and the number of rounds for which it does.
     */
    private static final int EAGERNESS = 10;

    private static final int EAGER_ROUNDS = 5 * EAGERNESS;

    private static final Duration LEASE_END_MARGIN = Duration.ofMillis(2);

    private final EngineContext context;
    private final Readers readers;
    private final Membership membership;
    private final UnclaimedPartitions neglected;
    private final boolean alone;
    private final Discovery discovery;
    private List<WorkerId> awaited = List.of(); // with the other transaction mode
    private Set<PartitionClaim> lostBefore = Set.of();
    private int eagerRounds; // rounds since partitions became due or one of them arrived

    private Map<PartitionToken, MoveIn> moveIns = Map.of(); // of partitions that no worker has

    private volatile List<PartitionMetadata> waiting = List.of();
    private volatile @Nullable Instant lowWatermark;

    /** @param alone whether one worker at a time has all partitions */
    PartitionScheduler(
            EngineContext context, Readers readers, Membership membership, Discovery discovery, boolean alone) {
        this.alone = alone;
        this.discovery = discovery;
        this.context = context;
        this.readers = readers;
        this.membership = membership;
        this.neglected = new UnclaimedPartitions(context);
    }

    /** Claims partitions until the subscription is completed; returns false if it was stopped before. */
    boolean run(BooleanSupplier wanted) throws InterruptedException {
        while (wanted.getAsBoolean()) {
            membership.beginRound();
            Set<PartitionToken> leaving =
                    readers.leaving(); // first, so that partitions released meanwhile appear as free
            // Before the lineage, which then has what they named. Several workers settle what they read on their own.
            Map<PartitionToken, Instant> positions = alone ? readers.positions() : Map.of();
            Lineage lineage = discovery.look(readers, wanted).withPositions(positions);
            readers.observe(lineage);
            noteLowWatermark();
            noteMoveIns(lineage);
            if (nothingUnfinished(lineage) && isCompleted(wanted)) {
                return true;
            }
            WorkerModes modes = WorkerModes.of(lineage, membership.members(), context.worker());
            noteAwaited(modes);
            if (!modes.awaited().isEmpty()) {
                if (modes.gives()) {
                    readers.giveAll();
                }
                membership.endRound();
                context.partitionsChanged().await(context.options().partitionDiscoveryInterval());
                continue;
            }
            List<WorkerRegistration> members = modes.sharing();
            FairShare share = alone
                    ? FairShare.ofOne(lineage, members, context.worker())
                    : FairShare.of(lineage, members, context.worker(), leaving);
            boolean claimed = claim(lineage, share, wanted);
            give(share);
            membership.endRound();
            context.partitionsChanged()
                    .await(Collections.min(List.of(untilLeaseEnds(lineage), untilNextRound(share, claimed))));
        }
        return false;
    }

    private void noteAwaited(WorkerModes modes) {
        List<WorkerId> now =
                modes.awaited().stream().map(WorkerRegistration::worker).toList();
        if (now.equals(awaited)) {
            return;
        }
        awaited = now;
        if (now.isEmpty()) {
            log.info(
                    "[{}] no worker with another transactionMode is left; this worker reads",
                    context.source().streamName());
        } else {
            log.warn(
                    "[{}] this worker delivers {}, and workers {} deliver {}: it waits until they have stopped, since a transaction that both read would not be whole. Stop all workers to change transactionMode (transaction-mode)",
                    context.source().streamName(),
                    alone ? "whole transactions" : "each change by itself",
                    now,
                    alone ? "each change by itself" : "whole transactions");
        }
    }

    private void give(FairShare share) {
        if (share.surplus() == 0) {
            return;
        }
        if (alone) {
            readers.giveAll();
        } else if (!neglected.abstains()) {
            readers.give(share.surplus());
        }
    }

    /**
     * Returns the time until the next round. It is shorter than the discovery interval while other workers should hand
     * partitions over, for a few rounds.
     */
    private Duration untilNextRound(FairShare share, boolean claimed) {
        Duration interval = context.options().partitionDiscoveryInterval();
        eagerRounds = share.due() == 0 || claimed ? 0 : eagerRounds + 1;
        boolean eager = share.due() > 0 && eagerRounds <= EAGER_ROUNDS;
        return eager ? interval.dividedBy(EAGERNESS) : interval;
    }

    /**
     * Returns the time until the first lease of another worker expires: the partitions of a dead worker are claimed at
     * once.
     */
    private Duration untilLeaseEnds(Lineage lineage) {
        return discovery
                .nextLeaseEnd(lineage)
                .map(end -> Duration.between(lineage.readAt(), end).plus(LEASE_END_MARGIN))
                .orElse(context.options().partitionDiscoveryInterval());
    }

    /** Returns the low watermark of the subscription, as far as it is known. */
    Optional<Instant> lowWatermark() {
        return Optional.ofNullable(lowWatermark);
    }

    /**
     * Returns the partitions that could be read but for the limit, as last read from the storage, the oldest watermark
     * first.
     */
    List<PartitionMetadata> waiting() {
        return waiting;
    }

    private void noteLowWatermark() {
        discovery.lowWatermark().ifPresent(watermark -> {
            lowWatermark = watermark;
            context.listener().publish(listener -> listener.lowWatermark(watermark));
        });
    }

    /** Reports the waits for move-ins of partitions that no worker has. */
    private void noteMoveIns(Lineage lineage) {
        Map<PartitionToken, MoveIn> waits = lineage.waitingForSources().stream()
                .collect(Collectors.toMap(
                        PartitionMetadata::token,
                        partition -> partition.moveIn().orElseThrow()));
        if (!waits.equals(moveIns)) {
            moveIns = waits;
            context.listener().publish(listener -> listener.unclaimedWaitingForMoveIn(waits));
        }
    }

    private static boolean nothingUnfinished(Lineage lineage) {
        return lineage.partitions().stream().allMatch(PartitionMetadata::isFinished);
    }

    private boolean isCompleted(BooleanSupplier wanted) throws InterruptedException {
        return context.storageCalls()
                .repeat(
                        "completing the subscription",
                        wanted,
                        storage -> !isContinued(storage) && storage.completeIfAllFinished());
    }

    /** Lets partitions that ended at an added snapshot be read on, if there are any. */
    private boolean isContinued(PartitionStorage storage) {
        Correction reading = new Correction.ContinueAfterSnapshot();
        CorrectionOutcome outcome =
                reading.plan(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs(), List.of());
        if (!(outcome instanceof CorrectionOutcome.Planned planned)
                || planned.plan().changesNothing()) {
            return false;
        }
        storage.correct(reading, new CorrectionAct(context.worker().value(), "the added snapshot is settled"));
        log.info("[{}] {}", context.source().streamName(), planned.plan().change());
        context.partitionsChanged().signal();
        return true;
    }

    /** Acquires the claims of the share; returns whether any was acquired. */
    private boolean claim(Lineage lineage, FairShare share, BooleanSupplier wanted) throws InterruptedException {
        List<PartitionMetadata> free = Stream.of(
                        share.claims(), neglected.of(share.othersClaims()), share.unclaimed(), ahead(lineage, share))
                .flatMap(List::stream)
                .filter(partition -> !readers.isRead(partition.token()))
                .sorted(Comparator.comparing(lineage::waitsAtGapEnd)) // the places are for those that are waited for
                .toList();
        int room = Math.max(0, context.maxOpenPartitions() - readers.open());
        noteWaiting(free.subList(Math.min(room, free.size()), free.size()), lineage);
        List<PartitionClaim> claims =
                free.stream().limit(room).map(PartitionClaim::of).toList();
        if (claims.isEmpty() || !membership.isRegistered()) {
            return false;
        }
        readers.prepare(claims, wanted);
        Acquired acquired =
                context.storageCalls().repeat("acquiring partitions", wanted, storage -> acquire(storage, claims));
        noteLost(claims, acquired);
        if (!acquired.leases().isEmpty() && membership.othersHold(wanted)) {
            context.storageCalls().run("releasing partitions", wanted, storage -> storage.release(acquired.leases()));
            return false; // the next look decides
        }
        acquired.leases().forEach(lease -> {
            noteTakeOver(lease, free);
            readers.start(
                    lease,
                    acquired.held(),
                    lineage.partition(lease.token())
                            .map(lineage::unfinishedParents)
                            .orElse(List.of()),
                    lineage);
        });
        return !acquired.leases().isEmpty();
    }

    /** Returns the partitions that can be read ahead of their parents, which their readers decide, not the storage. */
    private List<PartitionMetadata> ahead(Lineage lineage, FairShare share) {
        if (context.options().effectiveOrdering() == Ordering.NONE) {
            return lineage.waitingForSources(); // stored by a worker with an order
        }
        if (!context.readsAhead() || (alone && share.surplus() > 0)) {
            return List.of();
        }
        return Stream.concat(
                        lineage.waitingForParents().stream()
                                .filter(partition ->
                                        readers.canReadAhead(partition.token(), lineage.unfinishedParents(partition))),
                        aheadOfSources(lineage, share.claims()).stream())
                .toList();
    }

    /**
     * Returns the partitions that wait for the sources of a move-in, all of which are read here or claimed with them; only
     * where one worker has all partitions: the sources may wait for them, to complete a transaction or for its turn.
     */
    private List<PartitionMetadata> aheadOfSources(Lineage lineage, List<PartitionMetadata> claims) {
        if (!alone) {
            return List.of();
        }
        Set<PartitionToken> here = claims.stream().map(PartitionMetadata::token).collect(Collectors.toSet());
        List<PartitionMetadata> ahead = new ArrayList<>();
        List<PartitionMetadata> left = new ArrayList<>(lineage.waitingForSources());
        List<PartitionMetadata> next;
        do { // one may wait for another of them
            next = left.stream()
                    .filter(partition -> lineage.awaitedSources(partition).stream()
                            .allMatch(source -> here.contains(source) || isReadHere(source, lineage)))
                    .toList();
            next.forEach(partition -> here.add(partition.token()));
            ahead.addAll(next);
            left.removeAll(next);
        } while (!next.isEmpty());
        return ahead;
    }

    /** Returns whether the partition is read here under a lease that lasts: a reader may still end after it was lost. */
    private boolean isReadHere(PartitionToken partition, Lineage lineage) {
        return readers.isRead(partition)
                && lineage.partition(partition)
                        .filter(PartitionMetadata::leaseLive)
                        .flatMap(PartitionMetadata::owner)
                        .filter(context.worker()::equals)
                        .isPresent();
    }

    /**
     * Logs that a partition was taken over. A released partition has no owner; one with an owner was not released,
     * because its worker died or stalled.
     */
    private void noteTakeOver(PartitionLease lease, List<PartitionMetadata> free) {
        free.stream()
                .filter(partition -> partition.token().equals(lease.token()))
                .flatMap(partition -> partition.owner().stream())
                .forEach(owner -> log.warn(
                        "[{}] taken over from {}, whose lease expired; reading continues at {} (epoch {})",
                        context.label(lease.token()),
                        owner.equals(context.worker()) ? "this worker itself" : "worker " + owner.value(),
                        lease.watermark(),
                        lease.epoch()));
    }

    /**
     * Stores the partitions over the limit, in the order in which they are read next, and reports a change of their
     * number.
     */
    private void noteWaiting(List<PartitionMetadata> over, Lineage lineage) {
        int before = waiting.size();
        waiting = List.copyOf(over);
        if (!over.isEmpty()) {
            if (alone && over.stream().anyMatch(partition -> !partition.token().isOfSnapshot())) {
                throw tooManyForOne(over.size());
            }
            if (!over.stream().allMatch(lineage::waitsAtGapEnd)) {
                readers.giveBlocked();
            }
        }
        if (over.size() == before) {
            return;
        }
        if (before == 0) {
            log.warn(
                    "[{}] {} partitions wait, the oldest since {}, because the limit of {} open partitions is reached. Raise maxOpenPartitions and the number of queries that the source allows, or add workers, before their changes expire",
                    context.source().streamName(),
                    over.size(),
                    over.getFirst().watermark(),
                    context.maxOpenPartitions());
        }
        Instant oldest = over.isEmpty() ? null : over.getFirst().watermark();
        context.listener().publish(listener -> listener.partitionsWaiting(over.size(), oldest));
    }

    private SubscriptionException tooManyForOne(int waiting) {
        return new SubscriptionException(
                "[%s] %d partitions cannot be opened, because the limit of %d open partitions is reached, and whole transactions need all of them; the subscription stops. Raise maxOpenPartitions and the number of queries that the source allows"
                        .formatted(context.source().streamName(), waiting, context.maxOpenPartitions()),
                null);
    }

    /**
     * Has everything read when the same claim is lost again: what made it lose has not come with a look, such as a change by
     * a worker of an earlier version.
     */
    private void noteLost(List<PartitionClaim> claims, Acquired acquired) {
        Set<PartitionToken> won =
                acquired.leases().stream().map(PartitionLease::token).collect(Collectors.toSet());
        Set<PartitionClaim> lost =
                claims.stream().filter(claim -> !won.contains(claim.token())).collect(Collectors.toSet());
        if (!Collections.disjoint(lost, lostBefore)) {
            discovery.readEverything();
        }
        lostBefore = lost;
    }

    /** Acquires nothing if the registration has ended meanwhile: others may have begun to read, or a correction was made. */
    private Acquired acquire(PartitionStorage storage, List<PartitionClaim> claims) {
        if (!membership.isRegistered()) {
            return new Acquired(LocalLease.ended(context.time()), List.of());
        }
        LocalLease requested =
                LocalLease.requested(context.time(), context.options().leaseTime());
        return new Acquired(
                requested,
                storage.acquire(context.worker(), claims, context.options().leaseTime()));
    }

    private record Acquired(LocalLease held, List<PartitionLease> leases) {}
}

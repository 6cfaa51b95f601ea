package dev.spream.core.subscription;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.subscription.lease.WorkerModes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The membership of this worker in the subscription. A worker is a member from its first claim until it starts to
 * stop, or until it has not registered for a lease time; partitions that it still holds then remain its own until
 * their leases are released or expire.
 */
final class Membership {
    private static final Logger log = LoggerFactory.getLogger(Membership.class);

    private final EngineContext context;
    private final boolean wholeTransactions;
    private volatile boolean leaving;
    private volatile @Nullable SubscriptionRecord opened;
    private volatile LocalLease registration;

    private volatile OptionalLong roundSince = OptionalLong.empty(); // on the engine's monotonic clock
    private volatile WorkerProgress progress = new WorkerProgress(Optional.empty(), Instant.EPOCH);

    private List<WorkerRegistration> members = List.of(); // confined to the scheduler's thread

    /** @param wholeTransactions whether this worker delivers whole transactions */
    Membership(EngineContext context, boolean wholeTransactions) {
        this.context = context;
        this.wholeTransactions = wholeTransactions;
        this.registration = LocalLease.ended(context.time());
    }

    /** Sets the subscription that this worker reads. */
    void opened(SubscriptionRecord subscription) {
        opened = subscription;
    }

    /** Notes that the scheduler begins a round, and may have partitions that no reader renews until it ends. */
    void beginRound() {
        roundSince = OptionalLong.of(context.time().nanoTime());
    }

    void endRound() {
        roundSince = OptionalLong.empty();
    }

    /** Registers this worker for a lease time, or ends its registration if it is leaving. */
    void register() {
        register(context.time().nanoTime());
    }

    /**
     * Registers this worker for as long as its leases last, or ends its registration if it is leaving. Not for longer: others
     * leave its partitions to it as long as it is registered.
     *
     * @param renewedSince when the renewal of its leases began, on the engine's monotonic clock
     * @throws SubscriptionException if the subscription was corrected while this worker was not registered, or rows of a
     *     snapshot were added that this worker cannot deliver in commit order
     */
    void register(long renewedSince) {
        if (leaving) {
            context.storage().unregisterWorker(context.worker());
            return;
        }
        long now = context.time().nanoTime();
        OptionalLong round = roundSince;
        long since = round.isPresent() && round.getAsLong() - renewedSince < 0 ? round.getAsLong() : renewedSince;
        Duration aliveTime = context.options().leaseTime().minusNanos(now - since);
        if (!aliveTime.isPositive()) {
            return;
        }
        boolean lapsed = !isRegistered();
        LocalLease requested = LocalLease.requested(context.time(), aliveTime);
        context.storage()
                .registerWorker(
                        context.worker(),
                        context.maxOpenPartitions(),
                        wholeTransactions,
                        Optional.of(progress),
                        aliveTime);
        if (lapsed) {
            requireUncorrected(); // it is not corrected from now on
            requireOrdered();
        }
        registration = requested;
    }

    /** Returns whether this worker is registered, so that the subscription is as this worker opened it. */
    boolean isRegistered() {
        return registration.isHeld();
    }

    private void requireUncorrected() {
        SubscriptionRecord expected = opened;
        if (expected == null) {
            return;
        }
        context.storage()
                .subscription()
                .filter(stored -> !stored.startTimestamp().equals(expected.startTimestamp())
                        || !stored.endTimestamp().equals(expected.endTimestamp())
                        || !stored.snapshot().equals(expected.snapshot()))
                .ifPresent(stored -> {
                    throw new SubscriptionException(
                            "[%s] the subscription was corrected while this worker was not registered: it is from %s to %s now, %s; nothing of that was read here. Start the worker again"
                                    .formatted(
                                            context.source().streamName(),
                                            stored.startTimestamp(),
                                            stored.endTimestamp()
                                                    .map(Instant::toString)
                                                    .orElse("none"),
                                            stored.initialQuery().isRoot()
                                                    ? "without rows of a snapshot"
                                                    : "with the rows of a snapshot"));
                });
    }

    /** Rows may have been added since this worker opened the subscription. */
    private void requireOrdered() {
        SubscriptionRecord expected = opened;
        if (expected != null && context.options().transactionMode() == TransactionMode.COMMIT_ORDER) {
            SubscriptionOpener.requireOrdered(context.storage().frontier(), expected);
        }
    }

    boolean isLeaving() {
        return leaving;
    }

    /** Ends this worker's share with the next registration. */
    void leave() {
        leaving = true;
    }

    /** Takes the workers of a look. */
    void note(LiveWorkers look, Instant readAt) {
        look.changed().ifPresent(alive -> note(alive(alive, readAt)));
    }

    /** Returns the workers that were alive at the last look, and this one. */
    List<WorkerRegistration> members() {
        return members;
    }

    /** Notes the low watermark of this worker's partitions, for the next registration. */
    void note(WorkerProgress ofPartitions) {
        progress = ofPartitions;
    }

    /**
     * Returns whether a worker of the other mode holds partitions. Called after each acquire and before anything is read: of
     * two workers that acquire at the same moment, each after a look at what was stored before, at least one sees the other.
     */
    boolean othersHold(BooleanSupplier wanted) throws InterruptedException {
        List<WorkerRegistration> read =
                context.storageCalls().repeat("reading the workers", wanted, PartitionStorage::workers);
        if (read.stream().noneMatch(other -> other.wholeTransactions() != wholeTransactions)) {
            return false; // one that registers from now on sees what this worker holds
        }
        Lineage lineage = context.storageCalls().repeat("reading the lineage", wanted, PartitionStorage::frontier);
        return !WorkerModes.of(lineage, alive(read, lineage.readAt()), context.worker())
                .awaited()
                .isEmpty();
    }

    private List<WorkerRegistration> alive(List<WorkerRegistration> registrations, Instant storageTime) {
        List<WorkerRegistration> alive = new ArrayList<>();
        for (WorkerRegistration registration : registrations) {
            if (registration.alive() && !registration.worker().equals(context.worker())) {
                alive.add(registration);
            }
        }
        Instant registeredAt = registrations.stream()
                .filter(registration -> registration.worker().equals(context.worker()))
                .map(WorkerRegistration::registeredAt)
                .findFirst()
                .orElse(storageTime);
        alive.add(new WorkerRegistration(
                context.worker(),
                context.maxOpenPartitions(),
                wholeTransactions,
                registeredAt,
                storageTime,
                Optional.empty(),
                true));
        return List.copyOf(alive);
    }

    private void note(List<WorkerRegistration> now) {
        List<String> before = names(members);
        List<String> after = names(now);
        members = now;
        if (!before.isEmpty() && !before.equals(after)) {
            log.info("[{}] the workers are now {}, before {}", context.source().streamName(), after, before);
        }
    }

    private static List<String> names(List<WorkerRegistration> workers) {
        return workers.stream()
                .map(registration -> registration.worker().value())
                .sorted()
                .toList();
    }
}

package dev.spream.core.subscription;

import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.lease.FrontierView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The looks of this worker at the stored partitions and workers. Each reads what changed since the one before, or
 * everything: at first, where one worker has all partitions, while a partition waits for the progress of all others, after
 * the end of another worker, when a claim is lost twice, and while a worker has not registered its progress, such as one of
 * an earlier version.
 *
 * <p>Confined to the scheduler's thread, but for {@link #readAt}.
 */
final class Discovery {
    private final EngineContext context;
    private final Membership membership;
    private final boolean alone;
    private final FrontierView view;
    private boolean everything = true;
    private LiveWorkers workers = LiveWorkers.of(List.of(), Optional.empty());
    private @Nullable Instant lowWatermark;
    private volatile Instant readAt = Instant.EPOCH;

    /** @param alone whether one worker at a time has all partitions */
    Discovery(EngineContext context, Membership membership, boolean alone) {
        this.context = context;
        this.membership = membership;
        this.alone = alone;
        this.view = new FrontierView(context.worker());
    }

    /** Returns the frontier now. The watermarks of partitions that other workers read may be earlier ones. */
    Lineage look(PartitionScheduler.Readers readers, BooleanSupplier wanted) throws InterruptedException {
        view.prepare(readers.held());
        take(everything, wanted);
        if (view.isOutdated(alive())) {
            take(true, wanted);
        }
        Lineage lineage = view.update(alive(), readers.awaited());
        everything = alone || readers.awaitsAll() || workers.progress().isEmpty();
        if (!view.expired().isEmpty()) {
            context.storageCalls()
                    .once(
                            "releasing expired leases",
                            "",
                            () -> context.storage().releaseExpired(view.expired()));
        }
        membership.note(view.progress());
        view.lowWatermark(workers, others())
                .filter(low -> lowWatermark == null || low.isAfter(lowWatermark))
                .ifPresent(low -> lowWatermark = low);
        return lineage;
    }

    /** Has the next look read everything. */
    void readEverything() {
        everything = true;
    }

    private void take(boolean all, BooleanSupplier wanted) throws InterruptedException {
        Optional<String> since = all ? Optional.empty() : view.mark();
        FrontierChanges look = context.storageCalls()
                .repeat("reading the lineage", wanted, storage -> storage.frontierSince(since, view.watched()));
        view.take(look);
        workers = look.workers();
        readAt = look.partitions().readAt();
        membership.note(workers, readAt);
    }

    private Set<WorkerId> alive() {
        return membership.members().stream().map(WorkerRegistration::worker).collect(Collectors.toSet());
    }

    private Set<WorkerId> others() {
        Set<WorkerId> others = alive();
        others.remove(context.worker());
        return others;
    }

    /**
     * Returns the low watermark of the subscription, or an earlier time: other workers tell theirs when they register.
     * Empty before it is known.
     */
    Optional<Instant> lowWatermark() {
        return Optional.ofNullable(lowWatermark);
    }

    /** Returns when the first lease or registration ends that may not be renewed, as it was at the last look. */
    Optional<Instant> nextLeaseEnd(Lineage lineage) {
        Set<WorkerId> others = others();
        Stream<Instant> leases = lineage.partitions().stream()
                .filter(partition -> !partition.isFinished() && partition.leaseLive())
                .filter(partition -> partition.owner().filter(others::contains).isEmpty())
                .flatMap(partition -> partition.leaseUntil().stream())
                .filter(readAt::isBefore);
        return Stream.concat(leases, workers.firstEnd().stream()).min(Comparator.naturalOrder());
    }

    /** Returns the time of the last look, on the storage's clock. */
    Instant readAt() {
        return readAt;
    }
}

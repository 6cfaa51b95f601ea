package dev.spream.core.subscription.lease;

import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The frontier as one worker knows it by its looks, each of which brings what changed. Confined to one thread.
 *
 * <p>Progress and renewals are no changes. So the watermark of a partition of another worker may be an earlier one than the
 * stored, which no rule takes for a later one; where one waits for it, the partition is {@linkplain #watched watched}, or
 * the next look {@linkplain #mark reads everything}. The lease of another worker's partition counts as live as long as the
 * worker is alive, since it tells of those that it does not renew any more: {@link #expired}.
 */
public final class FrontierView {
    private static final Comparator<PartitionMetadata> LINEAGE_ORDER =
            Comparator.comparing(PartitionMetadata::startTimestamp).thenComparing(PartitionMetadata::token);

    private final WorkerId worker;
    private final Map<PartitionToken, Known> known = new HashMap<>();
    private final Map<PartitionToken, Own> own = new HashMap<>();
    private Optional<String> mark = Optional.empty();
    private Instant asOf = Instant.MIN;
    private Instant readAt = Instant.MIN;
    private long looks;
    private Set<PartitionToken> watched = Set.of();
    private Lineage lineage = Lineage.of(List.of(), Instant.MIN);
    private List<PartitionLease> expired = List.of();

    /** A row, as one of the looks brought it. */
    private record Known(PartitionMetadata row, Instant readAt, long look) {}

    /** A partition that this worker reads, and what was stored of it before the look. */
    private record Own(HeldPartition partition, WatermarkAdvance stored) {
        PartitionMetadata update(PartitionMetadata row) {
            return isStored(row) ? row.with(stored.watermark(), stored.moveOuts(), true) : live(row, true);
        }

        /** Returns whether all that the row shows as settled was stored before the look. */
        private boolean isStored(PartitionMetadata row) {
            return stored.watermark().isAfter(row.watermark())
                    || (stored.watermark().equals(row.watermark())
                            && row.moveOuts()
                                    .map(moved -> stored.moveOuts()
                                            .filter(moved::isIn)
                                            .isPresent())
                                    .orElse(true));
        }
    }

    public FrontierView(WorkerId worker) {
        this.worker = worker;
    }

    /** Returns where the next look begins; empty if it has to read everything. */
    public Optional<String> mark() {
        return mark;
    }

    /** Returns the partitions that the next look has to bring in any case. */
    public Set<PartitionToken> watched() {
        return watched;
    }

    /**
     * Notes what is stored of the partitions that this worker reads. Before a look, which then has all that they have named
     * until there.
     */
    public void prepare(Collection<HeldPartition> held) {
        own.clear();
        held.forEach(partition -> own.put(partition.token(), new Own(partition, partition.stored())));
    }

    /** Takes a look. */
    public void take(FrontierChanges look) {
        looks++;
        if (look.complete()) {
            known.clear();
        }
        mark = look.mark();
        asOf = look.asOf();
        readAt = look.partitions().readAt();
        for (PartitionMetadata row : look.partitions().partitions()) {
            known.put(row.token(), new Known(row, readAt, looks));
        }
        Set<PartitionToken> named = unfinished()
                .flatMap(row -> Stream.concat(
                        row.parentTokens().stream(),
                        row.moveIn().stream().flatMap(moveIn -> moveIn.sources().stream())))
                .collect(Collectors.toSet());
        known.values()
                .removeIf(one ->
                        one.row().isFinished() && !named.contains(one.row().token()));
    }

    private Stream<PartitionMetadata> unfinished() {
        return known.values().stream().map(Known::row).filter(row -> !row.isFinished());
    }

    /**
     * Returns whether a worker that is not alive owns a partition whose lease was live when it was read, and may have ended,
     * or been renewed, since.
     */
    public boolean isOutdated(Set<WorkerId> alive) {
        return known.values().stream()
                .filter(one -> !one.row().isFinished() && one.row().leaseLive() && one.look() < looks)
                .filter(one -> one.row()
                        .owner()
                        .filter(owner -> !alive.contains(owner))
                        .isPresent())
                .anyMatch(one -> !isLiveUntilNow(one.row()));
    }

    private boolean isLiveUntilNow(PartitionMetadata row) {
        return row.leaseUntil().filter(readAt::isBefore).isPresent();
    }

    /**
     * Returns the frontier now.
     *
     * @param alive the workers that are alive, this one among them
     * @param awaited partitions whose progress its readers wait for
     */
    public Lineage update(Set<WorkerId> alive, Set<PartitionToken> awaited) {
        List<PartitionMetadata> rows = new ArrayList<>(known.size());
        List<PartitionLease> ended = new ArrayList<>();
        Set<PartitionToken> next = new HashSet<>(awaited);
        for (Known one : known.values()) {
            PartitionMetadata row = one.row();
            if (row.isFinished()) {
                rows.add(row);
            } else if (!isOwn(row)) {
                rows.add(live(row, isLive(one, alive)));
            } else {
                Own mine = own.get(row.token());
                if (mine != null
                        && mine.stored().lease().epoch() == row.epoch()
                        && mine.partition().isHeld()) {
                    rows.add(mine.update(row));
                    continue;
                }
                next.add(row.token());
                boolean live = one.look() < looks || row.leaseLive();
                rows.add(live(row, live));
                if (!live) {
                    ended.add(new PartitionLease(row.token(), worker, row.epoch(), row.watermark(), row.moveOuts()));
                }
            }
        }
        rows.sort(LINEAGE_ORDER);
        lineage = Lineage.of(rows, readAt);
        expired = ended;
        boolean all = lineage.partitions().stream().anyMatch(row -> awaitsAll(row, next));
        if (all || awaited.stream().anyMatch(token -> !known.containsKey(token))) {
            mark = Optional.empty();
        }
        watched = next;
        return lineage;
    }

    private boolean isOwn(PartitionMetadata row) {
        return row.owner().filter(worker::equals).isPresent();
    }

    private boolean isLive(Known one, Set<WorkerId> alive) {
        PartitionMetadata row = one.row();
        return one.look() == looks
                ? row.leaseLive()
                : row.owner().filter(alive::contains).isPresent() || isLiveUntilNow(row);
    }

    private static PartitionMetadata live(PartitionMetadata row, boolean live) {
        return row.leaseLive() == live ? row : row.with(row.watermark(), row.moveOuts(), live);
    }

    /** Adds the partitions whose progress that one waits for; returns whether it waits for that of all. */
    private boolean awaitsAll(PartitionMetadata row, Set<PartitionToken> next) {
        if (row.isFinished() || (row.leaseLive() && !isOwn(row))) {
            return false;
        }
        boolean all = !row.leaseLive()
                && (lineage.waitsAtGapEnd(row)
                        || lineage.unfinishedParents(row).stream()
                                .anyMatch(parent ->
                                        !parent.equals(PartitionToken.SNAPSHOT_CHANGES) && !known.containsKey(parent)));
        for (PartitionToken source : lineage.awaitedSources(row)) {
            MoveIn moveIn = row.moveIn().orElseThrow();
            next.add(source);
            all |= lineage.partition(source)
                    .filter(stored -> !stored.hasLost(moveIn.timestamp()))
                    .isEmpty();
        }
        return all;
    }

    /** Returns the leases of this worker that it does not renew, and that have ended. */
    public List<PartitionLease> expired() {
        return expired;
    }

    /** Returns the low watermark of this worker's partitions. */
    public WorkerProgress progress() {
        return new WorkerProgress(
                lineage.partitions().stream()
                        .filter(row -> !row.isFinished() && isOwn(row))
                        .map(PartitionMetadata::watermark)
                        .min(Comparator.naturalOrder()),
                asOf);
    }

    /**
     * Returns the low watermark of the subscription, or an earlier time; empty when all partitions are finished.
     *
     * @param workers the workers of the look
     * @param others those that are alive, without this one
     */
    public Optional<Instant> lowWatermark(LiveWorkers workers, Set<WorkerId> others) {
        Optional<WorkerProgress> progress = others.isEmpty() ? Optional.empty() : workers.progress();
        Stream<Instant> rows = lineage.partitions().stream()
                .filter(row -> !row.isFinished())
                .filter(row -> row.owner().filter(others::contains).isEmpty()
                        || progress.filter(registered -> isReadBefore(registered.asOf(), row))
                                .isEmpty())
                .map(PartitionMetadata::watermark);
        return Stream.concat(rows, progress.stream().flatMap(registered -> registered.lowWatermark().stream()))
                .min(Comparator.naturalOrder());
    }

    private boolean isReadBefore(Instant moment, PartitionMetadata row) {
        Known one = known.get(row.token());
        return one != null && one.readAt().isBefore(moment);
    }
}

package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All partitions of a subscription at one moment, and the gate over them: the rule that decides when a partition may be
 * read. The gate is a pure function, so that every adapter, the engine and a simulation follow the same one.
 *
 * <p>A partition passes the gate when all its parents are FINISHED. A parent that is not stored counts as finished only
 * if no unfinished partition has a watermark before the child's start: until then it may simply not have been
 * discovered. The start of a gap that ends at a watermark counts in its place, because children of the gap are unknown.
 * A partition that has passed the gate stays so: parents do not leave FINISHED, clean-up keeps them until the child is
 * finished, and partitions discovered later start at or after the watermark of the partition that names them.
 *
 * <p>The first partitions of a snapshot that was added to the subscription pass the gate when all partitions of the
 * stream are FINISHED. While one of an added snapshot is not, the stream is read up to the time of the snapshot only:
 * {@link #pausedAt}. So its rows come after every change up to then, and before every later one.
 *
 * <p>In a stream with mutable key ranges, partitions have no parents, and key ranges move between living ones. A
 * partition that stored a move-in passes the gate when every source has settled everything before its own move-out:
 * when {@link #awaitedSources} is empty. This too stays so: watermarks never move back, and move-outs are kept until
 * the watermark is later.
 *
 * <p>Immutable. Source of the rule: "records from a child partition should be processed only after the records of all
 * its parents have been processed" (Spanner documentation, change stream partitions).
 */
public final class Lineage {
    private final Map<PartitionToken, PartitionMetadata> partitions;

    private final Instant readAt;
    private final Map<PartitionToken, Instant> positions;
    private final Optional<Instant> discoveredUntil;

    private Lineage(
            Map<PartitionToken, PartitionMetadata> partitions, Instant readAt, Map<PartitionToken, Instant> positions) {
        this.partitions = partitions;
        this.readAt = readAt;
        this.positions = positions;
        this.discoveredUntil =
                unfinished().map(PartitionMetadata::discoveredUntil).min(Instant::compareTo);
    }

    /**
     * Returns a lineage of these partitions, in their order.
     *
     * @param readAt the moment they were read, on the storage's clock
     */
    public static Lineage of(Collection<PartitionMetadata> partitions, Instant readAt) {
        Map<PartitionToken, PartitionMetadata> byToken = LinkedHashMap.newLinkedHashMap(partitions.size());
        for (PartitionMetadata partition : partitions) {
            if (byToken.put(partition.token(), partition) != null) {
                throw new IllegalArgumentException(
                        "partition %s occurs twice".formatted(partition.token().abbreviated()));
            }
        }
        return new Lineage(Collections.unmodifiableMap(byToken), requireNonNull(readAt, "readAt"), Map.of());
    }

    /**
     * Returns this lineage with the times up to which a process has read partitions: one that stands at the end of a gap
     * may have stored the partitions that live there. Only for streams with mutable key ranges.
     *
     * @param read the times before which the storage has every partition that a record of that one names; taken before
     *     this lineage was read
     */
    public Lineage withPositions(Map<PartitionToken, Instant> read) {
        return read.isEmpty() ? this : new Lineage(partitions, readAt, Map.copyOf(read));
    }

    /** Returns this lineage with the positions that an earlier one had. */
    public Lineage withPositionsOf(Lineage earlier) {
        return withPositions(earlier.positions);
    }

    /** Returns the moment of this snapshot, on the storage's clock, on which leases are measured. */
    public Instant readAt() {
        return readAt;
    }

    public Collection<PartitionMetadata> partitions() {
        return partitions.values();
    }

    public Optional<PartitionMetadata> partition(PartitionToken token) {
        return Optional.ofNullable(partitions.get(token));
    }

    /**
     * Returns the partitions that may be acquired now: not finished, not held under a live lease, and through the gate;
     * those with the oldest watermark first.
     */
    public List<PartitionMetadata> claimable() {
        return partitions.values().stream()
                .filter(partition -> !partition.isFinished() && !partition.leaseLive())
                .filter(this::parentsFinished)
                .filter(partition -> awaitedSources(partition).isEmpty())
                .sorted(Comparator.comparing(PartitionMetadata::watermark).thenComparing(PartitionMetadata::token))
                .toList();
    }

    /** Returns whether all parents of the partition are finished, as defined above. */
    public boolean parentsFinished(PartitionMetadata partition) {
        return partition.parentTokens().stream().allMatch(parent -> isFinished(parent, partition));
    }

    /**
     * Returns the partitions that could be acquired but for their parents, in the order of the lineage. A worker that reads
     * all of those parents may read such a partition ahead of them.
     */
    public List<PartitionMetadata> waitingForParents() {
        return partitions.values().stream()
                .filter(partition -> !partition.isFinished() && !partition.leaseLive())
                .filter(partition -> !parentsFinished(partition))
                .filter(partition -> awaitedSources(partition).isEmpty())
                .toList();
    }

    /**
     * Returns the partitions that could be acquired but for the sources of a move-in, in the order of the lineage. A worker
     * that reads all of those sources may read such a partition ahead of them.
     */
    public List<PartitionMetadata> waitingForSources() {
        return partitions.values().stream()
                .filter(partition -> !partition.isFinished() && !partition.leaseLive())
                .filter(this::parentsFinished)
                .filter(partition -> !awaitedSources(partition).isEmpty())
                .toList();
    }

    /** Returns the parents of the partition that are not finished, as defined above. */
    public List<PartitionToken> unfinishedParents(PartitionMetadata partition) {
        return partition.parentTokens().stream()
                .filter(parent -> !isFinished(parent, partition))
                .toList();
    }

    /**
     * Returns the partitions that have to be finished before this one may be read: its parents, and in place of one that is
     * not stored, such as the rows of a snapshot, all that may still name it.
     */
    public List<PartitionToken> awaitedPartitions(PartitionMetadata partition) {
        return partition.parentTokens().stream()
                .flatMap(parent -> awaited(parent, partition))
                .map(PartitionMetadata::token)
                .toList();
    }

    private boolean isFinished(PartitionToken parent, PartitionMetadata child) {
        return awaited(parent, child).findAny().isEmpty();
    }

    private Stream<PartitionMetadata> awaited(PartitionToken parent, PartitionMetadata child) {
        if (parent.isRoot()) {
            return Stream.empty();
        }
        if (parent.equals(PartitionToken.SNAPSHOT_CHANGES)) {
            return unfinished().filter(other -> !other.token().isOfSnapshot());
        }
        PartitionMetadata stored = partitions.get(parent);
        if (stored != null) {
            return Stream.of(stored).filter(known -> !known.isFinished());
        }
        return discoveredUntil.filter(child.startTimestamp()::isAfter).isEmpty()
                ? Stream.empty()
                : unfinished().filter(other -> other.discoveredUntil().isBefore(child.startTimestamp()));
    }

    private Stream<PartitionMetadata> unfinished() {
        return partitions.values().stream().filter(partition -> !partition.isFinished());
    }

    /** Returns the sources of its last move-in that the partition waits for; none once its watermark is later. */
    public List<PartitionToken> awaitedSources(PartitionMetadata partition) {
        return partition
                .moveIn()
                .filter(moveIn ->
                        !partition.isFinished() && !partition.watermark().isAfter(moveIn.timestamp()))
                .map(moveIn -> awaitedSources(partition.token(), moveIn))
                .orElse(List.of());
    }

    /**
     * Returns the sources of a move-in that may still have to settle changes before their move-outs: a source is awaited
     * until it is finished, or its watermark is later than the move, or its watermark stands at the move and the
     * partition is among the destinations of its {@link MoveOuts}. One that is not in this lineage is awaited while
     * another partition was not read up to the move, because it may not have been discovered yet; and always if
     * the move-in is not stored here, because a {@linkplain PartitionStorage#frontier frontier} has finished sources of
     * stored move-ins only. A gap that ends at the move counts as not read until the partitions that live there are stored.
     * One that ends later does not: a source that only its records name has lost its changes before the move. Where the
     * source itself has lost the move in a gap, every other partition is awaited, because its keys may have come from there.
     *
     * @param partition the partition that the key ranges moved into
     */
    public List<PartitionToken> awaitedSources(PartitionToken partition, MoveIn moveIn) {
        return awaitedSources(partition, moveIn, isStored(partition, moveIn));
    }

    /**
     * Returns the same.
     *
     * @param hasFinished whether a finished source that is not in this lineage was removed
     */
    public List<PartitionToken> awaitedSources(PartitionToken partition, MoveIn moveIn, boolean hasFinished) {
        return moveIn.sources().stream()
                .filter(source -> !hasMovedOut(source, partition, moveIn, hasFinished))
                .toList();
    }

    private boolean hasMovedOut(PartitionToken source, PartitionToken destination, MoveIn moveIn, boolean hasFinished) {
        Instant at = moveIn.timestamp();
        PartitionMetadata stored = partitions.get(source);
        if (stored == null) {
            return hasFinished
                    && partitions.values().stream()
                            .filter(other ->
                                    !other.isFinished() && !other.token().equals(destination))
                            .noneMatch(other -> mayNameSource(other, at));
        }
        boolean settled = stored.isFinished() || isPastMoveOut(stored.watermark(), stored.moveOuts(), at, destination);
        return settled && (!stored.hasLost(at) || othersAreReadUpTo(at, Set.of(source, destination)));
    }

    /**
     * Returns whether everything before the move-out at that time to that destination comes before this place in its source.
     *
     * @param position the timestamp of the place
     * @param moveOuts the move-outs at that timestamp that come before the place
     */
    public static boolean isPastMoveOut(
            Instant position, Optional<MoveOuts> moveOuts, Instant at, PartitionToken destination) {
        return position.isAfter(at)
                || (position.equals(at)
                        && moveOuts.filter(moved -> moved.destinations().contains(destination))
                                .isPresent());
    }

    private boolean mayNameSource(PartitionMetadata other, Instant at) {
        return !other.watermark().isAfter(at)
                && other.discoveredUntil().isBefore(at)
                && (other.watermark().isBefore(at) || !hasFoundLiving(other));
    }

    /** Returns whether the partitions at the end of its gap are stored, although its watermark is still there. */
    private boolean hasFoundLiving(PartitionMetadata partition) {
        Instant position = positions.get(partition.token());
        return position != null && !position.isBefore(partition.watermark());
    }

    /**
     * Returns whether every unfinished partition but that one has settled everything before that time, so that each
     * partition that one of them names with an earlier start is stored. A position that a process has read up to does not
     * count: what it has not settled comes again, later, if its lease ends. Partitions that continue one that stands at the
     * end of a gap do not count: they wait for it, and have lost what they returned before.
     */
    public boolean othersAreReadUpTo(Instant at, PartitionToken partition) {
        return othersAreReadUpTo(at, Set.of(partition));
    }

    private boolean othersAreReadUpTo(Instant at, Set<PartitionToken> but) {
        return partitions.values().stream()
                .filter(other -> !other.isFinished()
                        && !but.contains(other.token())
                        && !other.token().isOfSnapshot())
                .noneMatch(other -> other.watermark().isBefore(at) && !continuesGap(other));
    }

    /** Returns whether a partition waits for one at the end of a gap; only records in a gap name a parent without a row. */
    private boolean continuesGap(PartitionMetadata partition) {
        return unfinishedParents(partition).stream()
                .map(partitions::get)
                .anyMatch(parent -> parent == null || standsAtGapEnd(parent) || continuesGap(parent));
    }

    private static boolean standsAtGapEnd(PartitionMetadata partition) {
        return partition.discoveredUntil().isBefore(partition.watermark());
    }

    /**
     * Returns whether the partition stands at the end of a gap, and others were not read up to then. It may be acquired; the
     * partitions that started in the gap are found once they were.
     */
    public boolean waitsAtGapEnd(PartitionMetadata partition) {
        return standsAtGapEnd(partition) && !othersAreReadUpTo(partition.watermark(), partition.token());
    }

    private boolean isStored(PartitionToken partition, MoveIn moveIn) {
        return partition(partition)
                .flatMap(PartitionMetadata::moveIn)
                .filter(moveIn::equals)
                .isPresent();
    }

    /**
     * Returns the low watermark of the subscription: every record with an earlier commit timestamp is settled, but for
     * those in the gaps of its partitions. Empty when all partitions are finished.
     */
    public Optional<Instant> lowWatermark() {
        return lagging().map(PartitionMetadata::watermark);
    }

    /**
     * Returns the partition with the earliest watermark, which is the low watermark: it holds back what waits for the
     * whole subscription, such as transactions in commit order. Empty when all partitions are finished.
     */
    public Optional<PartitionMetadata> lagging() {
        return unfinished()
                .min(Comparator.comparing(PartitionMetadata::watermark).thenComparing(PartitionMetadata::token));
    }

    /**
     * Returns the commit timestamp up to which, inclusive, the stream is read for now: the time of an added snapshot that
     * is not settled. Empty if there is none. A partition that ends there is read on when the snapshot is settled.
     */
    public Optional<Instant> pausedAt() {
        return partitions.values().stream()
                .filter(partition ->
                        !partition.isFinished() && partition.token().isOfAddedSnapshot())
                .map(PartitionMetadata::startTimestamp)
                .min(Instant::compareTo);
    }

    /** Returns the time before which every child of every partition is stored; empty when all partitions are finished. */
    Optional<Instant> discoveredUntil() {
        return discoveredUntil;
    }

    /**
     * Returns whether every partition is finished. False for an empty lineage: nothing was ever stored, or it is a frontier.
     */
    public boolean isComplete() {
        return !partitions.isEmpty() && partitions.values().stream().allMatch(PartitionMetadata::isFinished);
    }
}

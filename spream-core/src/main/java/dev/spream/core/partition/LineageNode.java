package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A partition as input of {@link LineageCheck}: stored, or removed with proof.
 *
 * @param parents without the root: empty for a child of the initial query
 * @param end empty if not finished, or if the proof is missing
 * @param finishedAt when it was finished, on the storage's clock; empty if not
 * @param stored the row; empty if removed
 */
record LineageNode(
        PartitionToken token,
        List<PartitionToken> parents,
        Instant start,
        boolean finished,
        Optional<PartitionEnd> end,
        Optional<Instant> finishedAt,
        List<PartitionGap> gaps,
        Optional<PartitionMetadata> stored) {

    static LineageNode of(PartitionMetadata stored) {
        return new LineageNode(
                stored.token(),
                withoutRoot(stored.parentTokens()),
                stored.startTimestamp(),
                stored.isFinished(),
                stored.isFinished() ? stored.endProof() : Optional.empty(),
                stored.finishedAt(),
                stored.gaps(),
                Optional.of(stored));
    }

    static LineageNode of(FinishedPartition proof) {
        return new LineageNode(
                proof.token(),
                withoutRoot(proof.parentTokens()),
                proof.startTimestamp(),
                true,
                Optional.of(proof.endProof()),
                Optional.of(proof.finishedAt()),
                proof.gaps(),
                Optional.empty());
    }

    private static List<PartitionToken> withoutRoot(List<PartitionToken> parents) {
        return parents.stream().filter(parent -> !parent.isRoot()).toList();
    }

    boolean endedBy(PartitionEnd.Kind kind) {
        return end.filter(proof -> proof.kind() == kind).isPresent();
    }

    /** Returns whether the whole partition expired, so that its children are unknown. */
    boolean isLost() {
        return endedBy(PartitionEnd.Kind.RETENTION_LOST);
    }

    /** Returns whether the whole of that time was accepted as lost, in one gap or in several that touch. */
    boolean hasGap(Instant from, Instant to) {
        Instant start = null;
        Instant end = null;
        for (PartitionGap gap : gaps) {
            if (!gap.from().equals(end)) {
                start = gap.from();
            }
            end = gap.to();
            if (!requireNonNull(start).isAfter(from) && !end.isBefore(to)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the end of the gap that the time is in; gaps that touch are one. */
    Optional<Instant> gapEnd(Instant time) {
        Optional<Instant> end = Optional.empty();
        for (PartitionGap gap : gaps) {
            boolean touches = end.filter(gap.from()::equals).isPresent();
            if (touches || (!time.isBefore(gap.from()) && time.isBefore(gap.to()))) {
                end = Optional.of(gap.to());
            }
        }
        return end;
    }

    boolean endsGapAt(Instant time) {
        return gaps.stream().anyMatch(gap -> gap.to().equals(time));
    }

    /** Returns whether it was finished after the other one was stored; false if that is not known any more. */
    boolean wasUnfinishedAtStorageOf(LineageNode other) {
        return other.stored()
                .map(PartitionMetadata::createdAt)
                .filter(created -> finishedAt.filter(created::isBefore).isPresent())
                .isPresent();
    }

    boolean continues(LineageNode parent) {
        return parent.token().isRoot()
                ? parents.isEmpty()
                : parents.contains(parent.token())
                        || (continuesSnapshot() && parent.token().isOfSnapshot());
    }

    /** Returns whether it waits for all partitions of a snapshot, which end in it and are not its parents by name. */
    boolean continuesSnapshot() {
        return parents.contains(PartitionToken.SNAPSHOT_ROWS);
    }

    /** Returns whether a worker of spream has acquired it; the order in which another reader read is not checked. */
    boolean wasRead() {
        return (finished && !endedBy(PartitionEnd.Kind.ADOPTED))
                || stored.filter(partition -> partition.epoch() > 0 && partition.state() != PartitionState.CREATED)
                        .isPresent();
    }

    /** Returns whether anything after its start is stored as settled; a gap at its start settles nothing. */
    boolean hasProgress() {
        return finished
                || stored.filter(partition ->
                                partition.watermark().isAfter(start) && !hasGap(start, partition.watermark()))
                        .isPresent();
    }

    @Override
    public String toString() {
        return token.abbreviated();
    }
}

package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.stream.Stream;

/**
 * The move-outs of a partition at the timestamp of its watermark before which everything is settled. A watermark alone
 * says nothing about changes at its own timestamp; the destinations of these move-outs may continue nevertheless, and
 * the next reader of the partition drops the changes before them.
 *
 * @param recordSequence the sequence of the last of these move-outs: changes at the watermark's timestamp with an
 *     earlier one are settled; opaque, compared as text
 * @param destinations the partitions that key ranges went to, at least one
 */
public record MoveOuts(String recordSequence, List<PartitionToken> destinations) {
    public MoveOuts {
        requireNonNull(recordSequence, "recordSequence");
        destinations = List.copyOf(destinations);
        if (destinations.isEmpty()) {
            throw new IllegalArgumentException("a move-out has at least one destination");
        }
    }

    /** Returns whether the other ones include these. */
    public boolean isIn(MoveOuts other) {
        return other.recordSequence.compareTo(recordSequence) >= 0 && other.destinations.containsAll(destinations);
    }

    /** Returns these move-outs and those of the other at the same timestamp, without repetitions. */
    public MoveOuts and(MoveOuts other) {
        return new MoveOuts(
                recordSequence.compareTo(other.recordSequence) < 0 ? other.recordSequence : recordSequence,
                Stream.concat(destinations.stream(), other.destinations.stream())
                        .distinct()
                        .toList());
    }
}

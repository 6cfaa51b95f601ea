package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A partition of the change stream as a split: the place from which it is read, and what its reader has found and the
 * enumerator may not know yet. A reader stores its splits in each checkpoint.
 *
 * @param token the partition
 * @param query the token by which it is queried: another one for the initial query of a job that begins with a snapshot
 * @param startTimestamp the start of the partition, inclusive
 * @param position the start of the next query, inclusive: every record before it was emitted
 * @param emitted the changes at the position that were emitted
 * @param moveOuts the move-outs at the position before which everything was emitted
 * @param moveIn the move-in whose sources it waits for before it emits changes that are later
 * @param children the partitions it has named, record by record, until the enumerator has stored them
 * @param end the proof that it was read to its end, and everything emitted, until the enumerator has stored it
 * @param gaps accepted gaps, in order of time; all are before the position
 */
public record PartitionSplit(
        PartitionToken token,
        PartitionToken query,
        Instant startTimestamp,
        Instant position,
        Set<RecordIdentity> emitted,
        Optional<MoveOuts> moveOuts,
        Optional<MoveIn> moveIn,
        List<ChildPartitionsRecord> children,
        Optional<PartitionEnd> end,
        List<PartitionGap> gaps)
        implements SourceSplit {
    public PartitionSplit {
        requireNonNull(token, "token");
        requireNonNull(query, "query");
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(position, "position");
        emitted = Set.copyOf(emitted);
        requireNonNull(moveOuts, "moveOuts");
        requireNonNull(moveIn, "moveIn");
        children = List.copyOf(children);
        requireNonNull(end, "end");
        gaps = List.copyOf(gaps);
        if (position.isBefore(startTimestamp)) {
            throw new IllegalArgumentException("partition %s: position %s is before startTimestamp %s"
                    .formatted(token.abbreviated(), position, startTimestamp));
        }
    }

    /** Creates the split of a partition of which nothing was read. */
    public PartitionSplit(PartitionToken token, PartitionToken query, Instant startTimestamp) {
        this(
                token,
                query,
                startTimestamp,
                startTimestamp,
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of());
    }

    /** Returns the split without the changes at its position, as the enumerator needs it. */
    PartitionSplit withoutEmitted() {
        return new PartitionSplit(
                token, query, startTimestamp, position, Set.of(), moveOuts, moveIn, children, end, gaps);
    }

    @Override
    public String splitId() {
        return token.value();
    }

    /** Returns the part of this split that the enumerator follows while it is read. */
    SplitProgress progress() {
        return new SplitProgress(token, position, moveOuts, gaps);
    }
}

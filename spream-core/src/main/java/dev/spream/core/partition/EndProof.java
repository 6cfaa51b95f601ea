package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * Why a partition counts as read to its end.
 *
 * @param kind what was seen
 * @param at where the partition ends: the start of its children, the end of a bounded subscription
 * @param children the children that continue it; empty for a bounded end
 */
public record EndProof(Kind kind, Instant at, List<PartitionToken> children) {

    /** What can prove the end of a partition. */
    public enum Kind {
        /** The stream returned child partitions, all were stored, and then it ended with OK. */
        CHILD_PARTITIONS,
        /** A partition end record, in a stream whose keys move between living partitions. */
        PARTITION_END,
        /** The end timestamp of the subscription was read, and a second query after it brought nothing new. */
        BOUNDED_END,
        /** The records were lost to the retention period, and the user chose to accept the gap. */
        RETENTION_LOST
    }

    public EndProof {
        requireNonNull(kind, "kind");
        requireNonNull(at, "at");
        children = List.copyOf(children);
        boolean fits =
                switch (kind) {
                    case CHILD_PARTITIONS -> !children.isEmpty();
                    case BOUNDED_END -> children.isEmpty();
                    case PARTITION_END, RETENTION_LOST -> true;
                };
        if (!fits) {
            throw new IllegalArgumentException("%s with %d children".formatted(kind, children.size()));
        }
    }

    public static EndProof childPartitions(Instant start, List<PartitionToken> children) {
        return new EndProof(Kind.CHILD_PARTITIONS, start, children);
    }

    public static EndProof boundedEnd(Instant end) {
        return new EndProof(Kind.BOUNDED_END, end, List.of());
    }
}

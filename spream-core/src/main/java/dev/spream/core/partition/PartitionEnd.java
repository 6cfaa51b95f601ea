package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * The proof that a partition was read to its end.
 *
 * @param kind the kind of proof
 * @param at the end of the partition: the start of its children, or of those found in its place; the end of a bounded
 *     subscription
 * @param children the children that continue it, or were found in its place; empty for a bounded end. For a partition
 *     end record: the partitions that were started at that time, and those that its keys went to
 */
public record PartitionEnd(Kind kind, Instant at, List<PartitionToken> children) {

    /** The kinds of proof of a partition's end. */
    public enum Kind {
        /** The stream returned child partitions, all were stored, and then it ended with OK. */
        CHILD_PARTITIONS,
        /**
         * A partition end record, in a stream with mutable key ranges. {@code children} need not be stored: a
         * destination may be named by the start record of another partition, which is read later.
         */
        PARTITION_END,
        /** The end timestamp of the subscription was read, and a second query after it brought nothing new. */
        BOUNDED_END,
        /**
         * The whole partition expired, including the tokens of its children, and the user accepted that; {@code
         * children} are those that were found in its place, none where the subscription ends before. The time that
         * was lost, up to {@code at}, is a {@link PartitionGap} of the partition, accepted before the partition was
         * finished. A partition of which only a part expired has the gap alone, and ends by another proof, unless the
         * subscription ends inside the gap.
         */
        RETENTION_LOST,
        /**
         * The partition was finished in the metadata of another reader before it was adopted; there is no other proof.
         * {@code children} are those that named it as a parent then, {@code at} is their start, or its last watermark.
         */
        ADOPTED
    }

    public PartitionEnd {
        requireNonNull(kind, "kind");
        requireNonNull(at, "at");
        children = List.copyOf(children);
        boolean fits =
                switch (kind) {
                    case CHILD_PARTITIONS -> !children.isEmpty();
                    case BOUNDED_END -> children.isEmpty();
                    case PARTITION_END, RETENTION_LOST, ADOPTED -> true;
                };
        if (!fits) {
            throw new IllegalArgumentException("an end by %s cannot have %d children".formatted(kind, children.size()));
        }
    }

    public static PartitionEnd childPartitions(Instant start, List<PartitionToken> children) {
        return new PartitionEnd(Kind.CHILD_PARTITIONS, start, children);
    }

    public static PartitionEnd partitionEnd(Instant end, List<PartitionToken> children) {
        return new PartitionEnd(Kind.PARTITION_END, end, children);
    }

    public static PartitionEnd boundedEnd(Instant end) {
        return new PartitionEnd(Kind.BOUNDED_END, end, List.of());
    }
}

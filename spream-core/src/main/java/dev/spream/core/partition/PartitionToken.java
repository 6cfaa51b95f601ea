package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

/**
 * The identifier of a partition in queries and in storage. Opaque; Spanner's are about 140 characters, adapters take
 * any length.
 *
 * @param value the token, or that of {@link #ROOT}
 */
public record PartitionToken(String value) implements Comparable<PartitionToken> {
    private static final int SHORT = 8;

    /** The initial query, which has no token; stored under the name that Apache Beam uses. */
    public static final PartitionToken ROOT = new PartitionToken("Parent0");

    /**
     * The query in place of the initial one in a subscription that begins with a snapshot, unless its source {@linkplain
     * dev.spream.core.source.ChangeStreamSource#snapshotQuery names another}. Not stored as a partition.
     */
    public static final PartitionToken SNAPSHOT = new PartitionToken("snapshot");

    /**
     * The parent of the partition that continues a snapshot: all partitions of the snapshot together. Not stored as
     * a partition, so that by the rule of {@link Lineage} that partition waits until each of them is settled.
     */
    public static final PartitionToken SNAPSHOT_ROWS = new PartitionToken("snapshot:rows");

    /**
     * The parent of the first partitions of a snapshot that is added to a subscription: all partitions of the stream, each
     * read up to the time of the snapshot. Not stored as a partition.
     */
    public static final PartitionToken SNAPSHOT_CHANGES = new PartitionToken("snapshot:changes");

    /** The beginning of the tokens of a snapshot that is added to a subscription. */
    public static final String ADDED_SNAPSHOT = "snapshot:added:";

    public PartitionToken {
        requireNonNull(value, "value");
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a partition token must not be empty");
        }
    }

    public boolean isRoot() {
        return equals(ROOT);
    }

    /** Returns whether the partition is of a snapshot, and not of the change stream. */
    public boolean isOfSnapshot() {
        return value.startsWith(SNAPSHOT.value);
    }

    /** Returns whether the partition is of a snapshot that was added to the subscription. */
    public boolean isOfAddedSnapshot() {
        return value.startsWith(ADDED_SNAPSHOT);
    }

    /** Returns the end of the token, where tokens differ, for messages and thread names. */
    public String abbreviated() {
        return value.length() <= SHORT ? value : "…" + value.substring(value.length() - SHORT);
    }

    @Override
    public int compareTo(PartitionToken other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}

package dev.spream.core.partition;

/** The way in which a change stream divides its keys into partitions; fixed when the stream is created. */
public enum PartitionMode {
    /** A partition has the same keys for all its life, and ends when they are divided again. */
    IMMUTABLE_KEY_RANGE,
    /** Keys move between living partitions. */
    MUTABLE_KEY_RANGE
}

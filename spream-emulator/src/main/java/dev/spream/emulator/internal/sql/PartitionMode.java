package dev.spream.emulator.internal.sql;

/**
 * The two partition modes of change streams. With immutable key ranges, a partition keeps its range until its children
 * replace it; with mutable ones, ranges also move between partitions that continue.
 */
public enum PartitionMode {
    IMMUTABLE_KEY_RANGE,
    MUTABLE_KEY_RANGE
}

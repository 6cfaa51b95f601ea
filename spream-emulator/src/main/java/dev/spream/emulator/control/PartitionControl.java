package dev.spream.emulator.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The partitions of one of the emulator's change streams, for tests that make them split, merge and move at a moment of
 * their choice. Safe for use by many threads, also while the partitions churn by themselves. A change takes effect at a
 * timestamp later than all commits so far: what was committed before is in the parent, what is committed afterwards in
 * the child.
 */
public interface PartitionControl {

    /** A range of the hashes of keys between 0 and {@link #SPACE}, {@code from} included and {@code to} not. */
    record KeyRange(long from, long to) {
        /** The end of the key space. */
        public static final long SPACE = 1L << 32;

        public KeyRange {
            if (from < 0 || to > SPACE || from >= to) {
                throw new IllegalArgumentException(
                        "a key range lies between 0 and " + SPACE + " and holds a key, got " + from + " to " + to);
            }
        }

        /** Returns whether the two can be merged: one begins where the other ends. */
        public boolean touches(KeyRange other) {
            return to == other.from || from == other.to;
        }
    }

    /**
     * A partition, alive or not.
     *
     * @param token what queries name it by
     * @param range the keys whose changes it carries
     * @param start its first instant
     * @param end the first instant after it, which is its children's first; absent while it lives
     * @param parents tokens of the partitions it came from; empty for the stream's first partitions
     */
    record PartitionView(String token, KeyRange range, Instant start, Optional<Instant> end, List<String> parents) {
        public PartitionView {
            parents = List.copyOf(parents);
        }
    }

    /** The changes of partitions since the stream was created, requested or by churn, counted. */
    record Counts(int splits, int merges, int moves) {}

    /** The partitions that live now, in key order. */
    List<PartitionView> live();

    /** All partitions since the stream was created, parents before children. */
    List<PartitionView> all();

    /**
     * Replaces a partition by two of half its range each, and returns their tokens in key order.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if the partition is no longer alive, or its range holds one key only
     */
    List<String> split(String token);

    /**
     * Replaces two neighbours by one, and returns its token.
     *
     * @throws IllegalArgumentException if no partition has a token, or their ranges do not touch
     * @throws IllegalStateException if one of them is no longer alive
     */
    String merge(String tokenA, String tokenB);

    /**
     * Replaces a partition by one of the same range, and returns its token.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if the partition is no longer alive
     */
    String move(String token);

    /**
     * From now on, names each child of a partition in a record of its own, and so does the initial query with the
     * partitions that it names. Otherwise, and unless told, it follows from the emulator's seed which share a record.
     */
    void separateChildRecords(boolean always);

    Counts counts();
}

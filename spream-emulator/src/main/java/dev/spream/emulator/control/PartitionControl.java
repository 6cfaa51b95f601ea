package dev.spream.emulator.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The partitions of one of the emulator's change streams, for tests that split, merge and move them at a chosen moment.
 * Safe for use by many threads, also while the partitions churn by themselves. A change takes effect at a timestamp
 * later than all commits so far: earlier commits are in the parent, later ones in the child.
 */
public interface PartitionControl {

    /** A range of key hashes between 0 and {@link #SPACE}: {@code from} inclusive, {@code to} exclusive. */
    record KeyRange(long from, long to) {
        /** The end of the key space. */
        public static final long SPACE = 1L << 32;

        public KeyRange {
            if (from < 0 || to > SPACE || from >= to) {
                throw new IllegalArgumentException(
                        "a key range must be non-empty and between 0 and " + SPACE + ", got " + from + " to " + to);
            }
        }

        /** Returns whether the two ranges can be merged, that is, one begins where the other ends. */
        public boolean touches(KeyRange other) {
            return to == other.from || from == other.to;
        }
    }

    /**
     * A live or ended partition.
     *
     * @param token its token in queries
     * @param range the keys whose changes it contains
     * @param start its first instant
     * @param end the first instant after it, which is the first of its children; absent while the partition is alive
     * @param parents tokens of the parent partitions; empty for the stream's first partitions
     */
    record PartitionView(String token, KeyRange range, Instant start, Optional<Instant> end, List<String> parents) {
        public PartitionView {
            parents = List.copyOf(parents);
        }
    }

    /** The number of splits, merges and moves since the stream was created, by call or by churn. */
    record Counts(int splits, int merges, int moves) {}

    /** Returns the live partitions, in key order. */
    List<PartitionView> live();

    /** Returns all partitions since the stream was created, parents before children. */
    List<PartitionView> all();

    /**
     * Replaces a partition by two of half its range each, and returns their tokens in key order.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if the partition is no longer alive, or its range contains only one key
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
     * Sets whether each child of a partition is returned in a record of its own, including the partitions of an initial
     * query. Otherwise, and by default, the emulator's seed decides which children share a record.
     */
    void separateChildRecords(boolean always);

    Counts counts();
}

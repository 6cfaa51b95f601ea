package dev.spream.emulator.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The partitions of one of the emulator's change streams, for tests that split, merge and move them at a chosen moment.
 * Safe for use by many threads, also while the partitions churn by themselves. A change takes effect at a timestamp
 * later than all commits so far: earlier commits are in the parent or source, later ones in the child or target. {@link
 * #atNextCommit} is the exception.
 *
 * <p>Some methods need a stream of partition mode {@code MUTABLE_KEY_RANGE}, and throw {@link IllegalStateException}
 * for another. In this mode a partition can contain several ranges, or none.
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

        /** Returns whether the two ranges have keys in common. */
        public boolean overlaps(KeyRange other) {
            return from < other.to && other.from < to;
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
     * @param ranges the keys whose changes it contains or, if it has ended, contained last, in key order; one range
     * unless the stream has mutable key ranges
     * @param start its first instant
     * @param end the first instant after it, which is the first of its children; absent while the partition is alive
     * @param parents tokens of the parent partitions; empty for the stream's first partitions
     */
    record PartitionView(
            String token, List<KeyRange> ranges, Instant start, Optional<Instant> end, List<String> parents) {
        public PartitionView {
            ranges = List.copyOf(ranges);
            parents = List.copyOf(parents);
        }

        /** Returns the first of its ranges, which is the only one unless the stream has mutable key ranges. */
        public KeyRange range() {
            return ranges.getFirst();
        }
    }

    /** The number of splits, merges and moves of all kinds since the stream was created, by call or by churn. */
    record Counts(int splits, int merges, int moves) {}

    /** Returns the live partitions, in key order; those without keys come last. */
    List<PartitionView> live();

    /** Returns all partitions since the stream was created, parents before children. */
    List<PartitionView> all();

    /**
     * Replaces a partition by two of half its keys each, and returns their tokens in key order.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if the partition is no longer alive, or contains fewer than two keys
     */
    List<String> split(String token);

    /**
     * Replaces two neighbours by one, and returns its token. With mutable key ranges, any two partitions can be merged.
     *
     * @throws IllegalArgumentException if no partition has a token, or their ranges do not touch
     * @throws IllegalStateException if one of them is no longer alive
     */
    String merge(String tokenA, String tokenB);

    /**
     * Replaces a partition by one of the same keys, and returns its token.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if the partition is no longer alive
     */
    String move(String token);

    /**
     * Moves keys from a live partition to another one, which both continue. Needs mutable key ranges.
     *
     * @throws IllegalArgumentException if no partition has a token, or both tokens are the same
     * @throws IllegalStateException if one of them is no longer alive, or the source does not contain all of the range
     */
    void moveRange(String source, KeyRange range, String target);

    /**
     * Moves keys from a live partition, which continues, to a new one, and returns its token. Needs mutable key ranges.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if it is no longer alive, or does not contain all of the range
     */
    String moveRangeToNew(String source, KeyRange range);

    /**
     * Exchanges keys of two live partitions at one timestamp. The emulator's seed decides whether each of them has one
     * event or two, and in which order. Needs mutable key ranges.
     *
     * @throws IllegalArgumentException if no partition has a token, or both tokens are the same
     * @throws IllegalStateException if one of them is no longer alive, or does not contain all of its range
     */
    void swap(String tokenA, KeyRange rangeOfA, String tokenB, KeyRange rangeOfB);

    /**
     * Ends a partition that contains no keys, because all of them were moved; it has no children. Needs mutable key
     * ranges.
     *
     * @throws IllegalArgumentException if no partition has the token
     * @throws IllegalStateException if it is no longer alive, or contains keys
     */
    void end(String token);

    /**
     * Runs changes of partitions within the next commit that the stream records, at its timestamp. A changed row comes
     * before them; of several rows, the emulator's seed decides how many come before and how many after, at least one
     * each. With several calls before a commit, the changes run in the order of the calls, but no key moves twice: such
     * a change throws {@link IllegalStateException}. A commit at the timestamp of another change of partitions is passed
     * over. Needs mutable key ranges.
     *
     * @param changes calls methods of this interface, in the commit's thread; it must not commit or wait
     * @return its result, or its failure, which does not affect the commit; never completed if there is no such commit
     */
    <T> CompletableFuture<T> atNextCommit(Supplier<T> changes);

    /**
     * Sets whether each child of a partition is named in a record of its own, including the partitions of an initial
     * query. Otherwise, and by default, the emulator's seed decides which children share a record.
     */
    void separateChildRecords(boolean always);

    Counts counts();
}

package dev.spream.cli.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.emulator.control.PartitionControl;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts splits, merges and moves from the child partitions records. Both parents of a merge name the same child, and a
 * partition that is read again names its children again, so each child is counted once. Safe for use by many threads.
 */
final class PartitionTally implements SubscriptionListener {
    private final Map<String, List<String>> parents = new HashMap<>(); // guarded by this: each partition found

    /**
     * The counts.
     *
     * @param partitions partitions, without the initial query
     * @param splits partitions with several children
     * @param merges partitions with several parents
     * @param moves partitions with one child
     */
    record Counts(int partitions, int splits, int merges, int moves) {
        @Override
        public String toString() {
            return "partitions %d (splits %d, merges %d, moves %d)".formatted(partitions, splits, merges, moves);
        }
    }

    @Override
    public synchronized void childrenDiscovered(PartitionToken partition, ChildPartitionsRecord children) {
        for (ChildPartition child : children.childPartitions()) {
            parents.put(child.token(), child.parentTokens());
        }
    }

    synchronized Counts counts() {
        Map<String, Integer> childrenOf = new HashMap<>();
        parents.values().forEach(tokens -> tokens.forEach(parent -> childrenOf.merge(parent, 1, Integer::sum)));
        int splits = 0;
        int merges = 0;
        int moves = 0;
        for (int children : childrenOf.values()) {
            splits += children > 1 ? 1 : 0;
        }
        for (List<String> tokens : parents.values()) {
            merges += tokens.size() > 1 ? 1 : 0;
            moves += tokens.size() == 1 && childrenOf.getOrDefault(tokens.getFirst(), 0) == 1 ? 1 : 0;
        }
        return new Counts(parents.size(), splits, merges, moves);
    }

    /** Returns the counts of a stream with mutable key ranges: splits, merges and moves as its emulator counts them. */
    synchronized Counts counts(PartitionControl.Counts moved) {
        return new Counts(parents.size(), moved.splits(), moved.merges(), moved.moves());
    }

    /** Returns whether the partitions are equal, or one is a descendant of the other. */
    synchronized boolean related(String one, String other) {
        return one.equals(other)
                || ancestors(one).contains(other)
                || ancestors(other).contains(one);
    }

    private Set<String> ancestors(String token) {
        Set<String> found = new HashSet<>();
        collectAncestors(token, found);
        return found;
    }

    private void collectAncestors(String token, Set<String> found) {
        for (String parent : parents.getOrDefault(token, List.of())) {
            if (found.add(parent)) {
                collectAncestors(parent, found);
            }
        }
    }
}

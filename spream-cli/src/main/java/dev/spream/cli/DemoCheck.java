package dev.spream.cli;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Compares what a workload committed with what a reader was given. It sees two lists and nothing else: what was committed
 * is the writer's own account, made without the change stream.
 */
final class DemoCheck {
    private DemoCheck() {}

    /** A balance that a transaction left behind. No two transactions that change an account share a commit timestamp. */
    record BalanceChange(String account, Instant commitTimestamp, long balance) {}

    /** A change as it was delivered, with the partition that it came from. */
    record Delivered(BalanceChange change, String partition) {}

    /**
     * What the comparison found, in mods.
     *
     * @param lost committed and never delivered
     * @param duplicated delivered again
     * @param invented delivered, and not committed with that account, timestamp and balance
     * @param outOfOrder delivered after a later change of the same account
     * @param notJudged delivered after a later change of the same account that came from a partition of which the order is
     *     not judged
     */
    record Verdict(
            int committed, int delivered, int lost, int duplicated, int invented, int outOfOrder, int notJudged) {
        boolean passed() {
            return lost == 0 && duplicated == 0 && invented == 0 && outOfOrder == 0;
        }

        @Override
        public String toString() {
            String text = "delivered %d, lost %d, duplicated %d, out of order %d"
                    .formatted(delivered, lost, duplicated, outOfOrder);
            if (invented > 0) {
                text += ", never committed %d".formatted(invented);
            }
            if (notJudged > 0) {
                text += " (order of %d not judged: the server moved their keys to unrelated partitions)"
                        .formatted(notJudged);
            }
            return text;
        }
    }

    /**
     * Compares.
     *
     * @param delivered in the order of delivery
     * @param orderJudged whether the order of one account's changes is judged over these two partitions, the earlier
     *     delivered one first
     */
    static Verdict judge(
            List<BalanceChange> committed, List<Delivered> delivered, BiPredicate<String, String> orderJudged) {
        Set<BalanceChange> expected = new HashSet<>(committed);
        Set<BalanceChange> seen = new HashSet<>();
        Map<String, Delivered> newest = new HashMap<>();
        int duplicated = 0;
        int invented = 0;
        int outOfOrder = 0;
        int notJudged = 0;
        for (Delivered delivery : delivered) {
            BalanceChange change = delivery.change();
            if (!expected.contains(change)) {
                invented++;
                continue;
            }
            if (!seen.add(change)) {
                duplicated++;
                continue;
            }
            Delivered before = newest.get(change.account());
            if (before == null || before.change().commitTimestamp().isBefore(change.commitTimestamp())) {
                newest.put(change.account(), delivery);
            } else if (orderJudged.test(before.partition(), delivery.partition())) {
                outOfOrder++;
            } else {
                notJudged++;
            }
        }
        return new Verdict(
                committed.size(),
                delivered.size(),
                expected.size() - seen.size(),
                duplicated,
                invented,
                outOfOrder,
                notJudged);
    }
}

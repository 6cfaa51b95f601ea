package dev.spream.cli.subscription;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Compares the commits of a workload with the deliveries to a consumer. The commits are recorded by the writer,
 * independently of the change stream.
 */
final class DemoCheck {
    private DemoCheck() {}

    /** The balance of an account after a transaction. No two transactions on one account share a commit timestamp. */
    record BalanceChange(String account, Instant commitTimestamp, long balance) {}

    /**
     * A delivered change.
     *
     * @param partition the partition of the change
     * @param alongside the partition of another change of the account that was still being consumed on arrival
     */
    record Delivered(BalanceChange change, String partition, Optional<String> alongside) {
        Delivered(BalanceChange change, String partition) {
            this(change, partition, Optional.empty());
        }
    }

    /**
     * The guarantees besides that no change is lost or invented.
     *
     * @param order whether changes of one account are delivered one at a time in commit order
     * @param once whether there are no duplicates, as without broken streams
     */
    record Promise(boolean order, boolean once) {}

    /**
     * The findings in numbers of mods.
     *
     * @param lost committed and never delivered
     * @param duplicated delivered again
     * @param invented delivered, and not committed with that account, timestamp and balance
     * @param outOfOrder delivered after a later change of the same account, or while one was still being consumed; or
     *     an earlier one was delivered again, and what followed it was not
     * @param notJudged changes out of order relative to one of a partition pair without an order guarantee
     */
    record Verdict(
            int committed, int delivered, int lost, int duplicated, int invented, int outOfOrder, int notJudged) {
        boolean passed(Promise promise) {
            return lost == 0
                    && invented == 0
                    && (duplicated == 0 || !promise.once())
                    && (outOfOrder == 0 || !promise.order());
        }

        String text(Promise promise) {
            String text = "delivered %d, lost %d, duplicated %d, out of order %d%s"
                    .formatted(delivered, lost, duplicated, outOfOrder, promise.order() ? "" : " (not claimed)");
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
     * Compares commits and deliveries.
     *
     * @param delivered in the order of delivery
     * @param orderJudged whether the order of one account's changes is judged over these two partitions, the earlier
     *     delivered one first
     */
    static Verdict judge(
            List<BalanceChange> committed, List<Delivered> delivered, BiPredicate<String, String> orderJudged) {
        Set<BalanceChange> expected = new HashSet<>(committed);
        Set<BalanceChange> seen = new HashSet<>();
        Map<String, History> histories = new TreeMap<>();
        int duplicated = 0;
        int invented = 0;
        Disorder disorder = new Disorder(orderJudged);
        for (Delivered delivery : delivered) {
            BalanceChange change = delivery.change();
            if (!expected.contains(change)) {
                invented++;
                continue;
            }
            duplicated += seen.add(change) ? 0 : 1;
            histories
                    .computeIfAbsent(change.account(), account -> new History())
                    .next(delivery)
                    .ifPresent(other -> disorder.count(other, delivery.partition()));
        }
        histories.values().forEach(history -> history.end(disorder));
        return new Verdict(
                committed.size(),
                delivered.size(),
                expected.size() - seen.size(),
                duplicated,
                invented,
                disorder.judged,
                disorder.notJudged);
    }

    /** Counts pairs in the wrong order. Confined to one comparison. */
    private static final class Disorder {
        private final BiPredicate<String, String> orderJudged;
        private int judged;
        private int notJudged;

        Disorder(BiPredicate<String, String> orderJudged) {
            this.orderJudged = orderJudged;
        }

        void count(String earlierPartition, String laterPartition) {
            if (orderJudged.test(earlierPartition, laterPartition)) {
                judged++;
            } else {
                notJudged++;
            }
        }
    }

    /**
     * The deliveries of one account. A repeated change rewinds the history to it, and later changes are expected again.
     */
    private static final class History {
        private final NavigableMap<Instant, Delivered> seen = new TreeMap<>();
        private Instant position = Instant.MIN;
        private String partition = "";

        /** Returns the partition of the change that the delivery should precede or wait for. */
        Optional<String> next(Delivered delivery) {
            Instant at = delivery.change().commitTimestamp();
            boolean again = seen.containsKey(at);
            if (!again && seen.higherKey(at) != null) {
                String newest = seen.lastEntry().getValue().partition();
                seen.put(at, delivery);
                return Optional.of(newest);
            }
            Map.Entry<Instant, Delivered> due = seen.higherEntry(position);
            boolean skipped = due != null && due.getKey().isBefore(at);
            seen.put(at, delivery);
            position = at;
            partition = delivery.partition();
            return skipped ? Optional.of(due.getValue().partition()) : delivery.alongside();
        }

        /** Checks that the last delivered state is the newest one. */
        void end(Disorder disorder) {
            Map.Entry<Instant, Delivered> due = seen.higherEntry(position);
            if (due != null) {
                disorder.count(due.getValue().partition(), partition);
            }
        }
    }
}

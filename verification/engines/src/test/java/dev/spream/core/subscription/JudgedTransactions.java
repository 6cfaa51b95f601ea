package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.subscription.SimulatedWorld.Change;
import dev.spream.core.subscription.SimulationViolation.Promise;
import dev.spream.core.subscription.transaction.OpenTransaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The part of the {@link SimulationJudge} that checks whole transactions: each is delivered with all its changes, or
 * without some that were settled before, and says which; in commit order, none is delivered before all of smaller
 * positions are settled, for good or in this process; and the changes that are kept in memory fit into the budget.
 *
 * <p>So in commit order, of two transactions that are delivered for the first time, the one of the smaller position comes
 * first, over all processes. A transaction that comes again may come after later ones, when its partition is read again.
 */
final class JudgedTransactions {
    private static final Comparator<Change> POSITION = Comparator.comparing(
                    (Change change) -> change.row().commitTimestamp())
            .thenComparing(change -> change.row().serverTransactionId())
            .thenComparing(change -> change.row().recordSequence());

    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final TransactionMode mode;
    private final int maxConcurrent;
    private final long maxBytes;
    private final boolean hasLanes;
    private final SimulationTally tally;
    private final List<Change> inCommitOrder;
    private final Map<String, List<Change>> byId = new LinkedHashMap<>();

    /** The last call of each process for each transaction. */
    private final Map<JudgedRun, Map<String, JudgedCall>> calls = new HashMap<>();

    JudgedTransactions(
            SimulationJudge judge,
            SimulatedWorld world,
            TransactionMode mode,
            SubscriberOptions options,
            SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.mode = mode;
        this.maxConcurrent = mode == TransactionMode.COMMIT_ORDER || options.effectiveOrdering() == Ordering.PARTITION
                ? 1
                : options.maxInflight();
        this.maxBytes = options.maxBufferedBytes() / 2;
        this.hasLanes = mode == TransactionMode.WHOLE && options.effectiveOrdering() != Ordering.NONE;
        this.tally = tally;
        this.inCommitOrder = world.changes().stream().sorted(POSITION).toList();
        inCommitOrder.forEach(
                change -> byId.computeIfAbsent(change.row().serverTransactionId(), id -> new ArrayList<>())
                        .add(change));
    }

    /** Returns the order of the changes of one key and partition that the mode stands for. */
    static Ordering orderingOf(TransactionMode mode, SubscriberOptions options) {
        return switch (mode) {
            case OFF -> options.effectiveOrdering();
            case WHOLE -> options.effectiveOrdering() == Ordering.NONE ? Ordering.NONE : Ordering.KEY;
            case COMMIT_ORDER -> Ordering.KEY;
        };
    }

    /** Rows of a snapshot, each a transaction of its own. */
    void added(List<Change> rows) {
        rows.forEach(row -> byId.put(row.row().serverTransactionId(), List.of(row)));
    }

    boolean isOn() {
        return mode != TransactionMode.OFF;
    }

    /** The changes of the transaction of that change. */
    Set<RecordIdentity> of(Change change) {
        return requireNonNull(byId.get(change.row().serverTransactionId())).stream()
                .map(Change::identity)
                .collect(Collectors.toSet());
    }

    // The consumer.

    /**
     * A transaction is delivered.
     *
     * @param complete whether it is said to be complete; empty where nothing is said
     */
    JudgedCall started(
            SimulatedProcess process,
            List<DataChangeRecord> rows,
            List<Delivery> deliveries,
            Optional<Boolean> complete) {
        JudgedRun run = judge.run(process);
        requireWhole(run, rows, complete);
        if (run.calls >= maxConcurrent) {
            throw judge.violated(
                    Promise.BOUNDS, "%s is consumed while %d calls are", SimulationJudge.describe(rows), run.calls);
        }
        String id = rows.getFirst().serverTransactionId();
        if (mode == TransactionMode.COMMIT_ORDER) {
            requireCommitOrder(
                    run,
                    requireNonNull(byId.get(id)).getFirst(),
                    isUnderWay(run, id),
                    judge.consumer.lateSince(run, deliveries));
        }
        JudgedCall call = judge.consumer.startedWhole(process, rows, deliveries);
        calls.computeIfAbsent(run, r -> new HashMap<>()).put(id, call);
        return call;
    }

    private void requireWhole(JudgedRun run, List<DataChangeRecord> rows, Optional<Boolean> complete) {
        List<Change> all = byId.getOrDefault(rows.getFirst().serverTransactionId(), List.of());
        Set<RecordIdentity> given =
                rows.stream().map(DataChangeRecord::identity).collect(Collectors.toSet());
        List<DataChangeRecord> expected = all.stream()
                .map(Change::row)
                .filter(row -> given.contains(row.identity()))
                .toList();
        if (!expected.equals(rows)) {
            throw judge.violated(
                    Promise.WHOLE,
                    "%s is delivered as one transaction; these changes are %s",
                    SimulationJudge.describe(rows),
                    SimulationJudge.describe(expected));
        }
        boolean isComplete = expected.size() == all.size();
        if (complete.orElse(isComplete) != isComplete) {
            throw judge.violated(
                    Promise.WHOLE,
                    "%s is delivered as a transaction that is %s, and has %d changes",
                    SimulationJudge.describe(rows),
                    isComplete ? "incomplete" : "complete",
                    all.size());
        }
        for (Change missing : all) {
            if (!given.contains(missing.identity()) && !isSettled(run, missing)) {
                throw judge.violated(
                        Promise.WHOLE,
                        "%s is delivered as a transaction without %s, which was not settled before",
                        SimulationJudge.describe(rows),
                        SimulationJudge.describe(missing.row()));
            }
        }
        count(all, isComplete);
    }

    private void count(List<Change> all, boolean isComplete) {
        tally.count(isComplete ? SimulationEvent.WHOLE_TRANSACTION : SimulationEvent.INCOMPLETE_TRANSACTION);
        if (all.stream().map(Change::partition).distinct().count() > 1) {
            tally.count(SimulationEvent.WIDE_TRANSACTION);
        }
    }

    private boolean isSettled(JudgedRun run, Change change) {
        return judge.isDurable(change) || run.settled.contains(change.identity());
    }

    /** Returns whether only a part of its transaction was dead-lettered, because the sink failed or the lease was lost. */
    boolean isLetterOfPart(JudgedRun run, JudgedHold hold, RecordIdentity identity) {
        if (!hold.letters.contains(identity)) {
            return false;
        }
        return hold.given
                || of(requireNonNull(world.change(identity))).stream()
                        .anyMatch(other -> !run.settled.contains(other)
                                && run.allHolds.stream().anyMatch(read -> read.read.contains(other)));
    }

    /** Returns whether it is delivered again in a delivery that began under the same leases. */
    private boolean isUnderWay(JudgedRun run, String id) {
        JudgedCall last = calls.getOrDefault(run, Map.of()).get(id);
        if (last == null) {
            return false;
        }
        for (int i = 0; i < last.changes().size(); i++) {
            JudgedHold hold = last.holds().get(i);
            if (run.holds.get(hold.token) != hold
                    || hold.settled.contains(last.changes().get(i).identity())) {
                return false;
            }
        }
        return true;
    }

    /**
     * An earlier transaction may come again, and wait, while a later one is under way, or under a lease that began once a
     * lease of the later one had ended: a process that was suspended before it called the consumer cannot know.
     *
     * @param lateSince the time, on the machine's clock, at which a lease of the later one ended
     */
    private void requireCommitOrder(JudgedRun run, Change first, boolean underWay, long lateSince) {
        for (Change earlier : inCommitOrder) {
            if (earlier.equals(first)) {
                return;
            }
            if (!isSettled(run, earlier) || (!underWay && isOpen(run, earlier, lateSince))) {
                throw judge.violated(
                        Promise.COMMIT_ORDER,
                        "%s overtakes %s",
                        SimulationJudge.describe(first.row()),
                        SimulationJudge.describe(earlier.row()));
            }
        }
    }

    /** Returns whether it was read under a lease that lasts and began before that time, and is not settled. */
    private static boolean isOpen(JudgedRun run, Change change, long begun) {
        JudgedHold hold = run.holds.get(change.partition().token);
        return hold != null
                && hold.acquiredAt < begun
                && hold.read.contains(change.identity())
                && !hold.settled.contains(change.identity())
                && isKept(run, hold);
    }

    private static boolean isKept(JudgedRun run, JudgedHold hold) {
        return !hold.given
                && !hold.giving
                && !hold.left
                && run.process.nanoTime() < hold.leaseUntil
                && (hold.readToEnd || JudgedSource.isQueried(run, hold));
    }

    /** The error handler skips the transaction. */
    void skipped(SimulatedProcess process, DataChangeRecord first) {
        JudgedCall call =
                requireNonNull(requireNonNull(calls.get(judge.run(process))).get(first.serverTransactionId()), "call");
        for (int i = 0; i < call.changes().size(); i++) {
            judge.settled(process, call.holds().get(i), call.changes().get(i));
        }
    }

    // Memory.

    void buffered(SimulatedProcess process, DataChangeRecord row) {
        judge.run(process).buffered.merge(judge.known(row).identity(), 1, Integer::sum);
        tally.count(SimulationEvent.SPILLED);
    }

    void unbuffered(SimulatedProcess process, DataChangeRecord row) {
        judge.run(process)
                .buffered
                .computeIfPresent(row.identity(), (identity, times) -> times == 1 ? null : times - 1);
    }

    /** A change was read. Each reader may have one in its hands; all others are in the buffer, or fit into the budget. */
    void requireMemory(JudgedRun run) {
        if (run.leaving) {
            return;
        }
        long bytes = 0;
        for (JudgedHold hold : run.holds.values()) {
            if (isKept(run, hold)) {
                bytes += kept(run, hold);
            }
        }
        if (bytes > maxBytes) {
            throw judge.violated(
                    Promise.BOUNDS, "%s keeps changes of %d bytes, and may keep %d", run.process, bytes, maxBytes);
        }
    }

    private long kept(JudgedRun run, JudgedHold hold) {
        return hold.read.stream()
                .filter(identity -> !hold.settled.contains(identity)
                        && !identity.equals(hold.lastRead)
                        && !run.buffered.containsKey(identity))
                .mapToLong(identity ->
                        bytesOf(requireNonNull(world.change(identity)).row()))
                .sum();
    }

    private long bytesOf(DataChangeRecord row) {
        return OpenTransaction.bytesOf(row, hasLanes ? RecordKey.of(row).size() : 0);
    }
}

package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;

/** The part of the {@link SimulationJudge} that watches what is read, and how much of it at a time. */
final class JudgedSource {
    private static final Duration LONGEST_WINDOW = Duration.ofMinutes(30);

    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final SubscriberOptions options;
    private final SimulationTally tally;
    private final int maxOpenQueries;

    JudgedSource(
            SimulationJudge judge,
            SimulatedWorld world,
            SubscriberOptions options,
            int maxOpenQueries,
            SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.tally = tally;
        this.options = options;
        this.maxOpenQueries = Math.min(maxOpenQueries, options.maxOpenPartitions());
    }

    /** The engine asks for a query. */
    void asked(SimulatedProcess process, PartitionQuery query) {
        JudgedRun run = judge.run(process);
        if (run.mayProbe(query.token()) || findsLiving(process, query)) {
            return;
        }
        JudgedHold hold = run.holds.get(query.token());
        if (hold == null || process.lastAwake() >= hold.leaseUntil) {
            throw judge.violated(Promise.ONE_OWNER, "%s queries %s, and does not hold it", process, query.token());
        }
    }

    /** The initial query after a gap, for a partition that is read from there on. */
    private boolean findsLiving(SimulatedProcess process, PartitionQuery query) {
        return isOfLiving(query)
                && judge.run(process).holds.values().stream()
                        .anyMatch(hold -> (hold.start.equals(query.startTimestamp())
                                        || judge.corrections.isGapEnd(hold.token, query.startTimestamp()))
                                && process.lastAwake() < hold.leaseUntil);
    }

    private boolean isOfLiving(PartitionQuery query) {
        return query.token().isRoot() && query.startTimestamp().isAfter(world.start);
    }

    /** The query has reached the server. */
    void queried(SimulatedProcess process, PartitionQuery query) {
        JudgedRun run = judge.run(process);
        if (world.isMutable()) {
            requireWindow(query);
            JudgedHold hold = run.holds.get(query.token());
            if (hold != null && query.startTimestamp().isAfter(hold.start.plus(LONGEST_WINDOW))) {
                tally.count(SimulationEvent.NEXT_WINDOW);
            }
        }
        if (run.openCursors.size() >= maxOpenQueries) {
            throw judge.violated(
                    Promise.BOUNDS, "a query of %s while %s are open", query.token(), run.openCursors.size());
        }
        if (!isOfLiving(query)
                && run.openCursors.stream()
                        .anyMatch(cursor -> cursor.token().equals(query.token()) && !isOfLiving(cursor.query()))) {
            throw judge.violated(Promise.ONE_OWNER, "two open queries of %s in %s", query.token(), process);
        }
        JudgedHold read = run.holds.get(query.token());
        if (read != null && !isOfLiving(query)) {
            read.readToEnd = false;
        }
    }

    /** A stream with mutable key ranges is read in windows. */
    private void requireWindow(PartitionQuery query) {
        boolean fits = query.endTimestamp()
                .filter(end -> !end.isBefore(query.startTimestamp()))
                .filter(end -> !end.isAfter(query.startTimestamp().plus(LONGEST_WINDOW)))
                .filter(end -> !end.isAfter(world.end))
                .isPresent();
        if (!fits) {
            throw judge.violated(Promise.BOUNDS, "%s is not a window", query);
        }
    }

    void opened(SimulatedProcess process, SimulatedCursor cursor) {
        judge.run(process).openCursors.add(cursor);
    }

    /** The query has ended with OK. */
    void ended(SimulatedProcess process, PartitionToken token) {
        JudgedHold hold = judge.run(process).holds.get(token);
        if (hold != null) {
            hold.readToEnd = true;
        }
    }

    void closed(SimulatedProcess process, SimulatedCursor cursor) {
        judge.run(process).openCursors.remove(cursor);
    }

    void read(SimulatedProcess process, PartitionToken token, ChangeRecord row) {
        JudgedRun run = judge.run(process);
        if (token.isRoot()) {
            return;
        }
        JudgedHold hold = run.holds.get(token);
        if (hold == null) {
            throw judge.violated(Promise.ONE_OWNER, "%s reads %s and never acquired it", process, token);
        }
        if (!(row instanceof DataChangeRecord change) || hold.wasSettled(change) || !hold.read.add(change.identity())) {
            return;
        }
        hold.lastRead = change.identity();
        if (judge.transactions.isOn()) {
            judge.transactions.requireMemory(run);
            return;
        }
        // The reader has one in its hands while it waits for room.
        if (hold.unsettled() > options.maxInflight() + 1) {
            throw judge.violated(Promise.BOUNDS, "%d changes of %s are read and not settled", hold.unsettled(), token);
        }
        int open = 0;
        int unsettled = 0;
        for (JudgedHold other : run.holds.values()) {
            if (!other.given && !other.giving && process.nanoTime() < other.leaseUntil) {
                open++;
                unsettled += isQueried(run, other) ? other.unsettled() : other.calls;
            }
        }
        if (unsettled > options.maxBufferedChanges() + 2 * open) {
            throw judge.violated(
                    Promise.BOUNDS, "%d changes of %d partitions are read and not settled", unsettled, open);
        }
    }

    /**
     * A partition that is not queried may be about to be released; the changes that were not started are kept
     * nowhere.
     */
    static boolean isQueried(JudgedRun run, JudgedHold hold) {
        return run.openCursors.stream().anyMatch(cursor -> cursor.token().equals(hold.token));
    }
}

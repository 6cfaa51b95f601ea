package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.SimulationViolation.Promise;

/** The part of the {@link SimulationJudge} that watches what is read, and how much of it at a time. */
final class JudgedSource {
    private final SimulationJudge judge;
    private final SubscriberOptions options;
    private final int maxOpenQueries;

    JudgedSource(SimulationJudge judge, SubscriberOptions options, int maxOpenQueries) {
        this.judge = judge;
        this.options = options;
        this.maxOpenQueries = Math.min(maxOpenQueries, options.maxOpenPartitions());
    }

    /** The engine asks for a query. */
    void asked(SimulatedProcess process, PartitionQuery query) {
        JudgedRun run = judge.run(process);
        if (run.mayProbe(query.token())) {
            return;
        }
        JudgedHold hold = run.holds.get(query.token());
        if (hold == null || process.lastAwake() >= hold.leaseUntil) {
            throw judge.violated(Promise.ONE_OWNER, "%s queries %s, and does not hold it", process, query.token());
        }
    }

    /** The query has reached the server. */
    void queried(SimulatedProcess process, PartitionQuery query) {
        JudgedRun run = judge.run(process);
        if (run.openCursors.size() >= maxOpenQueries) {
            throw judge.violated(
                    Promise.BOUNDS, "a query of %s while %s are open", query.token(), run.openCursors.size());
        }
        if (run.openCursors.stream().anyMatch(cursor -> cursor.token().equals(query.token()))) {
            throw judge.violated(Promise.ONE_OWNER, "two open queries of %s in %s", query.token(), process);
        }
        judge.requireParentsDone(query.token());
    }

    void opened(SimulatedProcess process, SimulatedCursor cursor) {
        judge.run(process).openCursors.add(cursor);
    }

    void closed(SimulatedProcess process, SimulatedCursor cursor) {
        judge.run(process).openCursors.remove(cursor);
    }

    void read(SimulatedProcess process, PartitionToken token, ChangeRecord row) {
        JudgedRun run = judge.run(process);
        if (run.mayProbe(token)) {
            return;
        }
        JudgedHold hold = run.holds.get(token);
        if (hold == null) {
            throw judge.violated(Promise.ONE_OWNER, "%s reads %s and never acquired it", process, token);
        }
        if (!(row instanceof DataChangeRecord change) || !hold.read.add(change.identity())) {
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
    private static boolean isQueried(JudgedRun run, JudgedHold hold) {
        return run.openCursors.stream().anyMatch(cursor -> cursor.token().equals(hold.token));
    }
}

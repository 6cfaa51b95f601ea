package dev.spream.lock.inspection;

import dev.spream.lock.LockMode;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Explains the locks of a database to an operator: the holders and waiters by target, whether each wait is necessary,
 * the blocking chains, and the keys with the longest waits. Pure: the same observation always has the same
 * explanation.
 *
 * @param seen the observation
 * @param owners all sessions that hold locks or wait for some, the oldest first
 * @param waits all sessions that wait, the longest first
 * @param chains the blocking chains, the longest first
 * @param circle the sessions that wait for each other in a circle, and those behind them, in the order of their ids;
 *     empty if there is none. The database breaks a circle by itself, within seconds
 * @param hot the keys that were waited for, those with the longest waits together first
 */
public record LockExplanation(
        LockObservation seen,
        List<Owner> owners,
        List<Wait> waits,
        List<BlockingChain> chains,
        List<String> circle,
        List<HotBucket> hot) {
    public LockExplanation {
        owners = List.copyOf(owners);
        waits = List.copyOf(waits);
        chains = List.copyOf(chains);
        circle = List.copyOf(circle);
        hot = List.copyOf(hot);
    }

    /** Returns the explanation of an observation. */
    public static LockExplanation of(LockObservation seen) {
        return new LockExplainer(seen).explain();
    }

    /** Returns calls that are queued in their processes, the longest first; the database does not show them. */
    public List<LockObservation.Reported> queued() {
        return seen.reports().stream()
                .filter(report -> report.owner().isQueued())
                .sorted(Comparator.<LockObservation.Reported, Duration>comparing(
                                report -> report.owner().waitingFor())
                        .reversed())
                .toList();
    }

    /** Returns the owner of a session, if the database shows one. */
    public Optional<Owner> owner(String session) {
        return owners.stream()
                .filter(owner -> owner.session().id().equals(session))
                .findFirst();
    }

    /**
     * A session that holds locks, waits for some, or blocks others by something else.
     *
     * @param session as the database shows it
     * @param reported the report of its process on it; empty if there is none yet
     * @param unnamed locks that it holds and that its report does not explain
     * @param heldFor the age of its transaction, or else the time for which its process reports that it holds locks
     */
    public record Owner(
            LockSession session,
            Optional<LockObservation.Reported> reported,
            List<PlannedLock> unnamed,
            Optional<Duration> heldFor) {
        public Owner {
            unnamed = List.copyOf(unnamed);
        }

        /** Returns the targets that it holds, by name. */
        public Map<LockTarget, LockMode> held() {
            return reported.map(report -> report.owner().held()).orElse(Map.of());
        }

        /** Returns the targets that it waits for, by name. */
        public Map<LockTarget, LockMode> wanted() {
            return reported.map(report -> report.owner().wanted()).orElse(Map.of());
        }
    }

    /**
     * The wait of a session for locks, and the judgement whether it is necessary.
     *
     * @param verdict a conflict if at least one of its waits is necessary; false contention only if none is
     * @param blockers those that it waits for, each judged
     */
    public record Wait(Owner waiter, LockConflict verdict, List<Blocker> blockers, Optional<Duration> waitingFor) {
        public Wait {
            blockers = List.copyOf(blockers);
        }
    }

    /**
     * A session for which a waiter waits, and the targets because of which it does.
     *
     * @param session the one that holds what is wanted, or waits for it ahead
     * @param wanted the waiter's targets that conflict with this session, by a target or only by its bucket
     * @param has this session's targets with which the waiter conflicts
     */
    public record Blocker(
            String session, LockConflict verdict, Map<LockTarget, LockMode> wanted, Map<LockTarget, LockMode> has) {
        public Blocker {
            wanted = Map.copyOf(wanted);
            has = Map.copyOf(has);
        }
    }

    /**
     * A key for which sessions have waited.
     *
     * @param targets the targets known to be locked or wanted with it now; several of them share the bucket
     */
    public record HotBucket(LockReport.BucketWaits waits, List<LockTarget> targets) {
        public HotBucket {
            targets = List.copyOf(targets);
        }
    }
}

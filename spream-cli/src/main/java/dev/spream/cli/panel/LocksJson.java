package dev.spream.cli.panel;

import dev.spream.cli.output.Members;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.BlockingChain;
import dev.spream.lock.inspection.LockExplanation;
import dev.spream.lock.inspection.LockExplanation.Blocker;
import dev.spream.lock.inspection.LockExplanation.HotBucket;
import dev.spream.lock.inspection.LockExplanation.Owner;
import dev.spream.lock.inspection.LockExplanation.Wait;
import dev.spream.lock.inspection.LockObservation.Reported;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of locks as one JSON object. Times are RFC 3339, durations seconds, buckets text since they can exceed
 * 2<sup>53</sup>; missing values are absent.
 */
public final class LocksJson {
    private static final double NANOS = 1e9;

    private LocksJson() {}

    /**
     * Returns the object.
     *
     * @param blockedOnly only waiters and the holders that block them
     * @param top the number of most contended buckets
     */
    public static String write(LockExplanation locks, boolean blockedOnly, int top) {
        return members(locks, blockedOnly, top, Integer.MAX_VALUE).toString();
    }

    /** @param limit the maximum number of sessions, waits and queued calls each */
    static Members members(LockExplanation locks, boolean blockedOnly, int top, int limit) {
        Set<String> inQueues = inQueues(locks);
        List<Owner> sessions = locks.owners().stream()
                .filter(owner ->
                        !blockedOnly || inQueues.contains(owner.session().id()))
                .limit(limit)
                .toList();
        return new Members()
                .put("at", locks.seen().at())
                .put("complete", locks.seen().complete())
                .list("sessions", sessions, LocksJson::session)
                .list("waits", locks.waits().stream().limit(limit).toList(), LocksJson::wait)
                .list("chains", locks.chains().stream().limit(limit).toList(), LocksJson::chain)
                .put("circle", locks.circle())
                .list("queued", locks.queued().stream().limit(limit).toList(), LocksJson::queued)
                .list("hot", locks.hot().stream().limit(top).toList(), LocksJson::hot)
                .put("notes", locks.seen().notes());
    }

    private static Set<String> inQueues(LockExplanation locks) {
        Set<String> sessions = new HashSet<>(locks.circle());
        locks.chains().forEach(chain -> sessions.addAll(chain.sessions()));
        return sessions;
    }

    private static Members session(Owner owner) {
        Optional<LockReport.Owner> report = owner.reported().map(Reported::owner);
        return new Members()
                .put("session", owner.session().id())
                .put("process", owner.reported().map(Reported::process))
                .put("label", report.map(LockReport.Owner::label))
                .put("held", report.map(known -> targets(known.held())))
                .put("wanted", report.map(known -> targets(known.wanted())))
                .list("held_keys", owner.session().held(), LocksJson::key)
                .list("unnamed_keys", owner.unnamed(), LocksJson::key)
                .put("open_seconds", owner.heldFor().map(LocksJson::seconds))
                .put("user", owner.session().client().user())
                .put("address", owner.session().client().address())
                .put("application", owner.session().client().application())
                .put("state", owner.session().client().state())
                .put("state_since", owner.session().client().stateSince());
    }

    private static Members wait(Wait wait) {
        return new Members()
                .put("session", wait.waiter().session().id())
                .put("verdict", wait.verdict())
                .put("waiting_seconds", wait.waitingFor().map(LocksJson::seconds))
                .put("wanted_key", wait.waiter().session().wanted().map(LocksJson::key))
                .list("blockers", wait.blockers(), LocksJson::blocker);
    }

    private static Members blocker(Blocker blocker) {
        return new Members()
                .put("session", blocker.session())
                .put("verdict", blocker.verdict())
                .put("wanted", targets(blocker.wanted()))
                .put("has", targets(blocker.has()));
    }

    private static Members chain(BlockingChain chain) {
        return new Members().put("session", chain.session()).list("behind", chain.behind(), LocksJson::chain);
    }

    private static Members queued(Reported call) {
        return new Members()
                .put("process", call.process())
                .put("label", call.owner().label())
                .put("wanted", targets(call.owner().wanted()))
                .put("waiting_seconds", seconds(call.owner().waitingFor()));
    }

    private static Members hot(HotBucket hot) {
        return new Members()
                .put("level", hot.waits().key().level())
                .put("bucket", Long.toString(hot.waits().key().bucket()))
                .put("waits", hot.waits().waits())
                .put("waited_seconds", seconds(hot.waits().waited()))
                .list("targets", hot.targets(), LockTarget::path);
    }

    private static List<Members> targets(Map<LockTarget, LockMode> targets) {
        return targets.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
                .map(entry -> new Members().put("path", entry.getKey().path()).put("mode", entry.getValue()))
                .toList();
    }

    private static Members key(PlannedLock lock) {
        return new Members()
                .put("level", lock.key().level())
                .put("bucket", Long.toString(lock.key().bucket()))
                .put("mode", lock.mode());
    }

    private static double seconds(Duration time) {
        return time.toNanos() / NANOS;
    }
}

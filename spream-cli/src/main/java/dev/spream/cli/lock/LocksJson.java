package dev.spream.cli.lock;

import dev.spream.cli.output.Members;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.LockChain;
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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Locks for programs: one object. Times are RFC 3339, durations seconds, buckets text since they can
 * exceed 2<sup>53</sup>; what there is not is absent. */
final class LocksJson {
    private static final double NANOS = 1e9;

    private LocksJson() {}

    /**
     * @param blockedOnly without those that nobody waits for
     * @param top how many buckets
     */
    static String write(LockExplanation locks, boolean blockedOnly, int top) {
        Set<String> inQueues = inQueues(locks);
        return new Members()
                .put("at", locks.seen().at())
                .put("complete", locks.seen().complete())
                .put(
                        "sessions",
                        locks.owners().stream()
                                .filter(owner -> !blockedOnly
                                        || inQueues.contains(owner.session().id()))
                                .map(LocksJson::session)
                                .toList())
                .put("waits", locks.waits().stream().map(LocksJson::wait).toList())
                .put("chains", locks.chains().stream().map(LocksJson::chain).toList())
                .put("circle", locks.circle())
                .put("queued", locks.queued().stream().map(LocksJson::queued).toList())
                .put("hot", locks.hot().stream().limit(top).map(LocksJson::hot).toList())
                .put("notes", locks.seen().notes())
                .toString();
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
                .put("held_keys", keys(owner.session().held()))
                .put("unnamed_keys", keys(owner.unnamed()))
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
                .put("verdict", name(wait.verdict()))
                .put("waiting_seconds", wait.waitingFor().map(LocksJson::seconds))
                .put("wanted_key", wait.waiter().session().wanted().map(LocksJson::key))
                .put(
                        "blockers",
                        wait.blockers().stream().map(LocksJson::blocker).toList());
    }

    private static Members blocker(Blocker blocker) {
        return new Members()
                .put("session", blocker.session())
                .put("verdict", name(blocker.verdict()))
                .put("wanted", targets(blocker.wanted()))
                .put("has", targets(blocker.has()));
    }

    private static Members chain(LockChain chain) {
        return new Members()
                .put("session", chain.session())
                .put("behind", chain.behind().stream().map(LocksJson::chain).toList());
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
                .put("targets", hot.targets().stream().map(LockTarget::path).toList());
    }

    private static List<Members> targets(Map<LockTarget, LockMode> targets) {
        return targets.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
                .map(entry -> new Members().put("path", entry.getKey().path()).put("mode", name(entry.getValue())))
                .toList();
    }

    private static List<Members> keys(List<PlannedLock> locks) {
        return locks.stream().map(LocksJson::key).toList();
    }

    private static Members key(PlannedLock lock) {
        return new Members()
                .put("level", lock.key().level())
                .put("bucket", Long.toString(lock.key().bucket()))
                .put("mode", name(lock.mode()));
    }

    private static double seconds(Duration time) {
        return time.toNanos() / NANOS;
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

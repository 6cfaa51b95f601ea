package dev.spream.cli;

import dev.spream.core.record.JsonObject;
import dev.spream.lock.LockMode;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("at", locks.seen().at().toString());
        members.put("complete", locks.seen().complete());
        Set<String> inQueues = inQueues(locks);
        members.put(
                "sessions",
                locks.owners().stream()
                        .filter(owner -> !blockedOnly
                                || inQueues.contains(owner.session().id()))
                        .map(LocksJson::session)
                        .toList());
        members.put("waits", locks.waits().stream().map(LocksJson::wait).toList());
        members.put("chains", locks.chains().stream().map(LocksJson::chain).toList());
        members.put("circle", locks.circle());
        members.put("queued", locks.queued().stream().map(LocksJson::queued).toList());
        members.put("hot", locks.hot().stream().limit(top).map(LocksJson::hot).toList());
        members.put("notes", locks.seen().notes());
        return JsonObject.of(members).toString();
    }

    private static Set<String> inQueues(LockExplanation locks) {
        Set<String> sessions = new HashSet<>(locks.circle());
        locks.chains().forEach(chain -> sessions.addAll(chain.sessions()));
        return sessions;
    }

    private static Map<String, @Nullable Object> session(Owner owner) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("session", owner.session().id());
        owner.reported().ifPresent(report -> {
            members.put("process", report.process());
            members.put("label", report.owner().label());
            members.put("held", targets(report.owner().held()));
            members.put("wanted", targets(report.owner().wanted()));
        });
        members.put("held_keys", keys(owner.session().held()));
        members.put("unnamed_keys", keys(owner.unnamed()));
        owner.heldFor().ifPresent(time -> members.put("open_seconds", seconds(time)));
        members.put("user", owner.session().client().user());
        members.put("address", owner.session().client().address());
        members.put("application", owner.session().client().application());
        members.put("state", owner.session().client().state());
        owner.session().client().stateSince().ifPresent(since -> members.put("state_since", since.toString()));
        return members;
    }

    private static Map<String, @Nullable Object> wait(Wait wait) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("session", wait.waiter().session().id());
        members.put("verdict", name(wait.verdict()));
        wait.waitingFor().ifPresent(time -> members.put("waiting_seconds", seconds(time)));
        wait.waiter().session().wanted().ifPresent(lock -> members.put("wanted_key", key(lock)));
        members.put("blockers", wait.blockers().stream().map(LocksJson::blocker).toList());
        return members;
    }

    private static Map<String, @Nullable Object> blocker(Blocker blocker) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("session", blocker.session());
        members.put("verdict", name(blocker.verdict()));
        members.put("wanted", targets(blocker.wanted()));
        members.put("has", targets(blocker.has()));
        return members;
    }

    private static Map<String, @Nullable Object> chain(LockChain chain) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("session", chain.session());
        members.put("behind", chain.behind().stream().map(LocksJson::chain).toList());
        return members;
    }

    private static Map<String, @Nullable Object> queued(Reported call) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("process", call.process());
        members.put("label", call.owner().label());
        members.put("wanted", targets(call.owner().wanted()));
        members.put("waiting_seconds", seconds(call.owner().waitingFor()));
        return members;
    }

    private static Map<String, @Nullable Object> hot(HotBucket hot) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("level", hot.waits().key().level());
        members.put("bucket", Long.toString(hot.waits().key().bucket()));
        members.put("waits", hot.waits().waits());
        members.put("waited_seconds", seconds(hot.waits().waited()));
        members.put("targets", hot.targets().stream().map(LockTarget::path).toList());
        return members;
    }

    private static List<Map<String, @Nullable Object>> targets(Map<LockTarget, LockMode> targets) {
        return targets.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().toString()))
                .map(entry -> {
                    Map<String, @Nullable Object> members = new LinkedHashMap<>();
                    members.put("path", entry.getKey().path());
                    members.put("mode", name(entry.getValue()));
                    return members;
                })
                .toList();
    }

    private static List<Map<String, @Nullable Object>> keys(List<PlannedLock> locks) {
        return locks.stream().map(LocksJson::key).toList();
    }

    private static Map<String, @Nullable Object> key(PlannedLock lock) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("level", lock.key().level());
        members.put("bucket", Long.toString(lock.key().bucket()));
        members.put("mode", name(lock.mode()));
        return members;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / NANOS;
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

package dev.spream.lock.inspection;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockReport.BucketWaits;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.LockExplanation.Blocker;
import dev.spream.lock.inspection.LockExplanation.HotBucket;
import dev.spream.lock.inspection.LockExplanation.Owner;
import dev.spream.lock.inspection.LockExplanation.Wait;
import dev.spream.lock.inspection.LockObservation.Reported;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** Combines the locks that the database shows with the reports of the processes. Used by one thread. */
final class LockExplainer {
    private static final Comparator<BucketWaits> HOTTEST = Comparator.comparing(BucketWaits::waited)
            .thenComparingLong(BucketWaits::waits)
            .reversed()
            .thenComparing(BucketWaits::key);

    /** Ids may contain slashes, so the text alone does not identify a target. */
    private static final Comparator<LockTarget> BY_PATH = Comparator.comparing(LockTarget::toString)
            .thenComparing(target -> target.path().toString());

    private final LockObservation seen;
    private final LockContention contention;
    private final Map<String, Reported> reports;

    LockExplainer(LockObservation seen) {
        this.seen = seen;
        this.contention = new LockContention(seen.space());
        this.reports = seen.reports().stream()
                .collect(toMap(report -> report.owner().session(), identity(), (first, second) -> first));
    }

    LockExplanation explain() {
        List<Owner> owners = seen.sessions().stream()
                .map(this::owner)
                .sorted(longest(Owner::heldFor, Owner::session))
                .toList();
        List<BlockingChain> chains = BlockingChain.of(seen.sessions());
        return new LockExplanation(
                seen,
                owners,
                owners.stream()
                        .filter(owner -> owner.session().isWaiting())
                        .map(this::wait)
                        .sorted(longest(Wait::waitingFor, wait -> wait.waiter().session()))
                        .toList(),
                chains,
                circle(chains),
                hot(owners));
    }

    private static <V> Comparator<V> longest(Function<V, Optional<Duration>> time, Function<V, LockSession> session) {
        return Comparator.<V, Duration>comparing(value -> time.apply(value).orElse(Duration.ZERO))
                .reversed()
                .thenComparing(value -> session.apply(value).id());
    }

    private Owner owner(LockSession session) {
        Optional<Reported> reported = Optional.ofNullable(reports.get(session.id()));
        Set<LockKey> named = new TreeSet<>();
        reported.ifPresent(report -> named.addAll(keys(report.owner().held()).keySet()));
        reported.ifPresent(report -> named.addAll(keys(report.owner().wanted()).keySet()));
        return new Owner(
                session,
                reported,
                session.held().stream()
                        .filter(lock -> !named.contains(lock.key()))
                        .toList(),
                session.since()
                        .map(this::age)
                        .or(() -> reported.map(report -> report.owner().heldFor())));
    }

    private Duration age(Instant since) {
        Duration age = Duration.between(since, seen.at());
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Returns the targets of each key. */
    private Map<LockKey, Set<LockTarget>> keys(Map<LockTarget, LockMode> targets) {
        Map<LockKey, Set<LockTarget>> keys = new HashMap<>();
        contention
                .locked(targets)
                .keySet()
                .forEach(target -> keys.computeIfAbsent(seen.space().keyOf(target), key -> inOrder())
                        .add(target));
        return keys;
    }

    private static Set<LockTarget> inOrder() {
        return new TreeSet<>(BY_PATH);
    }

    private Wait wait(Owner waiter) {
        List<Blocker> blockers = waiter.session().blockers().stream()
                .map(session -> blocker(waiter, session))
                .toList();
        return new Wait(
                waiter,
                verdict(blockers),
                blockers,
                waiter.session()
                        .waitingSince()
                        .map(this::age)
                        .or(() -> waiter.reported().map(report -> report.owner().waitingFor())));
    }

    private Blocker blocker(Owner waiter, String session) {
        Optional<LockKey> key = waiter.session().wanted().map(PlannedLock::key);
        if (waiter.session().elsewhere()) {
            return new Blocker(session, LockConflict.ELSEWHERE, Map.of(), Map.of());
        }
        LockContention.Meeting meeting = contention.judge(
                key,
                waiter.wanted(),
                Optional.ofNullable(reports.get(session))
                        .map(LockExplainer::all)
                        .orElse(Map.of()));
        return new Blocker(session, meeting.verdict(), meeting.wanted(), meeting.other());
    }

    /** Returns the locks that it holds and those that it waits for: requests queued after it wait for both. */
    private static Map<LockTarget, LockMode> all(Reported report) {
        Map<LockTarget, LockMode> all = new HashMap<>(report.owner().held());
        report.owner().wanted().forEach((target, mode) -> all.merge(target, mode, LockMode::strongest));
        return all;
    }

    private static LockConflict verdict(List<Blocker> blockers) {
        return Stream.of(
                        LockConflict.CONFLICT,
                        LockConflict.UNKNOWN,
                        LockConflict.ELSEWHERE,
                        LockConflict.FALSE_CONTENTION)
                .filter(verdict -> blockers.stream().anyMatch(blocker -> blocker.verdict() == verdict))
                .findFirst()
                .orElse(LockConflict.UNKNOWN);
    }

    private List<String> circle(List<BlockingChain> chains) {
        Set<String> waiting = new TreeSet<>();
        seen.sessions().stream()
                .filter(session -> !session.blockedBy().isEmpty())
                .forEach(session -> waiting.add(session.id()));
        chains.forEach(chain -> waiting.removeAll(chain.sessions()));
        return List.copyOf(waiting);
    }

    private List<HotBucket> hot(List<Owner> owners) {
        Map<LockKey, Set<LockTarget>> targets = new HashMap<>();
        for (Owner owner : owners) {
            Stream.of(owner.held(), owner.wanted())
                    .forEach(request -> keys(request)
                            .forEach((key, there) -> targets.computeIfAbsent(key, any -> inOrder())
                                    .addAll(there)));
        }
        return seen.waits().stream()
                .sorted(HOTTEST)
                .map(waits -> new HotBucket(waits, List.copyOf(targets.getOrDefault(waits.key(), Set.of()))))
                .toList();
    }
}

package dev.spream.cli.lock;

import com.google.errorprone.annotations.FormatMethod;
import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PlainText;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.BlockingChain;
import dev.spream.lock.inspection.LockConflict;
import dev.spream.lock.inspection.LockExplanation;
import dev.spream.lock.inspection.LockExplanation.Blocker;
import dev.spream.lock.inspection.LockExplanation.HotBucket;
import dev.spream.lock.inspection.LockExplanation.Owner;
import dev.spream.lock.inspection.LockExplanation.Wait;
import dev.spream.lock.inspection.LockObservation;
import dev.spream.lock.inspection.LockObservation.Reported;
import dev.spream.lock.inspection.LockSession.Client;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prints locks as text: first the blocking chains, each with its waiters indented and the way to end it, then the other
 * holders, then the most contended buckets.
 */
final class LockPrinter {
    private static final int MAX_QUEUE = 20;
    private static final int MAX_INDENT = 40;

    private final LockExplanation locks;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Wait> waits = new HashMap<>();
    private final Set<String> shown = new HashSet<>();
    private int room;

    private LockPrinter(LockExplanation locks) {
        this.locks = locks;
        locks.waits().forEach(wait -> waits.put(wait.waiter().session().id(), wait));
    }

    /**
     * @param blockedOnly only waiters and the holders that block them
     * @param top the number of most contended buckets
     */
    static List<String> of(LockExplanation locks, boolean blockedOnly, int top) {
        LockPrinter lines = new LockPrinter(locks);
        locks.chains().forEach(lines::addQueue);
        lines.addCircle();
        lines.addQueued();
        if (!blockedOnly) {
            lines.addOthers();
        }
        lines.addHot(top);
        return lines.lines.stream().map(PlainText::of).toList();
    }

    static String summary(LockExplanation locks) {
        long holders = locks.owners().stream().filter(LockPrinter::holds).count();
        long needless = locks.waits().stream()
                .filter(wait -> wait.verdict() == LockConflict.FALSE_CONTENTION)
                .count();
        return "%s %s locks, %s%s%s"
                .formatted(
                        sessions(holders),
                        holders == 1 ? "holds" : "hold",
                        locks.waits().isEmpty()
                                ? "no waiters"
                                : "%d %s"
                                        .formatted(
                                                locks.waits().size(),
                                                locks.waits().size() == 1 ? "waits" : "wait"),
                        needless == 0 ? "" : ", %d of them unnecessarily".formatted(needless),
                        locks.queued().isEmpty()
                                ? ""
                                : ", %d queued in their processes"
                                        .formatted(locks.queued().size()));
    }

    private static String sessions(long count) {
        return count == 1 ? "1 session" : count + " sessions";
    }

    private static boolean holds(Owner owner) {
        return !owner.held().isEmpty() || !owner.session().held().isEmpty();
    }

    @FormatMethod
    private void add(String format, Object... values) {
        lines.add(String.format(Locale.ROOT, format, values));
    }

    private void addQueue(BlockingChain head) {
        add("%s blocks %d", head.session(), head.length());
        locks.owner(head.session())
                .ifPresentOrElse(owner -> addOwner(owner, "  "), () -> lines.add("  it has ended meanwhile"));
        shown.add(head.session());
        room = MAX_QUEUE;
        head.behind().forEach(next -> addBehind(next, head.session(), "  "));
        if (head.length() > MAX_QUEUE) {
            add("  … %d more", head.length() - MAX_QUEUE);
        }
        lines.add("  to end it, roll back its work and release its locks: " + ending(head.session()));
        lines.add("");
    }

    private String ending(String session) {
        return locks.seen().ending().replace("?", session);
    }

    private void addBehind(BlockingChain chain, String ahead, String indent) {
        shown.add(chain.session());
        Optional<Wait> waiting = Optional.ofNullable(waits.get(chain.session()));
        if (room > 0) {
            room--;
            waiting.ifPresent(wait -> addWait(wait, ahead, indent));
        }
        String deeper = indent.length() < MAX_INDENT ? indent + "  " : indent;
        chain.behind()
                .forEach(next -> addBehind(
                        next, chain.session(), isOneQueue(chain.session(), next.session()) ? indent : deeper));
    }

    /** Returns whether both wait for the same key, and so for the same holders. */
    private boolean isOneQueue(String ahead, String behind) {
        Optional<LockKey> key = wantedKey(behind);
        return key.isPresent() && key.equals(wantedKey(ahead));
    }

    private Optional<LockKey> wantedKey(String session) {
        return Optional.ofNullable(waits.get(session))
                .flatMap(wait -> wait.waiter().session().wanted())
                .map(PlannedLock::key);
    }

    private void addWait(Wait wait, String ahead, String indent) {
        add(
                "%s%s waits%s for %s",
                indent,
                wait.waiter().session().id(),
                wait.waitingFor().map(LockPrinter::human).orElse(""),
                wanted(wait));
        int others = wait.blockers().size() - 1;
        nearest(wait, ahead)
                .ifPresent(blocker -> add(
                        "%s  %s%s",
                        indent, reason(blocker), others == 0 ? "" : ", and %d more ahead of it".formatted(others)));
        addOwner(wait.waiter(), indent + "  ");
    }

    /** Returns the blocker that decides the verdict: the one directly ahead, or else any. */
    private static Optional<Blocker> nearest(Wait wait, String ahead) {
        List<Blocker> deciding = wait.blockers().stream()
                .filter(blocker -> blocker.verdict() == wait.verdict())
                .toList();
        return deciding.stream()
                .filter(blocker -> blocker.session().equals(ahead))
                .findFirst()
                .or(() -> deciding.stream().findFirst());
    }

    private static String human(Duration time) {
        return " " + Figures.duration(time);
    }

    private static String wanted(Wait wait) {
        if (wait.verdict() == LockConflict.ELSEWHERE) {
            return "a row or a table";
        }
        String names = LockNames.of(wait.waiter().wanted());
        String key = wait.waiter()
                .session()
                .wanted()
                .map(lock -> LockNames.keys(List.of(lock)))
                .orElse("a lock");
        return names.isEmpty() ? key : "%s, at %s".formatted(names, key);
    }

    private static String reason(Blocker blocker) {
        return switch (blocker.verdict()) {
            case CONFLICT -> "conflict: %s has %s".formatted(blocker.session(), LockNames.of(blocker.has()));
            case FALSE_CONTENTION ->
                "false contention: %s has %s, which shares the bucket of %s and nothing else"
                        .formatted(blocker.session(), LockNames.of(blocker.has()), LockNames.of(blocker.wanted()));
            case ELSEWHERE -> "not a lock of this kind: %s holds it".formatted(blocker.session());
            case UNKNOWN -> "unknown reason: %s or the waiter has not reported its locks".formatted(blocker.session());
        };
    }

    /** Adds the owner's locks, client and current statement. */
    private void addOwner(Owner owner, String indent) {
        if (holds(owner)) {
            add(
                    "%sholds %s%s",
                    indent,
                    held(owner),
                    owner.heldFor().map(time -> ", open for" + human(time)).orElse(""));
        }
        String client = Stream.of(owner.reported().map(LockPrinter::program), client(owner))
                .flatMap(Optional::stream)
                .collect(Collectors.joining("; "));
        if (!client.isEmpty()) {
            add("%s%s", indent, client);
        }
    }

    private String held(Owner owner) {
        String names = LockNames.of(owner.held());
        String unnamed = owner.unnamed().isEmpty() ? "" : LockNames.keys(owner.unnamed()) + " (name not reported)";
        if (names.isEmpty() && unnamed.isEmpty()) {
            return heldOfWanted(owner);
        }
        return names.isEmpty() || unnamed.isEmpty() ? names + unnamed : names + ", and " + unnamed;
    }

    /** Returns the part of its requested locks that it holds, such as the ancestors. */
    private String heldOfWanted(Owner owner) {
        Map<LockKey, LockMode> keys = new HashMap<>();
        owner.session().held().forEach(lock -> keys.put(lock.key(), lock.mode()));
        Map<LockTarget, LockMode> targets = new HashMap<>();
        BucketSpace space = locks.seen().space();
        owner.wanted().keySet().stream()
                .flatMap(target -> Stream.concat(target.ancestors().stream(), Stream.of(target)))
                .filter(target -> target.level() < space.levels())
                .forEach(target -> {
                    LockMode mode = keys.get(space.keyOf(target));
                    if (mode != null) {
                        targets.put(target, mode);
                    }
                });
        return targets.isEmpty() ? LockNames.keys(owner.session().held()) : LockNames.of(targets);
    }

    private static String program(Reported report) {
        String label = report.owner().label();
        return label.isEmpty() ? report.process() : "%s, %s".formatted(report.process(), label);
    }

    private Optional<String> client(Owner owner) {
        Client client = owner.session().client();
        String place = Stream.of(client.application(), client.user(), client.address())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
        String state = client.state().isEmpty()
                ? ""
                : client.state()
                        + client.stateSince()
                                .map(since -> " for" + human(since(since)))
                                .orElse("");
        String all = Stream.of(place, state).filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }

    private Duration since(Instant time) {
        return Duration.between(time, locks.seen().at());
    }

    private void addCircle() {
        if (!locks.circle().isEmpty()) {
            lines.add("wait for each other in a cycle, or behind it: " + String.join(", ", locks.circle()));
            lines.add("  the database resolves it within seconds by failing one of them");
            lines.add("");
        }
    }

    /** Prints queued calls; those of one process for the same locks share a line. */
    private void addQueued() {
        Map<String, List<Reported>> calls = locks.queued().stream()
                .collect(Collectors.groupingBy(
                        call -> "%s for %s"
                                .formatted(
                                        program(call), LockNames.of(call.owner().wanted())),
                        LinkedHashMap::new,
                        Collectors.toList()));
        if (calls.isEmpty()) {
            return;
        }
        lines.add("queued in their processes without a connection or locks: "
                + locks.queued().size());
        calls.forEach((what, same) -> add(
                "  %d of %s, the first%s",
                same.size(), what, human(same.getFirst().owner().waitingFor())));
        lines.add("");
    }

    private void addOthers() {
        locks.owners().stream()
                .filter(owner -> !shown.contains(owner.session().id()))
                .filter(owner -> !owner.session().isWaiting())
                .forEach(owner -> {
                    add("%s blocks no other session", owner.session().id());
                    addOwner(owner, "  ");
                });
        if (!lines.isEmpty() && !lines.getLast().isEmpty()) {
            lines.add("");
        }
    }

    private void addHot(int top) {
        List<HotBucket> hot = locks.hot().stream().limit(top).toList();
        if (hot.isEmpty()) {
            return;
        }
        List<String> rows = Columns.table(
                List.of("BUCKET", "WAITS", "WAITED", "LOCKED NOW"),
                hot,
                bucket -> List.of(
                        bucket.waits().key().toString(),
                        Long.toString(bucket.waits().waits()),
                        Figures.duration(bucket.waits().waited()),
                        bucket.targets().isEmpty() ? "-" : PlainText.of(LockNames.of(bucket.targets()))));
        add("most contended in the last %d hours", LockObservation.WAITS_KEPT_HOURS);
        rows.forEach(line -> lines.add("  " + line));
    }
}

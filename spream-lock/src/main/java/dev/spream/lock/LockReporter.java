package dev.spream.lock;

import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.SectionLock;
import dev.spream.lock.LockReport.BucketWaits;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports owners that have held or waited for longer than the interval, and completed waits. Sends nothing while there
 * is nothing to report. Safe for use by many threads.
 */
final class LockReporter<T> {
    private static final Logger log = LoggerFactory.getLogger(LockReporter.class);

    /** An owner of locks, or a call that waits for some, as reports show it. Safe for use by many threads. */
    interface Subject {
        /** Returns the owner; empty if it has neither held locks nor waited for that long. */
        Optional<LockReport.Owner> view(Duration atLeast);
    }

    private final LockStore<T> store;
    private final LockOptions options;
    private final Map<LockKey, BucketWaits> waits = new ConcurrentHashMap<>(); // not reported yet
    private final SectionLock sending = new SectionLock();

    // Guarded by the lock.
    private boolean ownersStand;
    private boolean failing;

    LockReporter(LockStore<T> store, LockOptions options) {
        this.store = store;
        this.options = options;
    }

    void count(LockKey key, Duration waited) {
        add(new BucketWaits(key, 1, waited));
    }

    private void add(BucketWaits more) {
        waits.merge(
                more.key(),
                more,
                (one, other) -> new BucketWaits(
                        one.key(), one.waits() + other.waits(), one.waited().plus(other.waited())));
    }

    /** Reports on a thread of its own; if the previous report is still running, the next one includes the changes. */
    void report(Stream<Subject> owners) {
        List<LockReport.Owner> shown = shown(owners);
        Thread thread = Thread.ofVirtual().name("spream-locks-report").unstarted(() -> {
            if (sending.tryLock()) {
                try {
                    send(shown);
                } finally {
                    sending.unlock();
                }
            }
        });
        thread.start();
    }

    private List<LockReport.Owner> shown(Stream<Subject> owners) {
        List<LockReport.Owner> all = owners.flatMap(owner -> owner.view(options.reportInterval()).stream())
                .toList();
        Stream<LockReport.Owner> queued = all.stream()
                .filter(LockReport.Owner::isQueued)
                .sorted(Comparator.comparing(LockReport.Owner::waitingFor).reversed())
                .limit(LockReport.MAX_QUEUED);
        return Stream.concat(all.stream().filter(owner -> !owner.isQueued()), queued)
                .toList();
    }

    /** Sends the last report, without owners. */
    void reportNothing() {
        sending.run(() -> send(List.of()));
    }

    private void send(List<LockReport.Owner> owners) {
        if (owners.isEmpty() && !ownersStand && waits.isEmpty()) {
            return;
        }
        List<BucketWaits> counted = List.copyOf(waits.keySet()).stream()
                .flatMap(key -> Stream.ofNullable(waits.remove(key)))
                .toList();
        try {
            store.report(new LockReport(options.process(), owners, counted));
            ownersStand = !owners.isEmpty();
            failing = false;
        } catch (RuntimeException e) {
            counted.forEach(this::add);
            warnOnce(e);
        }
    }

    private void warnOnce(RuntimeException e) {
        if (!failing) {
            failing = true;
            log.warn(
                    "cannot report the locks of process {}; locking continues, but inspections do not show its targets; logged once until a report succeeds",
                    options.process(),
                    LoggedFailure.of(e));
        }
    }
}

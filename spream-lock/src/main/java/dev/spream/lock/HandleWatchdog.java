package dev.spream.lock;

import dev.spream.core.DurationText;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background thread of an engine: checks the open handles and reports the owners of locks. It runs while there
 * are any. Calls that may hang in the network have threads of their own. Safe for use by many threads.
 */
final class HandleWatchdog<T> {
    private static final Logger log = LoggerFactory.getLogger(HandleWatchdog.class);
    private static final int CHECKS_PER_TIMEOUT = 3;
    private static final Duration LAST_ENDS = Duration.ofSeconds(5);

    private final Duration checkInterval;
    private final Duration interval;
    private final LockOptions options;
    private final LockReporter<T> reporter;
    private final Set<OpenHandle<T>> handles = ConcurrentHashMap.newKeySet();
    private final Set<TransactionScope<T>> holders = ConcurrentHashMap.newKeySet();
    private final Set<LockReporter.Subject> waiters = ConcurrentHashMap.newKeySet();

    private final SectionLock lock = new SectionLock();
    private final Waiter closing = new Waiter(MonotonicTime.SYSTEM);
    private @Nullable Thread thread; // guarded by the lock
    private volatile boolean running; // written under the lock
    private volatile boolean closed; // written under the lock

    HandleWatchdog(LockStore<T> store, LockOptions options) {
        this.options = options;
        this.reporter = new LockReporter<>(store, options);
        this.checkInterval = store.holderTimeout().dividedBy(CHECKS_PER_TIMEOUT);
        this.interval =
                checkInterval.compareTo(options.reportInterval()) < 0 ? checkInterval : options.reportInterval();
    }

    /** Returns the registered owners of locks. */
    Stream<TransactionScope<T>> holders() {
        return holders.stream();
    }

    void opened(OpenHandle<T> handle) {
        handles.add(handle);
        holds(handle.scope());
        if (closed) {
            handle.abandon();
        }
    }

    void lost(OpenHandle<T> handle) {
        holders.remove(handle.scope());
    }

    /** Removes a handle; returns whether it was open. */
    boolean closed(OpenHandle<T> handle) {
        holdsNoMore(handle.scope());
        return handles.remove(handle);
    }

    void holds(TransactionScope<T> owner) {
        holders.add(owner);
        ensureRunning();
    }

    void holdsNoMore(TransactionScope<T> owner) {
        holders.remove(owner);
    }

    void waiting(LockReporter.Subject owner) {
        waiters.add(owner);
        ensureRunning();
    }

    void waited(LockReporter.Subject owner, LockKey key, Duration time) {
        reporter.count(key, time);
        waiters.remove(owner);
    }

    private void ensureRunning() {
        if (running) {
            return;
        }
        lock.run(() -> {
            if (!running && !closed) {
                running = true;
                Thread next = Thread.ofVirtual().name("spream-locks-watch").unstarted(this::run);
                thread = next;
                next.start();
            }
        });
    }

    private void run() {
        while (pause() && !stopIfIdle()) {
            handles.forEach(this::look);
            reporter.report(Stream.<LockReporter.Subject>concat(holders.stream(), waiters.stream())
                    .distinct());
        }
        reporter.reportNothing();
    }

    private void look(OpenHandle<T> handle) {
        if (options.warnAfter().isPositive()) {
            handle.warnIfHeldLongerThan(options.warnAfter());
        }
        if (handle.isIdleFor(checkInterval)) {
            Thread check = Thread.ofVirtual().name("spream-locks-check").unstarted(handle::checkUnlessUsed);
            check.start();
        }
    }

    /** Waits for the next check; returns false if the watchdog was closed. */
    private boolean pause() {
        try {
            boolean ignored = closing.await(interval);
            return !closed;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Ends the thread if there is no work; an owner that registers afterwards starts another one. */
    private boolean stopIfIdle() {
        return lock.get(() -> {
            running = false;
            if (!holders.isEmpty() || !waiters.isEmpty() || !handles.isEmpty()) {
                running = true;
            }
            return !running;
        });
    }

    /** Ends the open handles at the same time, and waits briefly for that and for the last report. */
    void close() {
        Thread last = stop();
        List<Thread> ends = new ArrayList<>();
        handles.forEach(
                handle -> ends.add(Thread.ofVirtual().name("spream-locks-end").start(handle::abandon)));
        if (last != null) {
            ends.add(last);
        }
        long limit = System.nanoTime() + LAST_ENDS.toNanos();
        try {
            for (Thread end : ends) {
                if (!end.join(Duration.ofNanos(Math.max(1, limit - System.nanoTime())))) {
                    log.warn(
                            "ending the open handles and sending the last report of locks took longer than {}: the database does not respond, and releases the locks when it detects the closed connections",
                            DurationText.of(LAST_ENDS));
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Thread stop() {
        return lock.get(() -> {
            closed = true;
            closing.signal();
            return thread;
        });
    }
}

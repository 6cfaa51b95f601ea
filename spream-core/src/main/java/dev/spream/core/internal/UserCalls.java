package dev.spream.core.internal;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running calls of user code on the engine's threads: what is called, since when, and on which thread. A call
 * that hangs is logged, and is interrupted once the run is cancelled; the run ends without a call that ignores the
 * interrupt. Safe for use by many threads.
 *
 * <p>Calls of the consumer itself have limits of their own.
 */
public final class UserCalls {
    public static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(UserCalls.class);
    private static final Duration GRACE_AFTER_CANCEL = Duration.ofSeconds(1);
    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(3);
    private static final Duration WARN_AFTER = Duration.ofSeconds(10);

    private final MonotonicTime time;
    private final String stream;
    private final Set<Call> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock checking = new ReentrantLock();
    private volatile boolean cancelled;

    public UserCalls(MonotonicTime time, String stream) {
        this.time = time;
        this.stream = stream;
    }

    /** Calls user code. An interrupt by {@link #check} affects only this call, not later work of its thread. */
    public <T> T call(String what, Callable<T> code) throws Exception {
        Call call = new Call(what, Thread.currentThread(), time.nanoTime());
        open.add(call);
        try {
            return code.call();
        } finally {
            open.remove(call);
            if (call.end()) {
                Thread.interrupted();
            }
        }
    }

    /** Interrupts calls that take longer than a second, now and from now on. */
    public void cancel() {
        cancelled = true;
        check();
    }

    public boolean isCancelled() {
        return cancelled;
    }

    /** Returns whether a call ignores that it was interrupted. */
    public boolean isStuck() {
        return open.stream().anyMatch(call -> call.ignoresInterrupt);
    }

    /** Logs calls that hang, and interrupts them once the run is cancelled. Called about once a second. */
    public void check() {
        checking.lock();
        try {
            checkOpen();
        } finally {
            checking.unlock();
        }
    }

    private void checkOpen() {
        for (Call call : open) {
            Duration age = Duration.ofNanos(time.nanoTime() - call.startedAt);
            if (cancelled && age.compareTo(GRACE_AFTER_CANCEL) >= 0 && call.interrupt(time.nanoTime())) {
                log.error(
                        "[{}] {} has not returned for {}; it is interrupted, because the run is being closed",
                        stream,
                        call.what,
                        DurationText.of(age));
            } else if (call.interruptIsIgnored(time.nanoTime())) {
                log.error(
                        "[{}] {} ignores the interrupt and has not returned for {}; the run ends without it, and thread {} remains. Unflushed changes are delivered again after a restart, and partitions in use stay claimed until their leases run out. Make the call end when it is interrupted",
                        stream,
                        call.what,
                        DurationText.of(age),
                        call.thread.getName());
            } else if (age.compareTo(WARN_AFTER.multipliedBy(1L << call.warnings)) >= 0) {
                call.warnings++;
                log.warn(
                        "[{}] {} has not returned for {}; everything that depends on it waits. Thread {}",
                        stream,
                        call.what,
                        DurationText.of(age),
                        call.thread.getName());
            }
        }
    }

    private static final class Call {
        private final String what;
        private final Thread thread;
        private final long startedAt;
        private int warnings; // guarded by checking
        private volatile boolean ignoresInterrupt;

        // Guarded by this.
        private boolean interrupted;
        private long interruptedAt;
        private boolean ended;

        Call(String what, Thread thread, long startedAt) {
            this.what = what;
            this.thread = thread;
            this.startedAt = startedAt;
        }

        synchronized boolean interrupt(long now) {
            if (ended || interrupted) {
                return false;
            }
            interrupted = true;
            interruptedAt = now;
            thread.interrupt();
            return true;
        }

        /** Returns true at most once: when the call is first found to ignore its interrupt. */
        synchronized boolean interruptIsIgnored(long now) {
            if (ended || !interrupted || ignoresInterrupt || now - interruptedAt < GRACE_AFTER_INTERRUPT.toNanos()) {
                return false;
            }
            ignoresInterrupt = true;
            return true;
        }

        /** Ends the call; returns whether it was interrupted. */
        synchronized boolean end() {
            ended = true;
            return interrupted;
        }
    }
}

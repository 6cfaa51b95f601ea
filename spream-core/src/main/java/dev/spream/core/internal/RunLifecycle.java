package dev.spream.core.internal;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lifecycle of an engine that runs once and can be stopped from any thread, before, during and after its run.
 * Safe for use by many threads.
 *
 * @param <R> the run
 */
public final class RunLifecycle<R extends RunLifecycle.Stoppable> {
    /** The time within which a run ends that is closed, or whose thread is interrupted. */
    public static final Duration CLOSE_WITHIN = Duration.ofSeconds(30);

    private static final Duration MIN_CANCEL = Duration.ofMillis(500);
    private static final Duration MAX_CANCEL = Duration.ofSeconds(5);

    /** The part of a run that stops it. Any thread may call it, several times. */
    public interface Stoppable {
        /** Lets started work finish, and ends the run. Does not wait. */
        void drain();

        /**
         * Interrupts started work, and ends the run. Does not wait.
         *
         * @param within the time until the caller stops waiting for the end
         */
        void cancel(Duration within);

        /** Returns whether the thread is one of the run's own, which must not wait for its end. */
        boolean isCalledBy(Thread thread);
    }

    private final String what;
    private final SectionLock lock = new SectionLock();
    private final CountDownLatch ended = new CountDownLatch(1);

    // Guarded by lock.
    private @Nullable R run;
    private boolean stopRequested;
    private boolean closeRequested;

    /** @param what the kind of run, for messages */
    public RunLifecycle(String what) {
        this.what = what;
    }

    /**
     * Runs it, on the calling thread.
     *
     * @return its result; empty if it was stopped before it began
     * @throws IllegalStateException if it has run before
     */
    public <V> Optional<V> run(Supplier<R> create, Function<R, V> work) {
        R started;
        lock.lock();
        try {
            if (run != null) {
                throw new IllegalStateException("this %s has run before; build another one".formatted(what));
            }
            started = create.get();
            run = started;
            if (stopRequested) {
                ended.countDown();
                return Optional.empty();
            }
        } finally {
            lock.unlock();
        }
        try {
            return Optional.of(work.apply(started));
        } finally {
            ended.countDown();
        }
    }

    /**
     * Drains it, and cancels it in time to end within the timeout: before its last quarter, of 0.5 to 5 seconds. Waits no
     * longer than the timeout, or than half a second if that is longer; not at all if one of its own threads calls.
     *
     * @return whether it was done without being cancelled, by any thread; true if it has not begun, or has ended
     */
    public boolean shutdown(Duration timeout) {
        requireNonNull(timeout, "timeout");
        R running = requestStop(false);
        if (running == null) {
            return true;
        }
        running.drain();
        if (running.isCalledBy(Thread.currentThread())) {
            return false;
        }
        Duration last =
                Collections.max(List.of(MIN_CANCEL, Collections.min(List.of(MAX_CANCEL, timeout.dividedBy(4)))));
        if (awaitEnd(timeout.minus(last))) {
            return !isClosed();
        }
        cancel(last);
        return false;
    }

    /** Cancels it, and waits for its end, for half a minute at most; not at all if one of its own threads calls. */
    public void close() {
        cancel(CLOSE_WITHIN);
    }

    private void cancel(Duration within) {
        R running = requestStop(true);
        if (running != null) {
            running.cancel(within);
            if (!running.isCalledBy(Thread.currentThread())) {
                awaitEnd(within);
            }
        }
    }

    /** Returns whether it was closed before it ended. */
    public boolean isClosed() {
        return lock.get(() -> closeRequested);
    }

    /** Returns the run, which may have ended; empty before it begins. */
    public Optional<R> begun() {
        return lock.get(() -> Optional.ofNullable(run));
    }

    /** Returns whether the thread is one of its own, while it runs. */
    public boolean ownsThread(Thread thread) {
        return begun().filter(running -> ended.getCount() > 0 && running.isCalledBy(thread))
                .isPresent();
    }

    /** Records the request for a later run; returns the run to stop, if it is running. */
    private @Nullable R requestStop(boolean close) {
        return lock.get(() -> {
            stopRequested = true;
            boolean hasEnded = ended.getCount() == 0;
            closeRequested |= close && !hasEnded;
            return hasEnded ? null : run;
        });
    }

    private boolean awaitEnd(Duration timeout) {
        try {
            return ended.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

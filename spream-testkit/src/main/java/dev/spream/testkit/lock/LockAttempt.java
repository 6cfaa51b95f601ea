package dev.spream.testkit.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.LockException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/** A call on a thread of its own that may wait for locks. Waiting is detected by a report of the database, not by timing. */
final class LockAttempt<V> implements AutoCloseable {
    private static final long BOUND_SECONDS = 60;
    private static final long POLL_MILLIS = 2;

    private final FutureTask<V> call;
    private final Thread thread;
    private final Supplier<Optional<String>> session;
    private final Function<String, Set<String>> blockersOf;

    private LockAttempt(
            FutureTask<V> call,
            Thread thread,
            Supplier<Optional<String>> session,
            Function<String, Set<String>> blockersOf) {
        this.call = call;
        this.thread = thread;
        this.session = session;
        this.blockersOf = blockersOf;
    }

    static <V> LockAttempt<V> start(
            Callable<V> work, Function<Thread, Optional<String>> sessionOf, Function<String, Set<String>> blockersOf) {
        FutureTask<V> call = new FutureTask<>(work);
        Thread thread = Thread.ofVirtual().name("attempt").unstarted(call);
        LockAttempt<V> attempt = new LockAttempt<>(call, thread, () -> sessionOf.apply(thread), blockersOf);
        thread.start();
        return attempt;
    }

    /** Returns when the call has returned (then empty), or when the database reports the sessions that block it. */
    Set<String> blockers() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        while (System.nanoTime() < end) {
            if (finished()) {
                return Set.of();
            }
            Set<String> blockers = session.get().map(blockersOf).orElse(Set.of());
            if (!blockers.isEmpty()) {
                return blockers;
            }
        }
        throw new AssertionError("the call neither returned nor waited for another session, session " + session.get());
    }

    /** Waits a moment for the call; returns whether it has returned. */
    private boolean finished() throws Exception {
        try {
            V ignored = call.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException e) {
            throw new AssertionError("the call failed", e.getCause());
        } catch (TimeoutException e) {
            return false;
        }
    }

    LockAttempt<V> requireBlockedBy(String... sessions) throws Exception {
        assertThat(blockers()).containsExactlyInAnyOrder(sessions);
        return this;
    }

    String session() {
        return session.get().orElseThrow();
    }

    void interrupt() {
        thread.interrupt();
    }

    V result() throws Exception {
        try {
            return call.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the call failed", e.getCause());
        }
    }

    /** Returns the exception of the call. */
    Throwable failure() throws Exception {
        try {
            throw new AssertionError("the call did not fail, it returned " + call.get(BOUND_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return requireNonNull(e.getCause());
        }
    }

    /** Ends the call: interrupts it if it waits, and closes what it returned. */
    @Override
    public void close() throws Exception {
        interrupt();
        try {
            if (call.get(BOUND_SECONDS, TimeUnit.SECONDS) instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOfAny(InterruptedException.class, LockException.class);
        }
    }
}

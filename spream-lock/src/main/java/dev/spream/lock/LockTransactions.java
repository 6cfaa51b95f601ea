package dev.spream.lock;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins transactions of the engine's own, for handles and for work. Safe for use by many threads. */
final class LockTransactions<T> {
    private static final Logger log = LoggerFactory.getLogger(LockTransactions.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final StackWalker STACK = StackWalker.getInstance();
    private static final String HERE = HierarchicalLocks.class.getPackageName() + ".";

    private final LockEngine<T> engine;

    LockTransactions(LockEngine<T> engine) {
        this.engine = engine;
    }

    CompletableFuture<LockHandle> openAsync(LockRequest request, LockWait wait) {
        Optional<StackTraceElement> place = caller();
        return PendingHandle.start(() -> {
            engine.requireOpen();
            return open(request, wait, place);
        });
    }

    /** @param place the {@link #caller}, for warnings */
    OpenHandle<T> open(LockRequest request, LockWait wait, Optional<StackTraceElement> place)
            throws InterruptedException {
        TransactionScope<T> scope =
                begin(request, wait, LockDeadline.start(wait, engine.options().clock()), nextTurn());
        OpenHandle<T> handle = new OpenHandle<>(engine, scope, place);
        engine.events().publish(listener -> listener.opened(request));
        engine.watch().opened(handle);
        handle.requireNotEnded();
        return handle;
    }

    /**
     * Returns the caller's stack frame, for warnings about handles that stay open; costs a few microseconds, if such
     * warnings are enabled.
     */
    Optional<StackTraceElement> caller() {
        if (engine.options().warnAfter().isZero()) {
            return Optional.empty();
        }
        return STACK.walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith(HERE))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement));
    }

    private LockTurns.Turn nextTurn() {
        return engine.store().turns().next();
    }

    private TransactionScope<T> begin(LockRequest request, LockWait wait, LockDeadline deadline, LockTurns.Turn turn)
            throws InterruptedException {
        return engine.observe(request, deadline, left -> {
            try (OwnCall<T> call = new OwnCall<>(engine, request, wait, left, turn)) {
                return call.take();
            }
        });
    }

    <R, E extends Exception> R run(LockRequest request, LockWait wait, HierarchicalLocks.Work<T, R, E> work)
            throws E, InterruptedException {
        LockDeadline deadline = LockDeadline.start(wait, engine.options().clock());
        LockTurns.Turn turn = nextTurn();
        for (int attempt = 1; true; attempt++) {
            try {
                return runOnce(request, wait, deadline, turn, work);
            } catch (Exception e) {
                if (!isDeadlock(e) || attempt == engine.options().attempts() || deadline.isOver()) {
                    throw e;
                }
                log.debug(
                        "locking {}: rolled back in attempt {}, running it again",
                        request,
                        attempt,
                        LoggedFailure.of(e));
                Duration pause =
                        ExponentialBackoff.pause(FIRST_PAUSE, LONGEST_PAUSE, attempt, ThreadLocalRandom.current());
                boolean ignored = new Waiter(MonotonicTime.SYSTEM).await(pause);
            }
        }
    }

    private boolean isDeadlock(Exception failure) {
        return failure instanceof LockDeadlockException || engine.store().isDeadlock(failure);
    }

    @SuppressWarnings("NullAway") // the result of the work may be null
    private <R, E extends Exception> R runOnce(
            LockRequest request,
            LockWait wait,
            LockDeadline deadline,
            LockTurns.Turn turn,
            HierarchicalLocks.Work<T, R, E> work)
            throws E, InterruptedException {
        TransactionScope<T> scope = begin(request, wait, deadline, turn);
        engine.watch().holds(scope);
        try {
            scope.lend();
            R result = work.run(scope.transaction());
            scope.requireUnbroken(request);
            engine.store().commit(scope.transaction());
            return result;
        } finally {
            engine.watch().holdsNoMore(scope);
            engine.store().end(scope.transaction());
        }
    }

    /**
     * A call that acquires a handle on a virtual thread. If its future is completed from outside, by a cancellation or a
     * time limit, the call is interrupted, and a handle that it got meanwhile is closed. Safe for use by many threads.
     */
    private static final class PendingHandle {
        private final CompletableFuture<LockHandle> future = new CompletableFuture<>();
        private final Callable<LockHandle> call;
        private final Thread thread;
        private final SectionLock lock = new SectionLock();
        private boolean acquiring = true; // guarded by the lock

        private PendingHandle(Callable<LockHandle> call) {
            this.call = call;
            this.thread = Thread.ofVirtual().name("spream-locks-acquire").unstarted(this::run);
        }

        static CompletableFuture<LockHandle> start(Callable<LockHandle> call) {
            PendingHandle pending = new PendingHandle(call);
            pending.thread.start();
            CompletableFuture<LockHandle> ignored =
                    pending.future.whenComplete((handle, failure) -> pending.interrupt());
            return pending.future;
        }

        private void run() {
            try {
                LockHandle handle = acquire();
                if (!future.complete(handle)) {
                    handle.close();
                }
            } catch (Throwable t) {
                boolean ignored = future.completeExceptionally(t);
            }
        }

        private LockHandle acquire() throws Exception {
            try {
                return call.call();
            } finally {
                lock.run(() -> acquiring = false);
                boolean ignored = Thread.interrupted(); // it was for the call; the handle may have to be closed
            }
        }

        private void interrupt() {
            lock.run(() -> {
                if (acquiring) {
                    thread.interrupt();
                }
            });
        }
    }
}

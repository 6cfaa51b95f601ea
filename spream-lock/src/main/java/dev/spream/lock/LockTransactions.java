package dev.spream.lock;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.util.Optional;
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
}

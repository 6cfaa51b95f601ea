package dev.spream.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call that takes locks in a transaction of the engine's own. If it is not its turn to wait in the database, it
 * returns its connection, is queued in this process, and begins again. Used by the calling thread, except for {@link
 * #view} and {@link #end}.
 */
final class OwnCall<T> implements LockReporter.Subject, AutoCloseable {
    private final LockEngine<T> engine;
    private final LockRequest request;
    private final LockWait wait;
    private final LockDeadline deadline;
    private final LockTurns.Turn turn;
    private @Nullable PlannedLock waitedFor; // first
    private @Nullable PlannedLock blockedAt; // last
    private volatile OptionalLong since = OptionalLong.empty();
    private volatile Optional<String> session = Optional.empty();

    OwnCall(LockEngine<T> engine, LockRequest request, LockWait wait, LockDeadline deadline, LockTurns.Turn turn) {
        this.engine = engine;
        this.request = request;
        this.wait = wait;
        this.deadline = deadline;
        this.turn = turn;
        engine.began(this);
    }

    TransactionScope<T> take() throws InterruptedException {
        if (engine.isHeldByThisThread()) {
            return takeKeepingConnection();
        }
        Optional<TransactionScope<T>> owner = attempt(engine.store().begin(deadline));
        while (owner.isEmpty()) {
            owner = queue() ? attempt(engine.store().begin(deadline)) : attemptIfConnectionIsIdle();
        }
        if (since.isPresent()) {
            owner.get().waitedBefore();
        }
        return owner.get();
    }

    /**
     * Takes the locks for a thread that holds other locks, and perhaps the connections for which it would otherwise
     * wait.
     */
    private TransactionScope<T> takeKeepingConnection() throws InterruptedException {
        T transaction = beginNested();
        try {
            engine.requireOpen();
            TransactionScope<T> scope = new TransactionScope<>(engine, transaction, Optional.empty());
            scope.acquire(request, wait, deadline);
            return scope;
        } catch (Throwable t) {
            engine.store().end(transaction);
            throw t;
        }
    }

    /**
     * Begins a transaction of a thread that holds locks: if it waited for a connection that it holds itself, it would
     * wait for ever, undetected by any database.
     */
    private T beginNested() throws InterruptedException {
        if (!(wait instanceof LockWait.Forever)) {
            return engine.store().begin(deadline);
        }
        try {
            return beginAtOnce();
        } catch (LockTimeoutException e) {
            throw new LockOrderException(
                    "locking %s: this thread holds locks by another handle or transaction, and no connection is available for another one; it could wait for itself for ever. Acquire these locks by that handle or transaction, wait with a deadline, or configure more connections for handles. Nothing was changed"
                            .formatted(request),
                    e);
        }
    }

    private T beginAtOnce() throws InterruptedException {
        return engine.store()
                .begin(LockDeadline.start(LockWait.NONE, engine.options().clock()));
    }

    /** Tries the call without waiting for a connection while other calls wait for one. */
    private Optional<TransactionScope<T>> attemptIfConnectionIsIdle() throws InterruptedException {
        T transaction;
        try {
            transaction = beginAtOnce();
        } catch (LockTimeoutException e) {
            return Optional.empty();
        }
        return attempt(transaction);
    }

    /** Takes the locks in the transaction; returns empty if the call has to be queued. */
    private Optional<TransactionScope<T>> attempt(T transaction) throws InterruptedException {
        boolean taken = false;
        try {
            engine.requireOpen(); // it may have waited for the connection, or be run again
            TransactionScope<T> scope = new TransactionScope<>(engine, transaction, Optional.empty());
            taken = scope.acquire(request, wait, rest -> await(scope, rest));
            return taken ? Optional.of(scope) : Optional.empty();
        } finally {
            session = Optional.empty();
            if (!taken) {
                engine.store().end(transaction);
            }
        }
    }

    /** Waits for the missing locks; returns whether it has them all. */
    private boolean await(TransactionScope<T> scope, List<PlannedLock> missing) throws InterruptedException {
        session = Optional.of(scope.session());
        List<PlannedLock> rest = missing;
        while (!rest.isEmpty()) {
            PlannedLock next = rest.getFirst();
            blockedAt = next;
            boolean admitted = turn.enter(next.key());
            beginToWait(next);
            if (!admitted || !await(scope.transaction(), next)) {
                return false;
            }
            List<PlannedLock> after = rest.subList(1, rest.size());
            rest = after.isEmpty()
                    ? after
                    : after.subList(scope.tryLock(request, after).count(), after.size());
        }
        return true;
    }

    private void beginToWait(PlannedLock next) {
        if (since.isEmpty()) {
            waitedFor = next;
            since = OptionalLong.of(System.nanoTime());
            engine.waiting(this, request, next);
        }
    }

    /** Waits for a lock in the database; returns false if the call had to yield or to end. */
    private boolean await(T transaction, PlannedLock next) throws InterruptedException {
        try {
            return turn.await("spream-locks-turn-" + next.key(), () -> {
                        engine.store().lock(transaction, List.of(next), deadline);
                        return true;
                    })
                    .isPresent();
        } catch (LockException e) {
            throw e.named(request);
        }
    }

    /** Waits in the queue; returns whether the call may wait in the database now; otherwise it is to try once. */
    private boolean queue() throws InterruptedException {
        PlannedLock next = requireNonNull(blockedAt);
        boolean admitted = turn.queue(next.key(), deadline);
        engine.requireOpen();
        if (!admitted && deadline.isOver()) {
            throw new LockTimeoutException(
                    "locking %s: lock %s was not free in time; nothing is held".formatted(request, next), null);
        }
        return admitted;
    }

    /** Ends the wait because the engine was closed. Safe for use by any thread. */
    void end() {
        turn.end();
    }

    @Override
    public Optional<LockReport.Owner> view(Duration atLeast) {
        OptionalLong start = since;
        Duration waiting = start.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - start.getAsLong());
        return start.isEmpty() || waiting.compareTo(atLeast) < 0
                ? Optional.empty()
                : Optional.of(new LockReport.Owner(
                        session.orElse(LockReport.Owner.QUEUED + turn.number()),
                        engine.options().label(),
                        Map.of(),
                        request.targets(),
                        Duration.ZERO,
                        waiting));
    }

    @Override
    public void close() {
        turn.leave();
        engine.ended(this);
        PlannedLock first = waitedFor;
        if (first != null && since.isPresent()) {
            engine.waited(this, first.key(), Duration.ofNanos(System.nanoTime() - since.getAsLong()));
        }
    }
}

package dev.spream.core.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call that takes locks in a transaction of the engine's own. Where it is not its turn to wait in the database it gives its
 * connection back, is queued in this process, and begins anew. Used by the calling thread, but for {@link #view}.
 */
final class OwnCall<T> implements ReportedOwner, AutoCloseable {
    private final LockEngine<T> engine;
    private final LockRequest request;
    private final LockWait wait;
    private final LockDeadline deadline;
    private final LockTurns.Turn turn;
    private @Nullable PlannedLock waitedFor; // first
    private @Nullable PlannedLock blockedAt; // last
    private volatile OptionalLong since = OptionalLong.empty();
    private volatile Optional<String> session = Optional.empty();

    OwnCall(LockEngine<T> engine, LockRequest request, LockWait wait, LockDeadline deadline) {
        this.engine = engine;
        this.request = request;
        this.wait = wait;
        this.deadline = deadline;
        this.turn = engine.store().turns().next();
    }

    /** The owner of the locks. */
    TransactionScope<T> take() throws InterruptedException {
        if (engine.isHeldByThisThread()) {
            return takeKeepingConnection();
        }
        Optional<TransactionScope<T>> owner = attempt();
        while (owner.isEmpty()) {
            queue();
            owner = attempt();
        }
        if (since.isPresent()) {
            owner.get().waitedBefore();
        }
        return owner.get();
    }

    /** By a thread that holds other locks, and might hold the connections for which it would wait as well. */
    private TransactionScope<T> takeKeepingConnection() throws InterruptedException {
        T transaction = beginNested();
        try {
            TransactionScope<T> scope = new TransactionScope<>(engine, transaction);
            scope.acquire(request, wait, deadline);
            return scope;
        } catch (Throwable t) {
            engine.store().end(transaction);
            throw t;
        }
    }

    /** A thread that waits for a connection which it holds itself would wait for ever, and no database would see it. */
    private T beginNested() throws InterruptedException {
        if (!(wait instanceof LockWait.Forever)) {
            return engine.store().begin(deadline);
        }
        try {
            return engine.store()
                    .begin(LockDeadline.start(LockWait.NONE, engine.options().clock()));
        } catch (LockTimeoutException e) {
            throw new LockOrderException(
                    "locking %s: this thread holds locks by another handle or transaction, and there is no connection for one more; it could wait for itself for ever. Take what is needed by that one, wait with a deadline, or have more connections for handles. Nothing was changed"
                            .formatted(request),
                    e);
        }
    }

    /** Empty if it has to be queued. */
    private Optional<TransactionScope<T>> attempt() throws InterruptedException {
        T transaction = engine.store().begin(deadline);
        boolean taken = false;
        try {
            TransactionScope<T> scope = new TransactionScope<>(engine, transaction);
            taken = scope.acquire(request, wait, rest -> await(scope, rest));
            return taken ? Optional.of(scope) : Optional.empty();
        } finally {
            session = Optional.empty();
            if (!taken) {
                engine.store().end(transaction);
            }
        }
    }

    /** Whether it has them all; a lock for which it waited is a reason to wait for the next as well. */
    private boolean await(TransactionScope<T> scope, List<PlannedLock> missing) throws InterruptedException {
        beginToWait(missing.getFirst());
        session = Optional.of(scope.session());
        List<PlannedLock> rest = missing;
        while (!rest.isEmpty()) {
            PlannedLock next = rest.getFirst();
            blockedAt = next;
            if (!turn.enter(next.key(), rest.size() < missing.size()) || !await(scope.transaction(), next)) {
                return false;
            }
            turn.leave();
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

    /** False if it had to give way. */
    private boolean await(T transaction, PlannedLock next) throws InterruptedException {
        try {
            return turn.await("spream-locks-turn-" + next.key(), () -> {
                        engine.store().lock(transaction, List.of(next), deadline);
                        return true;
                    })
                    .isPresent();
        } catch (LockException e) {
            throw LockFailures.named(request, e);
        }
    }

    private void queue() throws InterruptedException {
        PlannedLock next = requireNonNull(blockedAt);
        if (!turn.queue(next.key(), deadline)) {
            throw new LockTimeoutException(
                    "locking %s: lock %s was not free in time; nothing is held".formatted(request, next), null);
        }
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
        PlannedLock first = waitedFor;
        if (first != null && since.isPresent()) {
            engine.waited(this, first.key(), Duration.ofNanos(System.nanoTime() - since.getAsLong()));
        }
    }
}

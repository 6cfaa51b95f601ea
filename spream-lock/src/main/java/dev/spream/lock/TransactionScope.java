package dev.spream.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The owner of locks: takes them in a transaction, and records which it holds. Confined to the user of the transaction,
 * except for {@link #held()}, {@link #view} and {@link #thread()}.
 */
final class TransactionScope<T> implements LockScope, LockReporter.Subject {
    private final LockEngine<T> engine;
    private final T transaction;
    private volatile Thread thread;
    private final OwnerLocks locks;
    private final Optional<JoinedTransaction> joined;
    private String marked = "";
    private @Nullable Throwable failure;
    private int lastTaken;
    private boolean lastWaited;

    private volatile Shown shown = new Shown("", null, null, 0, 0);

    /** The state of an owner for other threads; the times are those of {@link System#nanoTime}. */
    private record Shown(
            String session,
            @Nullable LockRequest held,
            @Nullable LockRequest wanted,
            long holdsSince,
            long waitsSince) {}

    /** @param joined the locks remembered for a transaction of a caller; empty for one that the engine began */
    TransactionScope(LockEngine<T> engine, T transaction, Optional<JoinedTransaction> joined) {
        this.joined = joined;
        this.engine = engine;
        this.transaction = transaction;
        this.thread = Thread.currentThread();
        this.locks = new OwnerLocks(engine.store().space());
    }

    @Override
    public void acquire(LockRequest request) throws InterruptedException {
        acquire(request, engine.options().defaultWait());
    }

    @Override
    public void acquire(LockRequest request, LockWait wait) throws InterruptedException {
        TransactionScope<T> ignored = engine.observe(
                request, LockDeadline.start(wait, engine.options().clock()), deadline -> {
                    acquire(request, wait, deadline);
                    return this;
                });
    }

    /** Acquires for a caller that observes the call itself, and has begun to wait. */
    void acquire(LockRequest request, LockWait wait, LockDeadline deadline) throws InterruptedException {
        boolean ignored = acquire(request, wait, rest -> await(request, rest, deadline));
    }

    /** Waits for locks that others hold. */
    @FunctionalInterface
    interface Waits {
        /** Waits for the rest; returns whether all are held now. If not, the call ends without them. */
        boolean await(List<PlannedLock> rest) throws InterruptedException;
    }

    /**
     * Acquires for a caller that waits by itself; returns false if the wait ended without the locks, so that the
     * transaction is to be ended.
     */
    boolean acquire(LockRequest request, LockWait wait, Waits waits) throws InterruptedException {
        requireUsable(request);
        List<PlannedLock> missing = missing(request);
        if (wait instanceof LockWait.Forever && !missing.isEmpty()) {
            engine.requireNotForItself(this, request, missing);
        }
        if (!missing.isEmpty() && Thread.interrupted()) {
            throw new InterruptedException("interrupted before locking " + request);
        }
        try {
            lastWaited = false;
            if (!missing.isEmpty() && !take(request, missing, wait, waits)) {
                return false;
            }
        } catch (Throwable t) {
            failure = t;
            shown = new Shown(shown.session(), null, null, 0, 0);
            joined.ifPresent(JoinedTransaction::forget);
            engine.store().rollback(transaction);
            throw t;
        }
        lastTaken = missing.size();
        if (joined.isPresent()) {
            joined.get().add(marked, request, missing);
        } else {
            locks.add(request, missing);
        }
        show(request);
        return true;
    }

    private List<PlannedLock> missing(LockRequest request) {
        return joined.map(known -> known.toTake(request, this::isCurrent)).orElseGet(() -> locks.missing(request));
    }

    private boolean isCurrent(String mark) {
        return engine.store().isCurrent(transaction, mark);
    }

    /** Takes the missing locks; returns whether all are held. */
    private boolean take(LockRequest request, List<PlannedLock> missing, LockWait wait, Waits waits)
            throws InterruptedException {
        AcquiredLocks taken = tryLock(request, missing);
        marked = taken.transaction();
        if (shown.held() == null) {
            shown = new Shown(taken.session(), null, null, 0, 0);
        }
        if (taken.count() == missing.size()) {
            return true;
        }
        if (wait.equals(LockWait.NONE)) {
            throw new LockBusyException(
                    "locking %s: another owner holds lock %s, and the call does not wait; nothing is held"
                            .formatted(request, missing.get(taken.count())),
                    null);
        }
        lastWaited = true;
        return waits.await(missing.subList(taken.count(), missing.size()));
    }

    /** Passes the transaction with its locks to work. */
    void lend() {
        locks.lend();
        engine.store().lend(transaction);
    }

    AcquiredLocks tryLock(LockRequest request, List<PlannedLock> missing) {
        try {
            return engine.store().tryLock(transaction, missing);
        } catch (LockException e) {
            throw e.named(request);
        }
    }

    private boolean await(LockRequest request, List<PlannedLock> rest, LockDeadline deadline)
            throws InterruptedException {
        long since = System.nanoTime();
        shown = new Shown(shown.session(), shown.held(), request, shown.holdsSince(), since);
        engine.waiting(this, request, rest.getFirst());
        try {
            engine.store().lock(transaction, rest, deadline);
            return true;
        } catch (LockException e) {
            throw e.named(request);
        } finally {
            engine.waited(this, rest.getFirst().key(), Duration.ofNanos(System.nanoTime() - since));
        }
    }

    private void show(LockRequest added) {
        LockRequest before = shown.held();
        shown = before == null
                ? new Shown(shown.session(), added, null, System.nanoTime(), 0)
                : new Shown(shown.session(), before.and(added), null, shown.holdsSince(), 0);
    }

    private void requireUsable(LockRequest request) {
        if (failure != null) {
            throw new LockStoreException(
                    "locking %s: an earlier failure to lock rolled the transaction back; begin another transaction"
                            .formatted(request),
                    failure);
        }
    }

    /** Checks that no locking failed before: work that continued after a failure was no longer in its transaction. */
    void requireUnbroken(LockRequest request) {
        if (failure != null) {
            throw new LockLostException(
                    "the work that holds %s continued after it had failed to acquire more locks, which rolled its whole transaction back; what it wrote since is rolled back as well. Let the work rethrow that failure"
                            .formatted(request),
                    failure);
        }
    }

    /** Returns the number of locks that the last call took. */
    int lastTaken() {
        return lastTaken;
    }

    /** Returns whether the last call waited for another owner. */
    boolean lastWaited() {
        return lastWaited;
    }

    /** Records that the call waited before it began in this transaction. */
    void waitedBefore() {
        lastWaited = true;
    }

    /** Returns the session as in {@link AcquiredLocks#session}; empty before the first lock. */
    String session() {
        return shown.session();
    }

    T transaction() {
        return transaction;
    }

    /** Returns whether locking failed, so that nothing is held. */
    boolean failed() {
        return failure != null;
    }

    /** Makes that thread the one that is taken to end this. */
    void passTo(Thread owner) {
        thread = owner;
    }

    /** Returns the thread that is taken to end this: the one that began to lock. */
    Thread thread() {
        return thread;
    }

    /** Returns the held targets; empty if nothing is held. */
    Optional<LockRequest> held() {
        return Optional.ofNullable(shown.held());
    }

    /** Returns how long locks have been held; zero if nothing is held. */
    Duration heldFor() {
        Shown now = shown;
        return now.held() == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - now.holdsSince());
    }

    @Override
    public Optional<LockReport.Owner> view(Duration atLeast) {
        Shown now = shown;
        long time = System.nanoTime();
        LockRequest held = now.held();
        LockRequest wanted = now.wanted();
        Duration heldFor = held == null ? Duration.ZERO : Duration.ofNanos(time - now.holdsSince());
        Duration waitingFor = wanted == null ? Duration.ZERO : Duration.ofNanos(time - now.waitsSince());
        if (heldFor.compareTo(atLeast) < 0 && waitingFor.compareTo(atLeast) < 0) {
            return Optional.empty();
        }
        return Optional.of(new LockReport.Owner(
                now.session(),
                engine.options().label(),
                held == null ? Map.of() : held.targets(),
                wanted == null ? Map.of() : wanted.targets(),
                heldFor,
                waitingFor));
    }

    /**
     * The locks taken in a transaction of a caller, over all calls that join it. The caller ends the transaction, and its
     * connection may have begun another one: so remembered locks count only after the store has confirmed that the
     * transaction is still the same. They may cause a call to be refused, but never spare it a lock. Confined to the
     * transaction's user, except for {@link #isOf}.
     */
    static final class JoinedTransaction {
        private final BucketSpace space;
        private OwnerLocks locks;
        private String transaction = "";
        private volatile Thread thread = Thread.currentThread();

        JoinedTransaction(BucketSpace space) {
            this.space = space;
            this.locks = lent(space);
        }

        private static OwnerLocks lent(BucketSpace space) {
            OwnerLocks none = new OwnerLocks(space);
            none.lend();
            return none;
        }

        /** Returns whether that thread used it last. */
        boolean isOf(Thread user) {
            return thread.equals(user);
        }

        /**
         * Returns the locks to take for the request, including those remembered as held.
         *
         * @param isCurrent whether the transaction with that mark is still running
         * @throws LockOrderException if one of them must not be taken any more
         */
        List<PlannedLock> toTake(LockRequest request, Predicate<String> isCurrent) {
            thread = Thread.currentThread();
            if (locks.affect(request) && !isCurrent.test(transaction)) {
                forget();
            }
            return locks.missing(request);
        }

        /** Records that the locks were taken in that transaction; locks of an earlier transaction are forgotten. */
        void add(String name, LockRequest request, List<PlannedLock> taken) {
            if (!name.equals(transaction)) {
                forget();
                transaction = name;
            }
            locks.add(request, taken);
        }

        void forget() {
            locks = lent(space);
        }

        /** Returns its locks that conflict with those. */
        Optional<LockRequest> conflicting(List<PlannedLock> wanted, Predicate<String> isCurrent) {
            return locks.conflictWith(wanted) && isCurrent.test(transaction) ? locks.request() : Optional.empty();
        }
    }
}

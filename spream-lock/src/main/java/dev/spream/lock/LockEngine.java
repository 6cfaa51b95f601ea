package dev.spream.lock;

import dev.spream.core.internal.SafeListeners;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/** The engine that all owners of one {@link HierarchicalLocks} share. Safe for use by many threads. */
final class LockEngine<T> {
    private final LockStore<T> store;
    private final LockOptions options;
    private final SafeListeners<LockListener> events;
    private final HandleWatchdog<T> watch;
    private final Map<Object, Joined<T>> joined = Collections.synchronizedMap(new WeakHashMap<>()); // by connection

    private final Set<OwnCall<T>> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * The last transaction of a caller's on a connection, which is also a key of the map and therefore referred to
     * weakly.
     */
    private record Joined<T>(WeakReference<T> transaction, TransactionScope.JoinedTransaction known) {}

    LockEngine(LockStore<T> store, LockOptions options) {
        this.store = store;
        this.options = options;
        this.events = new SafeListeners<>(options.listeners());
        this.watch = new HandleWatchdog<>(store, options);
    }

    LockStore<T> store() {
        return store;
    }

    LockOptions options() {
        return options;
    }

    SafeListeners<LockListener> events() {
        return events;
    }

    HandleWatchdog<T> watch() {
        return watch;
    }

    /** Returns the owner of an open transaction that the engine began. */
    @SuppressWarnings("ReferenceEquality") // connections are compared by identity, whatever their equals method returns
    Optional<TransactionScope<T>> ownerOf(T transaction) {
        return watch.holders()
                .filter(owner -> owner.transaction() == transaction)
                .findFirst();
    }

    /** Returns the owner of a transaction of a caller, with the locks that earlier calls took in it. */
    TransactionScope<T> join(T transaction) {
        Joined<T> last = joined.compute(
                store.connectionOf(transaction),
                (any, before) -> before != null && before.transaction.refersTo(transaction)
                        ? before
                        : new Joined<>(
                                new WeakReference<>(transaction),
                                new TransactionScope.JoinedTransaction(store.space())));
        return new TransactionScope<>(this, transaction, Optional.of(last.known));
    }

    /** Returns the number of connections whose transaction is remembered. */
    int remembered() {
        return joined.size();
    }

    /** Returns whether the calling thread holds locks by a handle or in a transaction of the engine's. */
    boolean isHeldByThisThread() {
        return watch.holders().anyMatch(owner -> owner.thread().equals(Thread.currentThread()));
    }

    /** A call that takes locks and returns their owner. */
    @FunctionalInterface
    interface Call<T> {
        TransactionScope<T> take(LockDeadline deadline) throws InterruptedException;
    }

    /**
     * Runs a call from its beginning, including the wait for a connection, and notifies the listeners of its result.
     */
    TransactionScope<T> observe(LockRequest request, LockDeadline deadline, Call<T> call) throws InterruptedException {
        long start = System.nanoTime();
        try {
            TransactionScope<T> owner = call.take(deadline);
            Duration took = since(start);
            events.publish(listener -> listener.acquired(request, owner.lastTaken(), took, owner.lastWaited()));
            return owner;
        } catch (LockException e) {
            events.publish(listener -> listener.failed(request, e, since(start)));
            throw e;
        } catch (InterruptedException e) {
            events.publish(listener -> listener.interrupted(request, since(start)));
            throw e;
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Registers a call that takes locks in a transaction of the engine. */
    void began(OwnCall<T> call) {
        calls.add(call);
        if (closed) {
            call.end();
        }
    }

    void ended(OwnCall<T> call) {
        calls.remove(call);
    }

    void requireOpen() {
        if (closed) {
            throw new LockStoreException("this HierarchicalLocks is closed; nothing was locked", null);
        }
    }

    /** Ends the calls that wait in transactions of the engine, and the open handles. */
    void close() {
        closed = true;
        calls.forEach(OwnCall::end);
        watch.close();
    }

    /** Reports that an owner, or a call that is to have one, is about to wait. */
    void waiting(LockReporter.Subject owner, LockRequest request, PlannedLock next) {
        events.publish(listener -> listener.waiting(request, next));
        watch.waiting(owner);
    }

    void waited(LockReporter.Subject owner, LockKey key, Duration time) {
        watch.waited(owner, key, time);
    }

    /**
     * Refuses a call that would wait for its own thread: the database cannot detect that two connections are used by
     * one thread, and would let it wait for ever.
     *
     * @throws LockOrderException if the calling thread holds, by another handle or transaction, a lock that this call
     *     waits for
     */
    void requireNotForItself(TransactionScope<T> owner, LockRequest request, List<PlannedLock> missing) {
        Optional<LockRequest> mine = watch.holders()
                .filter(other -> !other.equals(owner) && other.thread().equals(Thread.currentThread()))
                .flatMap(other -> other.held().stream())
                .filter(held -> LockPlan.of(held, store.space()).conflictsWith(missing))
                .findFirst()
                .or(() -> heldInJoined(owner, missing));
        if (mine.isPresent()) {
            throw new LockOrderException(
                    "locking %s: this thread holds %s by another handle or transaction, and would wait for itself for ever. Acquire these locks by that handle or transaction, or end it first; if another thread closes it, wait with a deadline. Nothing was changed"
                            .formatted(request, mine.get()),
                    null);
        }
    }

    /** Returns the conflicting locks that the calling thread took in another running transaction of a caller. */
    private Optional<LockRequest> heldInJoined(TransactionScope<T> owner, List<PlannedLock> missing) {
        List<Joined<T>> others;
        synchronized (joined) {
            others = joined.values().stream()
                    .filter(other -> other.known.isOf(Thread.currentThread())
                            && !other.transaction.refersTo(owner.transaction()))
                    .toList();
        }
        return others.stream()
                .flatMap(other -> firstConflict(other, missing).stream())
                .findFirst();
    }

    private Optional<LockRequest> firstConflict(Joined<T> other, List<PlannedLock> missing) {
        T transaction = other.transaction.get();
        return transaction == null
                ? Optional.empty()
                : other.known.conflicting(missing, mark -> store.isCurrent(transaction, mark));
    }
}

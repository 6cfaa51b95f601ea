package dev.spream.testkit.memory;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;

/**
 * The holders of one key and the calls that wait for it, first come, first served. Guarded by the lock of its {@link
 * LockTable}.
 */
final class LockWaitQueue {
    private final LockKey key;
    private final Map<Transaction, LockMode> holders = new LinkedHashMap<>();
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    LockWaitQueue(LockKey key) {
        this.key = key;
    }

    /** A waiter; {@code moved} is signalled when its wait ends. */
    static final class Waiter {
        final Transaction owner;
        final LockMode mode;
        final Condition moved;
        boolean granted;

        Waiter(Transaction owner, LockMode mode, Condition moved) {
            this.owner = owner;
            this.mode = mode;
            this.moved = moved;
        }
    }

    /** Takes the lock if no holder has it in a conflicting mode and there is no earlier waiter; returns whether it did. */
    boolean tryTake(Transaction owner, LockMode mode) {
        LockMode held = holders.get(owner);
        if (held != null && held.covers(mode)) {
            return true;
        }
        if (!waiters.isEmpty() || !conflictingHolders(owner, mode).isEmpty()) {
            return false;
        }
        give(owner, mode);
        return true;
    }

    private void give(Transaction owner, LockMode mode) {
        holders.merge(owner, mode, LockMode::strongest);
        owner.held.add(key);
    }

    void enqueue(Waiter waiter) {
        waiters.add(waiter);
    }

    /** Ends the wait; later waiters that waited only for this one are served. */
    void leave(Waiter waiter) {
        waiters.remove(waiter);
        admit();
    }

    void release(Transaction owner) {
        holders.remove(owner);
        admit();
    }

    private void admit() {
        for (Waiter next = waiters.peek(); next != null && canEnter(next); next = waiters.peek()) {
            waiters.remove();
            give(next.owner, next.mode);
            next.owner.wait = null;
            next.granted = true;
            next.moved.signal();
        }
    }

    private boolean canEnter(Waiter waiter) {
        return conflictingHolders(waiter.owner, waiter.mode).isEmpty();
    }

    /** Returns the transactions that block the waiter: holders, and earlier waiters, in a conflicting mode. */
    Set<Transaction> blockersOf(Waiter waiter) {
        Set<Transaction> blockers = conflictingHolders(waiter.owner, waiter.mode);
        for (Waiter earlier : waiters) {
            if (earlier == waiter) {
                break;
            }
            if (earlier.mode.conflictsWith(waiter.mode)) {
                blockers.add(earlier.owner);
            }
        }
        return blockers;
    }

    private Set<Transaction> conflictingHolders(Transaction owner, LockMode mode) {
        Set<Transaction> conflicting = new LinkedHashSet<>();
        holders.forEach((holder, held) -> {
            if (holder != owner && held.conflictsWith(mode)) {
                conflicting.add(holder);
            }
        });
        return conflicting;
    }

    boolean isUnused() {
        return holders.isEmpty() && waiters.isEmpty();
    }
}

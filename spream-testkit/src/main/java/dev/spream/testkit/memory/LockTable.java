package dev.spream.testkit.memory;

import static java.util.stream.Collectors.toCollection;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.PlannedLock;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The locks of one {@link InMemoryLockStore} and its siblings, in place of a database. Every key has a fair queue; a
 * request that would close a cycle of waiters is refused. Safe for use by many threads.
 */
final class LockTable {
    private static final Duration A_DAY = Duration.ofDays(1);

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock, as are the fields of transactions.
    private final Map<LockKey, LockWaitQueue> queues = new HashMap<>();
    private final Map<String, Transaction> transactions = new LinkedHashMap<>();
    private final Map<String, LockReport> reports = new LinkedHashMap<>();
    private long lastSession;
    private long lastEpoch;

    Transaction begin(InMemoryLockStore store) {
        lock.lock();
        try {
            Transaction transaction = new Transaction(store, Long.toString(++lastSession));
            transactions.put(transaction.session(), transaction);
            return transaction;
        } finally {
            lock.unlock();
        }
    }

    AcquiredLocks tryLock(Transaction owner, List<PlannedLock> locks) {
        lock.lock();
        try {
            owner.requireOpen();
            int taken = 0;
            while (taken < locks.size() && tryTake(owner, locks.get(taken))) {
                taken++;
            }
            return new AcquiredLocks(taken, owner.session(), owner.session());
        } finally {
            lock.unlock();
        }
    }

    private boolean tryTake(Transaction owner, PlannedLock wanted) {
        return queue(wanted.key()).tryTake(owner, wanted.mode());
    }

    void lock(Transaction owner, List<PlannedLock> locks, LockDeadline deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            owner.requireOpen();
            for (PlannedLock wanted : locks) {
                if (!tryTake(owner, wanted)) {
                    await(owner, wanted, deadline);
                }
            }
        } catch (Throwable t) {
            owner.fail();
            throw t;
        } finally {
            lock.unlock();
        }
    }

    private void await(Transaction owner, PlannedLock wanted, LockDeadline deadline) throws InterruptedException {
        LockWaitQueue queue = queue(wanted.key());
        LockWaitQueue.Waiter waiter = new LockWaitQueue.Waiter(owner, wanted.mode(), lock.newCondition());
        queue.enqueue(waiter);
        owner.wait = new Wait(queue, waiter);
        try {
            requireNoCircle(owner, wanted);
            while (!waiter.granted) {
                if (deadline.isOver()) {
                    throw new LockTimeoutException("lock %s was not free in time".formatted(wanted), null);
                }
                long ignored =
                        waiter.moved.awaitNanos(deadline.left().orElse(A_DAY).toNanos());
                owner.requireOpen();
            }
        } finally {
            owner.wait = null;
            queue.leave(waiter);
            removeIfUnused(wanted.key(), queue);
        }
    }

    private void requireNoCircle(Transaction owner, PlannedLock wanted) {
        Set<Transaction> seen = new HashSet<>();
        Deque<Transaction> next = new ArrayDeque<>(blockers(owner));
        while (!next.isEmpty()) {
            Transaction blocker = next.remove();
            if (blocker == owner) {
                throw new LockDeadlockException(
                        "lock %s is held by a transaction that waits for this one, %s"
                                .formatted(wanted, owner.session()),
                        null);
            }
            if (seen.add(blocker)) {
                next.addAll(blockers(blocker));
            }
        }
    }

    private static Set<Transaction> blockers(Transaction owner) {
        Wait wait = owner.wait;
        return wait == null ? Set.of() : wait.queue().blockersOf(wait.waiter());
    }

    /** A waiter and the key that it waits for. */
    record Wait(LockWaitQueue queue, LockWaitQueue.Waiter waiter) {}

    boolean isOpen(Transaction transaction) {
        lock.lock();
        try {
            return transaction.isOpen();
        } finally {
            lock.unlock();
        }
    }

    void commit(Transaction transaction) {
        lock.lock();
        try {
            transaction.requireOpen();
            finish(transaction, "is over");
        } finally {
            lock.unlock();
        }
    }

    /** Releases the locks of a transaction; if it waits, its wait ends with an error. */
    void finish(Transaction transaction, String state) {
        lock.lock();
        try {
            transaction.finish(state);
            transactions.remove(transaction.session());
            for (LockKey key : transaction.held) {
                LockWaitQueue queue = queue(key);
                queue.release(transaction);
                removeIfUnused(key, queue);
            }
            transaction.held.clear();
            if (transaction.wait != null) {
                transaction.wait.waiter().moved.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private LockWaitQueue queue(LockKey key) {
        return queues.computeIfAbsent(key, LockWaitQueue::new);
    }

    private void removeIfUnused(LockKey key, LockWaitQueue queue) {
        if (queue.isUnused()) {
            queues.remove(key, queue);
        }
    }

    /** Breaks all transactions of a store, as if its connections were lost. */
    void breakAll(InMemoryLockStore store) {
        breakThose(transaction -> transaction.store() == store);
    }

    void kill(String session) {
        breakThose(transaction -> transaction.session().equals(session));
    }

    private void breakThose(Predicate<Transaction> chosen) {
        lock.lock();
        try {
            List.copyOf(transactions.values()).stream()
                    .filter(chosen)
                    .forEach(transaction -> finish(transaction, Transaction.BROKEN));
        } finally {
            lock.unlock();
        }
    }

    Set<String> blockersOf(String session) {
        lock.lock();
        try {
            Transaction waiting = transactions.get(session);
            return waiting == null
                    ? Set.of()
                    : blockers(waiting).stream().map(Transaction::session).collect(toCollection(LinkedHashSet::new));
        } finally {
            lock.unlock();
        }
    }

    long nextEpoch() {
        lock.lock();
        try {
            return ++lastEpoch;
        } finally {
            lock.unlock();
        }
    }

    void report(LockReport report) {
        lock.lock();
        try {
            reports.put(report.process(), report);
        } finally {
            lock.unlock();
        }
    }

    List<LockReport> reports() {
        lock.lock();
        try {
            return List.copyOf(reports.values());
        } finally {
            lock.unlock();
        }
    }
}

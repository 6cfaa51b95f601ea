package dev.spream.testkit.memory;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTurns;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.lock.LockDeadlines;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stores that do not keep the contract, each in one way. */
final class SpoiltLockStores {
    private SpoiltLockStores() {}

    /** Says that it locks, and does not. */
    static final class LocksNothing extends ForwardingLockStore<Transaction> {
        LocksNothing(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            return new AcquiredLocks(locks.size(), transaction.session(), transaction.session());
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline) {}
    }

    /** Has all calls wait in the database. */
    static final class LetsAllWait extends ForwardingLockStore<Transaction> {
        LetsAllWait(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public LockTurns turns() {
            return LockTurns.unlimited();
        }
    }

    /** Locks what is exclusive alone. */
    static final class ForgetsSharedLocks extends ForwardingLockStore<Transaction> {
        ForgetsSharedLocks(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            int taken = 0;
            while (taken < locks.size() && (isShared(locks.get(taken)) || tookAlone(transaction, locks.get(taken)))) {
                taken++;
            }
            return new AcquiredLocks(taken, transaction.session(), transaction.session());
        }

        private static boolean isShared(PlannedLock lock) {
            return lock.mode() == LockMode.SHARED;
        }

        private boolean tookAlone(Transaction transaction, PlannedLock lock) {
            return target.tryLock(transaction, List.of(lock)).count() == 1;
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            target.lock(
                    transaction, locks.stream().filter(lock -> !isShared(lock)).toList(), deadline);
        }
    }

    /** Locks whatever is shared for one alone. */
    static final class SharesNothing extends ForwardingLockStore<Transaction> {
        SharesNothing(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            return target.tryLock(transaction, exclusive(locks));
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            target.lock(transaction, exclusive(locks), deadline);
        }

        private static List<PlannedLock> exclusive(List<PlannedLock> locks) {
            return locks.stream()
                    .map(lock -> new PlannedLock(lock.key(), LockMode.EXCLUSIVE))
                    .toList();
        }
    }

    /** Takes the last lock first. */
    static final class TakesLocksInReversedOrder extends ForwardingLockStore<Transaction> {
        TakesLocksInReversedOrder(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            AcquiredLocks taken = target.tryLock(transaction, locks.reversed());
            return taken.count() == locks.size() ? taken : new AcquiredLocks(0, taken.session(), taken.transaction());
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            target.lock(transaction, locks.reversed(), deadline);
        }
    }

    /** Keeps what it took when it fails, as a statement that was rolled back alone does. */
    static final class KeepsLocksAfterFailure extends ForwardingLockStore<Transaction> {
        KeepsLocksAfterFailure(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public void rollback(Transaction transaction) {}
    }

    /** Gives a handle's connection back without an end of its transaction when it fails. */
    static final class LeaksHandles extends ForwardingLockStore<Transaction> {
        private final Set<Transaction> committed = ConcurrentHashMap.newKeySet();

        LeaksHandles(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public void commit(Transaction transaction) {
            target.commit(transaction);
            committed.add(transaction);
        }

        @Override
        public void rollback(Transaction transaction) {}

        @Override
        public void end(Transaction transaction) {
            if (committed.contains(transaction)) {
                target.end(transaction);
            }
        }
    }

    /** Waits until the locks are free, however long that takes. */
    static final class IgnoresDeadlines extends ForwardingLockStore<Transaction> {
        IgnoresDeadlines(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            target.lock(transaction, locks, LockDeadlines.FOREVER);
        }
    }

    /** Waits for each lock as long as there was for all of them. */
    static final class CountsTimeOnce extends ForwardingLockStore<Transaction> {
        CountsTimeOnce(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            Duration atFirst = deadline.left().orElse(Duration.ofDays(1));
            for (PlannedLock lock : locks) {
                target.lock(
                        transaction,
                        List.of(lock),
                        LockDeadline.start(LockWait.atMost(atFirst), InstantSource.system()));
            }
        }
    }

    /** Counts epochs by itself, as every process would. */
    static final class CountsEpochsAlone extends ForwardingLockStore<Transaction> {
        private final AtomicLong last = new AtomicLong();

        CountsEpochsAlone(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public long nextEpoch() {
            return last.incrementAndGet();
        }
    }

    /** Does not ask whether a transaction is there still. */
    static final class NeverNoticesALoss extends ForwardingLockStore<Transaction> {
        NeverNoticesALoss(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public boolean isAlive(Transaction transaction) {
            return true;
        }

        @Override
        public void commit(Transaction transaction) {
            target.rollback(transaction);
        }
    }

    /** Waits where it was to try. */
    static final class WaitsWhereItShouldTry extends ForwardingLockStore<Transaction> {
        WaitsWhereItShouldTry(LockStore<Transaction> target) {
            super(target);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            try {
                target.lock(transaction, locks, LockDeadlines.FOREVER);
            } catch (InterruptedException e) {
                throw new LockCancelledException("interrupted", e);
            }
            return new AcquiredLocks(locks.size(), transaction.session(), transaction.session());
        }
    }
}

package dev.spream.testkit.lock;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTurns;
import dev.spream.lock.PlannedLock;
import java.time.Duration;
import java.util.List;

/** A store that forwards to another one; subclasses change one behaviour. */
public class ForwardingLockStore<T> implements LockStore<T> {
    public final LockStore<T> target;

    public ForwardingLockStore(LockStore<T> target) {
        this.target = target;
    }

    @Override
    public BucketSpace space() {
        return target.space();
    }

    @Override
    public Class<T> transactionType() {
        return target.transactionType();
    }

    @Override
    public T begin(LockDeadline deadline) throws InterruptedException {
        return target.begin(deadline);
    }

    @Override
    public LockTurns turns() {
        return target.turns();
    }

    @Override
    public AcquiredLocks tryLock(T transaction, List<PlannedLock> locks) {
        return target.tryLock(transaction, locks);
    }

    @Override
    public void lock(T transaction, List<PlannedLock> locks, LockDeadline deadline) throws InterruptedException {
        target.lock(transaction, locks, deadline);
    }

    @Override
    public boolean isAlive(T transaction) {
        return target.isAlive(transaction);
    }

    @Override
    public void lend(T transaction) {
        target.lend(transaction);
    }

    @Override
    public void commit(T transaction) {
        target.commit(transaction);
    }

    @Override
    public boolean isCurrent(T transaction, String mark) {
        return target.isCurrent(transaction, mark);
    }

    @Override
    public Object connectionOf(T transaction) {
        return target.connectionOf(transaction);
    }

    @Override
    public void rollback(T transaction) {
        target.rollback(transaction);
    }

    @Override
    public void end(T transaction) {
        target.end(transaction);
    }

    @Override
    public boolean isDeadlock(Exception failure) {
        return target.isDeadlock(failure);
    }

    @Override
    public long nextEpoch() {
        return target.nextEpoch();
    }

    @Override
    public Duration holderTimeout() {
        return target.holderTimeout();
    }

    @Override
    public void report(LockReport report) {
        target.report(report);
    }

    @Override
    public void close() {
        target.close();
    }
}

package dev.spream.api.plugin;

import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockSpace;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTurns;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.TakenLocks;
import java.time.Duration;
import java.util.List;

/** A plug-in's lock store, called in its scope. */
record ScopedLockStore<T>(LockStore<T> target, CallScope scope) implements LockStore<T> {
    @Override
    public LockSpace space() {
        return scope.call(target::space);
    }

    @Override
    public Class<T> transactionType() {
        return scope.call(target::transactionType);
    }

    @Override
    public T begin(LockDeadline deadline) throws InterruptedException {
        return scope.call(() -> target.begin(deadline));
    }

    @Override
    public LockTurns turns() {
        return scope.call(target::turns);
    }

    @Override
    public TakenLocks tryLock(T transaction, List<PlannedLock> locks) {
        return scope.call(() -> target.tryLock(transaction, locks));
    }

    @Override
    public void lock(T transaction, List<PlannedLock> locks, LockDeadline deadline) throws InterruptedException {
        scope.run(() -> target.lock(transaction, locks, deadline));
    }

    @Override
    public boolean isAlive(T transaction) {
        return scope.call(() -> target.isAlive(transaction));
    }

    @Override
    public void lend(T transaction) {
        scope.run(() -> target.lend(transaction));
    }

    @Override
    public void commit(T transaction) {
        scope.run(() -> target.commit(transaction));
    }

    @Override
    public boolean isCurrent(T transaction, String mark) {
        return scope.call(() -> target.isCurrent(transaction, mark));
    }

    @Override
    public Object connectionOf(T transaction) {
        return scope.call(() -> target.connectionOf(transaction));
    }

    @Override
    public void rollback(T transaction) {
        scope.run(() -> target.rollback(transaction));
    }

    @Override
    public void end(T transaction) {
        scope.run(() -> target.end(transaction));
    }

    @Override
    public boolean isDeadlock(Exception failure) {
        return scope.call(() -> target.isDeadlock(failure));
    }

    @Override
    public long nextEpoch() {
        return scope.call(target::nextEpoch);
    }

    @Override
    public Duration holderTimeout() {
        return scope.call(target::holderTimeout);
    }

    @Override
    public void report(LockReport report) {
        scope.run(() -> target.report(report));
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}

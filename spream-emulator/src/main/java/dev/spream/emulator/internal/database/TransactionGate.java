package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.sql.Errors;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The gate of read-write transactions, which pass it together, and of schema changes, which pass it alone, as does a
 * transaction that was aborted too often. A transaction holds its pass from its first read or write to its end. The gate is fair, and not tied to a thread, since
 * each call of a transaction may come on another one.
 */
final class TransactionGate {
    /** Longer than an idle transaction lasts, so that a waiter outlives a client that died. */
    static final Duration MAX_WAIT = ReadWriteTransaction.MAX_IDLE.multipliedBy(3);

    private static final int ALL = Integer.MAX_VALUE;

    private final Semaphore passes = new Semaphore(ALL, true);

    /** @param alone whether the transaction waits for all others, and has all others wait */
    void enter(boolean alone) {
        take(alone ? ALL : 1);
    }

    void leave(boolean alone) {
        passes.release(alone ? ALL : 1);
    }

    /** Runs the action while no read-write transaction is running. */
    void exclusively(Runnable action) {
        enter(true);
        try {
            action.run();
        } finally {
            leave(true);
        }
    }

    private void take(int count) {
        try {
            if (!passes.tryAcquire(count, MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Errors.aborted("Transaction was aborted: it waited too long for others to end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.aborted("Transaction was aborted while it waited for others to end");
        }
    }

    boolean hasWaiters() {
        return passes.hasQueuedThreads();
    }
}

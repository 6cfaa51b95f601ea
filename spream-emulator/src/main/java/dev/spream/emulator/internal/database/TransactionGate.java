package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.sql.Errors;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The gate between read-write transactions, which pass it together, and schema changes, which pass it alone. A
 * transaction holds its pass from its first read or write to its end. The gate is fair, and not tied to a thread, since
 * each call of a transaction may come on another one.
 */
final class TransactionGate {
    /** Longer than an idle transaction lasts, so that a waiter outlives a client that died. */
    static final Duration MAX_WAIT = ReadWriteTransaction.MAX_IDLE.multipliedBy(3);

    private static final int ALL = Integer.MAX_VALUE;

    private final Semaphore passes = new Semaphore(ALL, true);

    void enter() {
        take(1);
    }

    void leave() {
        passes.release();
    }

    /** Runs the action while no read-write transaction is running. */
    void exclusively(Runnable action) {
        take(ALL);
        try {
            action.run();
        } finally {
            passes.release(ALL);
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

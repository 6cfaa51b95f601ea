package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.sql.Errors;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lock that a read-write transaction holds from its first read or write to its end. It is fair, has one holder at a
 * time, and is not tied to a thread, since each call of a transaction may come on another one.
 */
final class WriterLock {
    /** Longer than an idle holder lasts, so that a waiter outlives a client that died. */
    private static final Duration MAX_WAIT = ReadWriteTransaction.MAX_IDLE.multipliedBy(3);

    private final Semaphore permit = new Semaphore(1, true);
    private volatile @Nullable ReadWriteTransaction holder;

    void acquire(ReadWriteTransaction transaction) {
        take();
        holder = transaction;
    }

    void release() {
        holder = null;
        permit.release();
    }

    /** Runs the action while no read-write transaction is running. */
    void exclusively(Runnable action) {
        take();
        try {
            action.run();
        } finally {
            permit.release();
        }
    }

    private void take() {
        try {
            if (!permit.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Errors.aborted("Transaction was aborted: it waited too long for another transaction's locks");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.aborted("Transaction was aborted while it waited for locks");
        }
    }

    /** Aborts the holder if others wait for it and its client is idle. */
    void breakIdleHolder() {
        ReadWriteTransaction current = holder;
        if (current != null && permit.hasQueuedThreads()) {
            current.abortIfIdle();
        }
    }
}

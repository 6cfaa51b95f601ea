package dev.spream.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Lock} that holds the locks of a request by a {@link LockHandle}, in all processes. It belongs to the thread that
 * locked it, and is reentrant, as {@link ReentrantLock} is: that thread may lock it again, and releases it by as many
 * calls of {@link #unlock}. Threads that wait for the same object wait in this process, without a connection; objects
 * of equal requests exclude each other like those of different processes, and are not reentrant.
 *
 * <p>The locks can be lost while they are held, with their connection: see {@link LockHandle}. Then {@link #unlock} throws
 * {@link LockLostException}, and so does {@link #lock} of a thread that locks again. Work in between asks {@link
 * #handle()}, and passes on its epoch.
 *
 * <p>A method that locks throws a {@link LockException} if the locks could not be taken, for example because the
 * database cannot be reached; then nothing is held. Safe for use by many threads; needs no closing.
 */
public final class HandleLock implements Lock {
    private final HierarchicalLocks<?> locks;
    private final LockRequest request;
    private final ReentrantLock local = new ReentrantLock();
    private @Nullable LockHandle handle; // guarded by the local lock

    HandleLock(HierarchicalLocks<?> locks, LockRequest request) {
        this.locks = locks;
        this.request = requireNonNull(request, "request");
    }

    /** Takes the locks of the request; empty if they are not free. */
    @FunctionalInterface
    private interface Acquisition {
        Optional<LockHandle> acquire() throws InterruptedException;
    }

    /** A way to lock; returns whether the lock is held. */
    @FunctionalInterface
    private interface Attempt {
        boolean lock() throws InterruptedException;
    }

    /**
     * Waits without limit. An interrupt does not end the wait, but costs the call its place in the queue.
     *
     * @throws LockOrderException if this thread holds the locks by another handle, and would wait for itself
     */
    @Override
    public void lock() {
        boolean ignored = uninterruptibly(() -> {
            local.lock();
            return hold(() -> Optional.of(locks.acquire(request, LockWait.FOREVER)));
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        local.lockInterruptibly();
        boolean ignored = hold(() -> Optional.of(locks.acquire(request, LockWait.FOREVER)));
    }

    /** Does not wait for locks, and returns false, too, if all connections for handles are in use. */
    @Override
    public boolean tryLock() {
        return uninterruptibly(() -> local.tryLock() && hold(() -> acquire(Duration.ZERO)));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long start = System.nanoTime();
        long nanos = unit.toNanos(time);
        return local.tryLock(time, unit)
                && hold(() -> acquire(Duration.ofNanos(Math.max(0, nanos - (System.nanoTime() - start)))));
    }

    private Optional<LockHandle> acquire(Duration atMost) throws InterruptedException {
        try {
            return Optional.of(locks.acquire(request, LockWait.atMost(atMost)));
        } catch (LockBusyException | LockTimeoutException e) {
            return Optional.empty();
        }
    }

    /** Takes the locks for a thread that has the local lock; returns it if they are not held. */
    private boolean hold(Acquisition acquisition) throws InterruptedException {
        boolean held = false;
        try {
            if (local.getHoldCount() > 1) {
                handle().requireHeld();
                held = true;
            } else {
                handle = acquisition.acquire().orElse(null);
                held = handle != null;
            }
            return held;
        } finally {
            if (!held) {
                local.unlock();
            }
        }
    }

    private static boolean uninterruptibly(Attempt attempt) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return attempt.lock();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (LockCancelledException e) {
                    if (!Thread.interrupted()) { // an interrupt may close a connection
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Releases the lock; the last of a thread's nested calls releases the locks in the database.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold it; nothing has changed
     * @throws LockLostException if the locks had been lost before; the lock is released nevertheless
     */
    @Override
    public void unlock() {
        LockHandle held = handle();
        try {
            if (local.getHoldCount() == 1) {
                handle = null;
                held.close();
            }
        } finally {
            local.unlock();
        }
    }

    /**
     * Returns the handle by which the calling thread holds the locks, for its epoch and to ask whether they are held.
     * {@link #unlock} closes it.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold this lock
     */
    public LockHandle handle() {
        if (!local.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException(
                    "%s is not locked by this thread: the thread that locks it has to unlock it".formatted(request));
        }
        return requireNonNull(handle);
    }

    /** Refused: no database signals a condition. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a lock of a database has no conditions");
    }

    @Override
    public String toString() {
        return "HandleLock[" + request + "]";
    }
}

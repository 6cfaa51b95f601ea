package dev.spream.core.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group of virtual threads that end together. The first failure wins and is reported at once; later ones are
 * suppressed in it. Safe for use by many threads.
 */
public final class TaskGroup {
    private static final long CHECK_NANOS = Duration.ofMillis(500).toNanos();
    private static final long GRACE_NANOS = Duration.ofSeconds(2).toNanos();

    /** The task of one thread of the group. */
    public interface Task {
        void run() throws Exception;
    }

    private final MonotonicTime time;
    private final Consumer<Throwable> onFirstFailure;
    private final SectionLock lock = new SectionLock();
    private final Condition changed = lock.newCondition();
    private final Set<Thread> running = new HashSet<>(); // guarded by lock
    private @Nullable Throwable failure; // guarded by lock

    public TaskGroup(MonotonicTime time, Consumer<Throwable> onFirstFailure) {
        this.time = time;
        this.onFirstFailure = onFirstFailure;
    }

    /** Starts a task on a virtual thread. */
    public void start(String name, Task task) {
        start(Thread.ofVirtual(), name, task);
    }

    /** Starts a task that reads a change stream. */
    public void startReader(String name, Task task) {
        start(ReaderThreads.builder(), name, task);
    }

    private void start(Thread.Builder threads, String name, Task task) {
        Thread thread = threads.name(name).unstarted(() -> runTask(task));
        lock.lock();
        try {
            running.add(thread);
        } finally {
            lock.unlock();
        }
        thread.start();
    }

    private void runTask(Task task) {
        try {
            task.run();
        } catch (Throwable t) { // including an interrupt, since the engine interrupts no thread of a group
            fail(t);
        } finally {
            ended(Thread.currentThread());
        }
    }

    private void ended(Thread thread) {
        lock.run(() -> {
            running.remove(thread);
            changed.signalAll();
        });
    }

    /** Reports a failure as if a task of the group had thrown it. */
    public void fail(Throwable t) {
        lock.lock();
        try {
            if (failure != null) {
                if (!failure.equals(t)) {
                    failure.addSuppressed(t);
                }
                return;
            }
            failure = t;
        } finally {
            lock.unlock();
        }
        onFirstFailure.accept(t);
    }

    /** Throws the first failure, if there is one; a checked one as the cause of another. */
    public void rethrow(Function<Throwable, RuntimeException> wrapped) {
        switch (first()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable t -> throw wrapped.apply(t);
        }
    }

    private @Nullable Throwable first() {
        return lock.get(() -> failure);
    }

    public boolean runs(Thread thread) {
        return lock.get(() -> running.contains(thread));
    }

    /** Waits until no thread of the group runs, but no longer than that; returns whether none runs. */
    public boolean join(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!running.isEmpty() && left > 0) {
                left = time.awaitNanos(changed, left);
            }
            return running.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no thread of the group runs.
     *
     * @param hanging whether threads may hang for ever; if so, those still running after two more seconds are
     *     abandoned
     */
    public void join(BooleanSupplier hanging) throws InterruptedException {
        long startedAt = time.nanoTime();
        lock.lockInterruptibly();
        try {
            while (!running.isEmpty() && !(time.nanoTime() - startedAt >= GRACE_NANOS && hanging.getAsBoolean())) {
                long unused = time.awaitNanos(changed, CHECK_NANOS);
            }
        } finally {
            lock.unlock();
        }
    }
}

package dev.spream.core.subscription;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The virtual threads of one subscription. The first failure wins and is reported at once; later ones are suppressed in it.
 * Safe for use by many threads.
 */
final class TaskGroup {

    /** What a thread of the group runs. */
    interface Task {
        void run() throws Exception;
    }

    private final Consumer<Throwable> onFirstFailure;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Thread> running = new HashSet<>(); // guarded by lock
    private @Nullable Throwable failure; // guarded by lock

    TaskGroup(Consumer<Throwable> onFirstFailure) {
        this.onFirstFailure = onFirstFailure;
    }

    void start(String name, Task task) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> runTask(task));
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
        } catch (Throwable t) { // an interrupt as well: the engine interrupts no thread of a group
            fail(t);
        } finally {
            ended(Thread.currentThread());
        }
    }

    private void ended(Thread thread) {
        lock.lock();
        try {
            running.remove(thread);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reports a failure as if a task of the group had thrown it. */
    void fail(Throwable t) {
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

    @Nullable
    Throwable failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    boolean runs(Thread thread) {
        lock.lock();
        try {
            return running.contains(thread);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no thread of the group runs. */
    void join() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!running.isEmpty()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }
}

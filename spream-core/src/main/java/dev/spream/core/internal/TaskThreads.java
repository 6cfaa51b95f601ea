package dev.spream.core.internal;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Virtual threads that end together. What one throws is reported. Safe for use by many threads. */
public final class TaskThreads {

    /** What a thread runs. */
    public interface Task {
        void run() throws Exception;
    }

    private final MonotonicTime time;
    private final Consumer<Throwable> onFailure;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Thread> running = new HashSet<>(); // guarded by lock

    public TaskThreads(MonotonicTime time, Consumer<Throwable> onFailure) {
        this.time = time;
        this.onFailure = onFailure;
    }

    public void start(String name, Task task) {
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
        } catch (Throwable t) { // an interrupt as well: nobody else interrupts these
            onFailure.accept(t);
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

    public boolean runs(Thread thread) {
        lock.lock();
        try {
            return running.contains(thread);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no thread runs, or for that long; whether none does. */
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
}

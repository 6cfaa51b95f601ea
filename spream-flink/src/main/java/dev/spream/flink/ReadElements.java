package dev.spream.flink;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The elements that the partitions of a reader have read and the task has not emitted: one queue, limited in bytes. The
 * readers of partitions wait for room, in the order of their coming; the task waits by a future, and takes several elements
 * at a time, so that an element does not cost it a lock.
 */
final class ReadElements {
    private static final int BATCH = 64;

    /** An element of a partition, with its size in memory. */
    record Read(String splitId, SplitElement element, long bytes) {}

    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Read> queue = new ArrayDeque<>();
    private final Deque<Thread> waiting = new ArrayDeque<>(); // for room
    private long bytes; // those of taken elements included
    private CompletableFuture<Void> available = new CompletableFuture<>();

    private volatile boolean woken; // written under the lock

    // Confined to the task's thread.
    private final Deque<Read> taken = new ArrayDeque<>();
    private long takenBytes;

    ReadElements(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Adds an element, waiting for room; one that is larger than all room is added to an empty queue. */
    void put(Read read) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!waiting.isEmpty() || !fits(read)) {
                awaitRoom(read);
            }
            queue.addLast(read);
            bytes += read.bytes();
            available.complete(null);
        } finally {
            lock.unlock();
        }
    }

    private boolean fits(Read read) {
        return bytes == 0 || bytes + read.bytes() <= maxBytes;
    }

    private void awaitRoom(Read read) throws InterruptedException {
        Thread reader = Thread.currentThread();
        waiting.addLast(reader);
        try {
            while (!reader.equals(waiting.getFirst()) || !fits(read)) {
                room.await();
            }
        } finally {
            waiting.remove(reader);
            room.signalAll(); // there may be room for the next one too
        }
    }

    /** Returns the next element; null if there is none. */
    @Nullable
    Read poll() {
        if (taken.isEmpty()) {
            take();
        }
        return taken.pollFirst();
    }

    private void take() {
        lock.lock();
        try {
            bytes -= takenBytes;
            takenBytes = 0;
            while (!queue.isEmpty() && taken.size() < BATCH) {
                Read read = queue.removeFirst();
                takenBytes += read.bytes();
                taken.addLast(read);
            }
            if (!waiting.isEmpty()) {
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether there is no element; then none that was polled takes room. */
    boolean isEmpty() {
        if (taken.isEmpty()) {
            take();
        }
        return taken.isEmpty();
    }

    /** Lets the task look again, although there may be no element. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            available.complete(null);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the task looks now, at what it was woken for too. */
    void looking() {
        if (woken) {
            lock.lock();
            try {
                woken = false;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns a future that is complete once there is an element, or after {@link #wake}. */
    CompletableFuture<Void> available() {
        lock.lock();
        try {
            if (taken.isEmpty() && queue.isEmpty() && !woken && available.isDone()) {
                available = new CompletableFuture<>();
            }
            return available;
        } finally {
            lock.unlock();
        }
    }
}

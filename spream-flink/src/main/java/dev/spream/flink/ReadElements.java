package dev.spream.flink;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The elements that the partitions of a reader have read and the task has not emitted: one queue, limited in bytes. Its
 * readers wait for room; the task waits by a future.
 */
final class ReadElements {

    /** An element of a partition, with its size in memory. */
    record Read(String splitId, SplitElement element, long bytes) {}

    private final long maxBytes;
    private final ReentrantLock turn = new ReentrantLock(true); // elements are added in the order of their coming
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Read> queue = new ArrayDeque<>();
    private long bytes;
    private boolean woken;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    ReadElements(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Adds an element, waiting for room; one that is larger than all room is added to an empty queue. */
    void put(Read read) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            add(read);
        } finally {
            turn.unlock();
        }
    }

    private void add(Read read) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (bytes > 0 && bytes + read.bytes() > maxBytes) {
                room.await();
            }
            queue.addLast(read);
            bytes += read.bytes();
            available.complete(null);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next element; null if there is none. */
    @Nullable
    Read poll() {
        lock.lock();
        try {
            Read read = queue.pollFirst();
            if (read != null) {
                bytes -= read.bytes();
                room.signalAll();
            }
            return read;
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return queue.isEmpty();
        } finally {
            lock.unlock();
        }
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
        lock.lock();
        try {
            woken = false;
        } finally {
            lock.unlock();
        }
    }

    /** Returns a future that is complete once there is an element, or after {@link #wake}. */
    CompletableFuture<Void> available() {
        lock.lock();
        try {
            if (queue.isEmpty() && !woken && available.isDone()) {
                available = new CompletableFuture<>();
            }
            return available;
        } finally {
            lock.unlock();
        }
    }
}

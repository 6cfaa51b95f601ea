package dev.spream.sink.files;

import dev.spream.api.spi.FileFormat;
import dev.spream.core.DurationText;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects changes in memory, and commits them as files: those collected so far when the engine calls {@link #flush}, and
 * earlier once they have the maximum size. One thread commits, while further changes are collected, up to the maximum
 * size again; then calls wait. So memory is bounded by about twice that size, and the compressed files.
 *
 * <p>After a failed commit every call fails: the changes that were acknowledged before are not counted, and come again
 * after a restart. Safe for use by many threads. Closing drops what is not committed, and takes a limited time: a call to
 * the store that does not end with an interrupt is abandoned, and what it stores then is read by the next worker as that
 * of any other.
 */
final class FilesSink implements BatchConsumer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FilesSink.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10); // a third of that of the host

    private final FileFormat format;
    private final long maxSize;
    private final Committer committer;
    private final String place;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ReadOrder order = new ReadOrder(); // guarded by lock, like all below
    private List<PendingChange> collected = new ArrayList<>();
    private long size;
    private @Nullable Instant lowWatermark;
    private long taken; // batches that were taken to be committed
    private long committed; // batches that were committed
    private boolean flushing; // what is collected is to be committed, whatever its size
    private boolean closed;
    private @Nullable RuntimeException broken;

    private FilesSink(ObjectStore store, LogOwner owner, FilesOptions options, InstantSource clock) {
        this.format = options.format();
        this.maxSize = options.maxSize();
        this.committer = new Committer(store, owner, options, clock);
        this.place = store.toString();
        this.thread = Thread.ofVirtual().name("spream-files").unstarted(this::commitAll);
    }

    /**
     * Opens a sink: checks that the store fits, and reads the log. The sink closes the store.
     *
     * @throws ObjectStoreException if the store does not fit or fails, or the log is that of another subscription; the store
     *     is closed
     */
    static FilesSink open(ObjectStore store, LogOwner owner, FilesOptions options, InstantSource clock)
            throws InterruptedException {
        try {
            FilesSink sink = new FilesSink(store, owner, options, clock);
            sink.committer.check();
            sink.committer.open();
            sink.thread.start();
            return sink;
        } catch (Throwable t) {
            store.close();
            throw t;
        }
    }

    /** Collects all changes of the batch, or none. */
    @Override
    public void consume(Batch batch) throws IOException, InterruptedException {
        List<DataChangeRecord> changes = batch.changes();
        List<PendingChange> pending = new ArrayList<>(changes.size());
        for (int i = 0; i < changes.size(); i++) {
            DataChangeRecord change = changes.get(i);
            pending.add(PendingChange.of(change, batch.delivery(i), format.encode(change, batch.delivery(i))));
        }
        lock.lockInterruptibly();
        try {
            while (isUsable() && size >= maxSize) {
                changed.await();
            }
            pending.forEach(committer::requireNew);
            requireReadOrder(pending);
            collected.addAll(pending);
            pending.forEach(change -> size += change.size());
            batch.delivery(0).lowWatermark().filter(this::isLater).ifPresent(low -> lowWatermark = low);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void requireReadOrder(List<PendingChange> pending) {
        try {
            pending.forEach(order::require);
        } catch (IllegalStateException e) {
            broken = e; // what is collected must not be committed, nor anything be acknowledged
            changed.signalAll();
            throw e;
        }
    }

    private boolean isLater(Instant low) {
        return lowWatermark == null || low.isAfter(lowWatermark);
    }

    /** Commits everything that was collected before, and waits for it. */
    @Override
    public void flush() throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            long batches = collected.isEmpty() ? taken : taken + 1;
            flushing |= !collected.isEmpty();
            changed.signalAll();
            while (isUsable() && committed < batches) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** @throws IOException if a commit failed, or the sink is closed */
    private boolean isUsable() throws IOException {
        if (broken != null) {
            throw new IOException(
                    "changes could not be committed to %s: those acknowledged since the last flush are not counted, and come again after a restart. %s"
                            .formatted(place, broken.getMessage()),
                    broken);
        }
        if (closed) {
            throw new IOException("the sink on %s is closed".formatted(place));
        }
        return true;
    }

    private void commitAll() {
        lock.lock();
        try {
            while (!closed && broken == null) {
                if (flushing || size >= maxSize) {
                    commitCollected();
                } else {
                    changed.awaitUninterruptibly();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        } catch (RuntimeException | Error e) {
            broken = e instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        } finally {
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Commits what is collected; the lock, which the caller holds, is free meanwhile. */
    private void commitCollected() throws InterruptedException {
        List<PendingChange> batch = collected;
        Instant low = lowWatermark;
        collected = new ArrayList<>();
        size = 0;
        flushing = false;
        taken++;
        if (low != null) {
            order.prune(low);
        }
        changed.signalAll();
        lock.unlock();
        try {
            committer.commit(batch, low);
        } finally {
            lock.lock();
        }
        committed++;
        changed.signalAll();
    }

    /** Ends the commit in progress, and waits for its call to the store for a limited time. */
    @Override
    public void close() {
        close(CLOSE_LIMIT);
    }

    void close(Duration limit) {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
        boolean interrupted = Thread.interrupted();
        if (!isEnded(limit)) {
            log.warn(
                    "a call to {} has not returned within {} of closing, and is abandoned: its file or entry may still be stored. The changes in it come again after a restart, and count once in any case",
                    place,
                    DurationText.of(limit));
        }
        committer.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isEnded(Duration limit) {
        try {
            return thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String toString() {
        return "files in " + place;
    }
}

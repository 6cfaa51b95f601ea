package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The end of the table as all feeds of a store see it: recent events, which one thread reads while there are feeds. Safe for
 * use by many threads.
 */
final class EventTail {
    private final EventDatabase database;
    private final FinalMark mark;
    private final RecentEvents recent;
    private final ReentrantLock lock = new ReentrantLock();
    private int feeds; // guarded by lock
    private volatile boolean closed; // written under lock
    private volatile @Nullable Tailer tailer; // written under lock; there while feeds are

    EventTail(EventDatabase database, FinalMark mark, RecentEvents recent) {
        this.database = database;
        this.mark = mark;
        this.recent = recent;
    }

    RecentEvents recent() {
        return recent;
    }

    /** What is known of where everything is final. */
    FinalMark mark() {
        return mark;
    }

    /** Why nothing behind the mark can be read, if a transaction that has inserted is in the way. */
    Optional<Tailer.Shut> shut() {
        return Optional.ofNullable(tailer).flatMap(Tailer::shut);
    }

    /** Whether it is known since there are feeds up to where everything is final. */
    boolean hasLooked() {
        Tailer running = tailer;
        return running != null && running.hasLooked();
    }

    /**
     * One more feed behind that position, which leaves when it is closed.
     *
     * @return the last position that was given to anybody
     * @throws StorageException if the table cannot be read in order, or not from there, or the store is closed
     */
    long join(long position) {
        BarrierCheck.require(database);
        mark.recall();
        long given = mark.requireGiven(position);
        lock.lock();
        try {
            if (closed) {
                throw SqlErrors.permanent(
                        "reading %s failed: the store is closed; open another".formatted(database.table()));
            }
            feeds++;
            if (tailer == null) {
                tailer = Tailer.start(database, mark, recent);
            }
            return given;
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        Tailer unused = null;
        lock.lock();
        try {
            feeds--;
            if (feeds == 0) {
                unused = tailer;
                tailer = null;
            }
        } finally {
            lock.unlock();
        }
        stop(unused);
        forgetUnwanted();
    }

    /** Whoever joins again begins anew. */
    private void forgetUnwanted() {
        lock.lock();
        try {
            if (feeds == 0) {
                recent.forget();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean isBroken(Duration patience) {
        Tailer running = tailer;
        return running != null && running.isBroken(patience);
    }

    void requireWorking(Duration patience) {
        Tailer running = tailer;
        if (running != null) {
            running.requireWorking(patience);
        }
    }

    /** Feeds that are open end. */
    void close() {
        Tailer unused;
        lock.lock();
        try {
            closed = true;
            unused = tailer;
            tailer = null;
        } finally {
            lock.unlock();
        }
        recent.wakeAll();
        stop(unused);
    }

    private static void stop(@Nullable Tailer unused) {
        if (unused != null) {
            unused.close();
        }
    }
}

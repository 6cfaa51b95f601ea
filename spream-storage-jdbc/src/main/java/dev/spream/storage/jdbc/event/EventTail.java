package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.core.internal.SectionLock;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tail of the table, shared by all feeds of a store: recent events, which one thread reads while feeds are open.
 * Safe for use by many threads.
 */
final class EventTail {
    private final EventDatabase database;
    private final HighWaterMark mark;
    private final RecentEvents recent;
    private final SectionLock lock = new SectionLock();
    private int feeds; // guarded by lock
    private volatile boolean closed; // written under lock
    private volatile @Nullable Tailer tailer; // written under lock; there while feeds are

    EventTail(EventDatabase database, HighWaterMark mark, RecentEvents recent) {
        this.database = database;
        this.mark = mark;
        this.recent = recent;
    }

    RecentEvents recent() {
        return recent;
    }

    /** Returns the high-water mark as last read. */
    HighWaterMark mark() {
        return mark;
    }

    /** Returns why nothing after the mark can be read, if an open transaction that has inserted blocks it. */
    Optional<Tailer.Shut> shut() {
        return Optional.ofNullable(tailer).flatMap(Tailer::shut);
    }

    /** Returns whether the high-water mark was read since the first feed was opened. */
    boolean hasRead() {
        Tailer running = tailer;
        return running != null && running.hasRead();
    }

    /**
     * Adds a feed after that position, until it is closed.
     *
     * @return the last position that was assigned
     * @throws StorageException if the table cannot be read in order, or not from there, or the store is closed
     */
    long join(long position) {
        BarrierCheck.require(database);
        mark.recall();
        long given = mark.requireGiven(position);
        lock.run(() -> {
            if (closed) {
                throw SqlErrors.permanent(
                        "reading %s failed: the store is closed; open another".formatted(database.table()));
            }
            feeds++;
            if (tailer == null) {
                tailer = Tailer.start(database, mark, recent);
            }
        });
        return given;
    }

    void leave() {
        lock.get(() -> {
                    feeds--;
                    return feeds == 0 ? taken() : Optional.<Tailer>empty();
                })
                .ifPresent(Tailer::close);
        lock.run(() -> {
            if (feeds == 0) {
                recent.forget(); // a feed that is added later reads again
            }
        });
    }

    /** Removes the tailer and returns it to be closed; called under the lock. */
    private Optional<Tailer> taken() {
        Optional<Tailer> unused = Optional.ofNullable(tailer);
        tailer = null;
        return unused;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isBroken(Duration timeout) {
        Tailer running = tailer;
        return running != null && running.isBroken(timeout);
    }

    void requireWorking(Duration timeout) {
        Tailer running = tailer;
        if (running != null) {
            running.requireWorking(timeout);
        }
    }

    /** Ends the open feeds. */
    void close() {
        Optional<Tailer> unused = lock.get(() -> {
            closed = true;
            return taken();
        });
        recent.wakeAll();
        unused.ifPresent(Tailer::close);
    }
}

package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.core.internal.SectionLock;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of the table as all feeds of a store see it: recent events, which one thread reads while there are feeds. Safe for
 * use by many threads.
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

    /** What is known of where everything is final. */
    HighWaterMark mark() {
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
                recent.forget(); // a feed that joins later begins anew
            }
        });
    }

    /** Takes the tailer out, to be closed; called under the lock. */
    private Optional<Tailer> taken() {
        Optional<Tailer> unused = Optional.ofNullable(tailer);
        tailer = null;
        return unused;
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
        Optional<Tailer> unused = lock.get(() -> {
            closed = true;
            return taken();
        });
        recent.wakeAll();
        unused.ifPresent(Tailer::close);
    }
}

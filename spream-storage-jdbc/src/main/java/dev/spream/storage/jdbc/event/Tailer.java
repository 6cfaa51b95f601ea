package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads new events on a connection and a virtual thread of its own, until it is closed. A connection that breaks is replaced
 * by another one, and reading goes on where it was.
 *
 * <p>Closed by any thread; closing again is harmless.
 */
final class Tailer {
    private static final Logger log = LoggerFactory.getLogger(Tailer.class);

    private static final Duration LAST_LOOK = Duration.ofSeconds(1);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration MAX_DELAY = Duration.ofSeconds(5);

    private final EventDatabase database;
    private final FinalMark mark;
    private final RecentEvents recent;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable Failure failure;

    /** Since when, by the JVM's nanosecond clock, and why. */
    private record Failure(long since, SQLException cause) {}

    private Tailer(EventDatabase database, FinalMark mark, RecentEvents recent) {
        this.database = database;
        this.mark = mark;
        this.recent = recent;
        this.thread =
                Thread.ofVirtual().name("spream-events-" + database.table()).unstarted(this::run);
    }

    static Tailer start(EventDatabase database, FinalMark mark, RecentEvents recent) {
        Tailer tailer = new Tailer(database, mark, recent);
        tailer.thread.start();
        return tailer;
    }

    private void run() {
        Duration delay = FIRST_DELAY;
        while (isOpen()) {
            if (readUntilItBreaks()) {
                delay = FIRST_DELAY;
            }
            pause(delay);
            delay = delay.multipliedBy(2).compareTo(MAX_DELAY) < 0 ? delay.multipliedBy(2) : MAX_DELAY;
        }
    }

    /** Whether it worked for a while. */
    private boolean readUntilItBreaks() {
        TailSession session = null;
        try (Connection connection = database.dataSource().getConnection()) {
            session = new TailSession(connection, database, mark, recent, this);
            session.run();
        } catch (SQLException e) {
            broken(e);
        }
        return session != null && session.hasWorked();
    }

    private void broken(SQLException cause) {
        if (!isOpen()) {
            return;
        }
        Failure before = failure;
        failure = new Failure(before == null ? System.nanoTime() : before.since(), cause);
        log.atLevel(before == null ? org.slf4j.event.Level.INFO : org.slf4j.event.Level.DEBUG)
                .log(
                        "[{}] the connection that reads new events broke: {}; feeds wait until there is another",
                        database.table(),
                        cause.getMessage());
        recent.wakeAll();
    }

    /** Called by the session: it has just read. */
    void works() {
        if (failure != null) {
            failure = null;
        }
    }

    /** Whether it has failed for longer than the patience. */
    boolean isBroken(Duration patience) {
        Failure current = failure;
        return current != null && System.nanoTime() - current.since() > patience.toNanos();
    }

    /** Throws what it fails of, if that has lasted for longer than the patience. */
    void requireWorking(Duration patience) {
        Failure current = failure;
        if (current != null && isBroken(patience)) {
            throw SqlErrors.storageException("reading new events of " + database.table(), current.cause());
        }
    }

    /** Waits, unless it is closed before. */
    void pause(Duration time) {
        try {
            if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                log.trace("[{}] nobody reads any more", database.table());
            }
        } catch (InterruptedException e) {
            closed.countDown(); // nobody has this thread but this class
        }
    }

    boolean isOpen() {
        return closed.getCount() > 0;
    }

    /** Waits a moment for the connection to be given back: whoever closes this may close its pool next. */
    void close() {
        closed.countDown();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        try {
            if (!thread.join(LAST_LOOK)) {
                log.debug(
                        "[{}] the connection that reads new events is still in use, it is not waited for",
                        database.table());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

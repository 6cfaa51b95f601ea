package dev.spream.storage.jdbc.event;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads new events on a connection and a virtual thread of its own, until it is closed. After a failure of any kind it
 * continues at the same position, on another connection.
 *
 * <p>Any thread may close it; closing again has no effect.
 */
final class Tailer {
    private static final Logger log = LoggerFactory.getLogger(Tailer.class);

    /**
     * Five times the interval of reads while asleep, and less than the time for which a projection still counts as
     * caught up.
     */
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

    private static final Duration LAST_LOOK = Duration.ofSeconds(1);

    private final EventDatabase database;
    private final HighWaterMark mark;
    private final RecentEvents recent;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable Failure failure;
    private volatile @Nullable Shut shut;
    private volatile boolean looked;
    private volatile long lastWorked = System.nanoTime(); // by the JVM's nanosecond clock

    /** A failure: since when it lasts, by the JVM's nanosecond clock, and its cause. */
    private record Failure(long since, Throwable cause) {}

    /**
     * A blocked barrier: a transaction that has inserted is open.
     *
     * @param since when it was found blocked, by the JVM's nanosecond clock
     * @param given the last assigned position, about a second old
     */
    record Shut(long since, long given) {
        Duration lasted() {
            return Duration.ofNanos(System.nanoTime() - since);
        }
    }

    private Tailer(EventDatabase database, HighWaterMark mark, RecentEvents recent) {
        this.database = database;
        this.mark = mark;
        this.recent = recent;
        this.thread =
                Thread.ofVirtual().name("spream-events-" + database.table()).unstarted(this::run);
    }

    static Tailer start(EventDatabase database, HighWaterMark mark, RecentEvents recent) {
        Tailer tailer = new Tailer(database, mark, recent);
        tailer.thread.start();
        return tailer;
    }

    private void run() {
        ExponentialBackoff backoff =
                new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5), ThreadLocalRandom.current());
        while (isOpen()) {
            if (readUntilItBreaks()) {
                backoff.reset();
            }
            pause(backoff.next());
        }
    }

    /** Returns whether it worked for a while before it failed. */
    private boolean readUntilItBreaks() {
        TailSession session = null;
        try (Connection connection = database.dataSource().getConnection()) {
            session = new TailSession(connection, database, mark, recent, this);
            session.run();
        } catch (Throwable t) { // a failure that ended this thread would stop all feeds silently
            broken(t);
        }
        return session != null && session.hasWorked();
    }

    private void broken(Throwable cause) {
        if (!isOpen()) {
            return;
        }
        Failure before = failure;
        failure = new Failure(before == null ? System.nanoTime() : before.since(), cause);
        log.atLevel(before == null ? org.slf4j.event.Level.INFO : org.slf4j.event.Level.DEBUG)
                .log(
                        "[{}] reading new events failed: {}; feeds wait until it continues on another connection",
                        database.table(),
                        LoggedFailure.brief(cause));
        recent.wakeAll();
    }

    /** Called by the session after each successful read. */
    void works() {
        lastWorked = System.nanoTime();
        if (failure != null) {
            failure = null;
        }
    }

    /** Called by the session when the barrier is blocked, with the last assigned position. */
    void barrierShut(long since, long given) {
        Shut before = shut;
        shut = new Shut(before == null ? since : before.since(), given);
    }

    void barrierOpen() {
        if (shut != null) {
            shut = null;
        }
        if (!looked) {
            looked = true;
        }
    }

    /** Returns whether the barrier was open since this tailer began, so that the mark is at least that recent. */
    boolean hasRead() {
        return looked;
    }

    Optional<Shut> shut() {
        return Optional.ofNullable(shut);
    }

    /**
     * Returns whether it has failed for longer than the given time, or has waited too long for the server or for a
     * connection.
     */
    boolean isBroken(Duration timeout) {
        return hasFailed(failure, timeout) || isStuck(sinceWorked());
    }

    private static boolean hasFailed(@Nullable Failure failure, Duration timeout) {
        return failure != null && System.nanoTime() - failure.since() > timeout.toNanos();
    }

    private Duration sinceWorked() {
        return Duration.ofNanos(System.nanoTime() - lastWorked);
    }

    private static boolean isStuck(Duration sinceWorked) {
        return sinceWorked.compareTo(LONGEST_LOOK) > 0;
    }

    void requireWorking(Duration timeout) {
        String what = "reading new events of " + database.table();
        Failure current = failure;
        if (current != null && hasFailed(current, timeout)) {
            throw exception(what, current.cause());
        }
        Duration silent = sinceWorked();
        if (isStuck(silent)) {
            throw new StorageException(
                    ("%s failed: no response for %d ms, the server does not answer or the pool has no free connection;"
                                    + " events inserted since then are delivered when reading resumes")
                            .formatted(what, silent.toMillis()),
                    true,
                    null);
        }
    }

    private static StorageException exception(String what, Throwable cause) {
        return cause instanceof SQLException error
                ? SqlErrors.storageException(what, error)
                : new StorageException("%s failed: %s; it is retried".formatted(what, cause), true, cause);
    }

    void pause(Duration time) {
        try {
            if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                log.trace("[{}] there are no feeds left", database.table());
            }
        } catch (InterruptedException e) {
            closed.countDown(); // no other class has a reference to this thread
        }
    }

    boolean isOpen() {
        return closed.getCount() > 0;
    }

    /** Waits briefly until the connection is returned, because the caller may close the pool next. */
    void close() {
        closed.countDown();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        try {
            if (!thread.join(LAST_LOOK)) {
                log.debug(
                        "[{}] the connection that reads new events is still in use; closing continues without waiting for it",
                        database.table());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

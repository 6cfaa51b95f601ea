package dev.spream.storage.jdbc.outbox;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.SqlWords;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a callback for notifications of the server, on a connection and a virtual thread of its own, until it is closed.
 * A connection that breaks or does not respond is replaced; the callback then runs once more, for notifications that
 * were missed meanwhile.
 *
 * <p>May be closed by any thread; closing again has no effect.
 */
final class NotificationListener implements OutboxStore.Watch {
    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);

    /** The time without notifications after which the connection is probed. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private static final Duration LOOK_UP = Duration.ofMillis(200);
    private static final Duration LAST_LOOK = Duration.ofSeconds(1);
    private static final int MAX_SILENT = Math.toIntExact(SILENCE.dividedBy(LOOK_UP));

    private static final Duration ANSWER_TIME = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final OutboxTables tables;
    private final String self;
    private final Runnable wake;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable String server;

    private NotificationListener(DataSource dataSource, OutboxTables tables, String self, Runnable wake) {
        this.dataSource = dataSource;
        this.tables = tables;
        this.self = self;
        this.wake = wake;
        this.thread = Thread.ofVirtual().name("spream-outbox-listen-" + tables).unstarted(this::run);
    }

    /** @param self the payload of notifications to ignore */
    static NotificationListener start(DataSource dataSource, OutboxTables tables, String self, Runnable wake) {
        NotificationListener listener = new NotificationListener(dataSource, tables, self, wake);
        listener.thread.start();
        return listener;
    }

    /** Returns what identifies the server while the connection listens to it, null otherwise. */
    @Nullable
    String server() {
        return server;
    }

    private void run() {
        ExponentialBackoff backoff =
                new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5), ThreadLocalRandom.current());
        while (isOpen()) {
            if (listenUntilItBreaks()) {
                backoff.reset();
            }
            pause(backoff.next());
        }
    }

    /** Listens until the connection breaks or this is closed; returns whether listening had started. */
    private boolean listenUntilItBreaks() {
        boolean worked = false;
        try (Connection connection = dataSource.getConnection()) {
            listen(connection);
            wake.run();
            worked = true;
            receive(connection);
            Statements.execute(connection, "UNLISTEN *"); // the next user of the pooled connection does not listen
        } catch (SQLException e) {
            brokenConnection(e);
        } finally {
            server = null;
        }
        return worked;
    }

    private void brokenConnection(SQLException cause) {
        if (isOpen()) {
            log.info(
                    "[{}] the connection that listens for new entries broke: {}; workers find new entries at their next poll"
                            + " until it is replaced",
                    tables,
                    LoggedFailure.message(cause));
        }
    }

    private void listen(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(ANSWER_TIME.toMillis()));
        connection.setAutoCommit(true);
        String now = Statements.answer(
                connection, "SELECT " + SqlWords.POSTGRESQL.in(tables, PostgresOutbox.SERVER), row -> row.getString(1));
        Statements.execute(connection, "LISTEN " + tables.channel());
        server = now;
    }

    /** Receives notifications until closed, with short waits, so that it returns soon after the close. */
    private void receive(Connection connection) throws SQLException {
        PGConnection server = connection.unwrap(PGConnection.class);
        int silent = 0;
        while (isOpen()) {
            PGNotification[] heard = notifications(server, connection);
            if (heard.length > 0) {
                silent = 0;
                if (Arrays.stream(heard).anyMatch(each -> !each.getParameter().equals(self))) {
                    wake.run();
                }
            } else if (++silent >= MAX_SILENT) {
                silent = 0;
                Statements.execute(connection, "SELECT 1");
            }
        }
    }

    private static PGNotification[] notifications(PGConnection server, Connection connection) throws SQLException {
        try {
            return server.getNotifications(Math.toIntExact(LOOK_UP.toMillis()));
        } catch (SQLException e) {
            Statements.execute(connection, "SELECT 1"); // makes the pool detect the error and drop the connection
            throw e;
        }
    }

    private void pause(Duration time) {
        try {
            if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
                log.trace("[{}] there are no watchers left", tables);
            }
        } catch (InterruptedException e) {
            closed.countDown(); // no other class uses this thread
        }
    }

    private boolean isOpen() {
        return closed.getCount() > 0;
    }

    /** Waits briefly until the connection is returned, because the caller may close the pool next. */
    @Override
    public void close() {
        closed.countDown();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        try {
            if (!thread.join(LAST_LOOK)) {
                log.debug("[{}] the listening connection is still in use; closing does not wait for it", tables);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.PGConnection;

/** A call on a thread of its own that the database makes wait. */
final class BlockedCall implements AutoCloseable {
    private static final long BOUND_SECONDS = 30;

    private final JdbcLockFixture fixture;
    private final String session;
    private final FutureTask<Boolean> call;
    private final Thread thread;

    private BlockedCall(JdbcLockFixture fixture, String session, FutureTask<Boolean> call) {
        this.fixture = fixture;
        this.session = session;
        this.call = call;
        this.thread = Thread.ofVirtual().name("blocked-call").start(call);
    }

    /** The blocking call. */
    interface Body {
        void run() throws Exception;
    }

    static BlockedCall start(PostgresLockFixture fixture, Connection connection, Body body) throws SQLException {
        return start(fixture, session(connection), body);
    }

    static BlockedCall start(JdbcLockFixture fixture, String session, Body body) {
        return new BlockedCall(fixture, session, new FutureTask<>(() -> {
            body.run();
            return true;
        }));
    }

    static String session(Connection connection) throws SQLException {
        return Integer.toString(connection.unwrap(PGConnection.class).getBackendPID());
    }

    /** The session that waits, as soon as the database says that it does. */
    String awaitBlocked() {
        long end = System.nanoTime() + SECONDS.toNanos(BOUND_SECONDS);
        while (System.nanoTime() < end) {
            if (!fixture.blockersOf(session).isEmpty()) {
                return session;
            }
            if (call.isDone()) {
                throw new AssertionError("the call has ended: " + call);
            }
            LockSupport.parkNanos(2_000_000);
        }
        throw new AssertionError("the call is not blocked");
    }

    void interrupt() {
        thread.interrupt();
    }

    void awaitEnd() throws Exception {
        call.get(BOUND_SECONDS, SECONDS);
    }

    Throwable failure() throws Exception {
        try {
            call.get(BOUND_SECONDS, SECONDS);
        } catch (ExecutionException e) {
            return requireNonNull(e.getCause());
        }
        throw new AssertionError("the call succeeded");
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

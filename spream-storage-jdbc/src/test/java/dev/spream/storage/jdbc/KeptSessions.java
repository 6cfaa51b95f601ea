package dev.spream.storage.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections to a database whose sessions, once closed, are used again as good as new: the server starts a process for each. */
final class KeptSessions extends PGSimpleDataSource {
    private static final int MOST = 10;
    private static final int TIMEOUT_SECONDS = 10;

    private final transient Deque<Connection> kept = new ConcurrentLinkedDeque<>(); // the last one first

    KeptSessions(String url) {
        setUrl(url);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection session;
        while ((session = kept.poll()) != null) {
            if (session.isValid(TIMEOUT_SECONDS)) {
                return lent(session);
            }
            session.close();
        }
        return lent(super.getConnection());
    }

    /** Returns their processes as an array of PostgreSQL. */
    String processes() {
        return kept.stream().map(KeptSessions::process).collect(Collectors.joining(",", "{", "}"));
    }

    void end() throws SQLException {
        Connection session;
        while ((session = kept.poll()) != null) {
            session.close();
        }
    }

    private Connection lent(Connection session) {
        AtomicBoolean closed = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                KeptSessions.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (!closed.getAndSet(true)) {
                            keep(session);
                        }
                        return null;
                    }
                    return closed.get() ? ofClosed(method) : invoke(session, method, arguments);
                });
    }

    private static Object ofClosed(Method method) throws SQLException {
        return switch (method.getName()) {
            case "isClosed" -> true;
            case "isValid" -> false;
            default -> throw new SQLNonTransientConnectionException("this connection is closed", "08003");
        };
    }

    static @Nullable Object invoke(Connection session, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(session, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void keep(Connection session) throws SQLException {
        try {
            if (!session.isClosed() && kept.size() < MOST) {
                reset(session);
                kept.push(session);
                return;
            }
        } catch (SQLException e) {
            // it has ended
        }
        session.close();
    }

    private static void reset(Connection session) throws SQLException {
        session.setNetworkTimeout(Runnable::run, (int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        if (!session.getAutoCommit()) {
            session.rollback();
            session.setAutoCommit(true);
        }
        session.setReadOnly(false);
        try (Statement statement = session.createStatement()) {
            statement.execute("DISCARD ALL");
        }
        session.clearWarnings();
        session.unwrap(PGConnection.class).getNotifications();
        session.setNetworkTimeout(Runnable::run, 0);
    }

    private static String process(Connection session) {
        try {
            return Integer.toString(session.unwrap(PGConnection.class).getBackendPID());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

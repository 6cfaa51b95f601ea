package dev.spream.emulator.internal.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;

/**
 * A connection with an open transaction of the engine, which sees the rows of one moment and its own writes.
 *
 * @param connection a connection of {@link Engine#writer}
 * @param position the number of commits that it sees
 */
public record WriterView(Connection connection, long position) {

    /**
     * Begins the transaction of the engine; the caller makes sure that nothing commits meanwhile. A connection that fails
     * is closed.
     */
    public static WriterView begin(Connection connection, long position) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            return new WriterView(connection, position);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Returns the number of the connection, by which {@link #blocker} names it. */
    public int session() {
        return session(connection).getId();
    }

    /** Returns the number of the connection whose row this one waits for, or 0. */
    public int blocker() {
        return session(connection).getBlockingSessionId();
    }

    static SessionLocal session(Connection connection) {
        try {
            return (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }
}

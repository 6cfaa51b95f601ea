package dev.spream.emulator.internal.engine;

import java.sql.Connection;
import org.h2.engine.SessionLocal;

/**
 * A point of a transaction of the engine to which it can be rolled back. A savepoint of JDBC would be kept by the
 * connection until its next rollback.
 */
public record UndoPoint(SessionLocal session, SessionLocal.Savepoint savepoint) {

    /** Returns the present point of the connection's transaction. */
    public static UndoPoint of(Connection connection) {
        SessionLocal session = WriterView.session(connection);
        return new UndoPoint(session, session.setSavepoint());
    }

    /** Discards what was written since. */
    public void rollback() {
        session.rollbackTo(savepoint);
    }
}

package dev.spream.storage.jdbc.lock.dialect;

import dev.spream.lock.LockKey;
import dev.spream.lock.inspection.LockSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The view of locks in one kind of database. Has no state; safe for use by many threads. */
public interface LockMonitor {

    /**
     * Looks, without locks of its own.
     *
     * @param reported the sessions that report locks, which are shown if they are connected, and the keys that they
     *     report to hold
     */
    View look(Connection connection, Map<String, Set<LockKey>> reported) throws SQLException;

    /**
     * A snapshot of the sessions and their locks.
     *
     * @param at by the database's clock
     * @param complete whether every key that is held is shown
     * @param ending the statement that ends a session, with {@code ?} for its id
     * @param notes what this user may not see, and what to grant
     */
    record View(Instant at, boolean complete, List<LockSession> sessions, String ending, List<String> notes) {}
}

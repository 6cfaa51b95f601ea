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
     * Returns a view of the locks, without taking locks.
     *
     * @param reported the sessions that report locks, which are shown if they are connected, and the keys that they
     *     report as held
     */
    View look(Connection connection, Map<String, Set<LockKey>> reported) throws SQLException;

    /**
     * A snapshot of the sessions and their locks.
     *
     * @param at the time of the snapshot, by the database's clock
     * @param complete whether all held keys are shown
     * @param ending the statement that ends a session, with {@code ?} for its id
     * @param notes the information hidden from this user, and the privileges to grant
     */
    record View(Instant at, boolean complete, List<LockSession> sessions, String ending, List<String> notes) {}
}

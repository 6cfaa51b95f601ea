package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.postgresql.PGConnection;

/**
 * Prepares statements with plans that a session of the server keeps, for a lifetime. To plan a statement with
 * many parts takes several times as long as its execution. But a plan of the time when the table was small reads the
 * whole table, and the server notices the growth only with its next analysis, a minute or more later.
 *
 * <p>The server keeps a plan only if it expects no gain from the values of the parameters (PostgreSQL manual, PREPARE,
 * Notes). So these statements hide sizes from it: {@code unnest((SELECT ?::bigint[]))}, {@code LIMIT (SELECT ?::int)}.
 *
 * <p>Safe for use by many threads.
 */
public final class SessionPlans {
    private static final Duration LIFETIME = Duration.ofSeconds(1);

    /** Makes the session plan its statements anew. */
    public static final String DISCARD = "DISCARD PLANS";

    private final long lifetime;
    private final Map<PGConnection, Long> plannedSince = Collections.synchronizedMap(new WeakHashMap<>());

    /** Creates plans that are kept for a second. */
    public SessionPlans() {
        this(LIFETIME);
    }

    /** @param lifetime the age at which a session discards its plans */
    public SessionPlans(Duration lifetime) {
        this.lifetime = lifetime.toNanos();
    }

    /** Prepares a statement on a connection, which may be in a transaction. */
    PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        if (areOld(connection)) {
            Statements.execute(connection, DISCARD);
        }
        return prepareKept(connection, sql);
    }

    /** Returns whether the session has to run {@link #DISCARD} now, which the caller does. */
    public boolean areOld(Connection connection) throws SQLException {
        if (!keeps(connection)) {
            return false;
        }
        PGConnection session = connection.unwrap(PGConnection.class);
        long now = System.nanoTime();
        Long since = plannedSince.get(session);
        boolean old = since == null || now - since > lifetime;
        if (old) {
            plannedSince.put(session, now);
        }
        return old;
    }

    /** Prepares a statement, or several in one text, of a session whose plans are not old. */
    public PreparedStatement prepareKept(Connection connection, String sql) throws SQLException {
        return keeps(connection) ? connection.prepareStatement(sql) : Statements.plannedAnew(connection, sql);
    }

    /** Returns false for another driver, and where the owner of the session wants no plans to be kept. */
    private static boolean keeps(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                && connection.unwrap(PGConnection.class).getPrepareThreshold() != 0;
    }
}

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
 * Prepares statements with plans that a session of the server keeps, for {@link #LIFETIME}. To plan a statement with
 * many parts takes several times as long as its execution. But a plan of the time when the table was small reads the
 * whole table, and the server notices the growth only with its next analysis, a minute or more later.
 *
 * <p>The server keeps a plan only if it expects no gain from the values of the parameters (PostgreSQL manual, PREPARE,
 * Notes). So these statements hide sizes from it: {@code unnest((SELECT ?::bigint[]))}, {@code LIMIT (SELECT ?::int)}.
 *
 * <p>Safe for use by many threads.
 */
public final class SessionPlans {
    /** The age at which a session discards its plans. */
    static final Duration LIFETIME = Duration.ofSeconds(1);

    private final Map<PGConnection, Long> plannedSince = Collections.synchronizedMap(new WeakHashMap<>());

    /** Prepares a statement on a connection, which may be in a transaction. */
    PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return Statements.plannedAnew(connection, sql);
        }
        PGConnection session = connection.unwrap(PGConnection.class);
        if (session.getPrepareThreshold() == 0) {
            return connection.prepareStatement(sql); // its owner wants no plans to be kept
        }
        long now = System.nanoTime();
        Long since = plannedSince.get(session);
        if (since == null || now - since > LIFETIME.toNanos()) {
            Statements.execute(connection, "DISCARD PLANS");
            plannedSince.put(session, now);
        }
        return connection.prepareStatement(sql);
    }
}

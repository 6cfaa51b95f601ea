package dev.spream.storage.jdbc.projection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Takes tables away from all readers until the transaction ends, without having readers wait for long behind one that holds
 * them: each attempt is short.
 */
final class TableLocks {
    private static final Duration ATTEMPT = Duration.ofMillis(100);
    private static final String WAIT = "SELECT pg_sleep(0.05)";
    private static final Set<String> NOT_HAD = Set.of("55P03", "40P01");

    private static final String HOLDERS = """
            SELECT DISTINCT a.pid, a.application_name, extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds,
                l.relation::regclass AS name, left(a.query, 200) AS query
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            JOIN unnest(?::text[]) AS t (name) ON l.relation = t.name::regclass
            WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ORDER BY 3 DESC, 1 LIMIT 5""";

    private TableLocks() {}

    /**
     * Takes them.
     *
     * @param tables quoted, with their schemas
     * @throws IllegalStateException if somebody has one of them for as long as there is patience
     */
    static void take(ProjectionTransaction transaction, String projection, List<String> tables, StandStill stand)
            throws SQLException {
        if (tables.isEmpty()) {
            return;
        }
        while (!attempt(transaction, tables)) {
            if (stand.left().isZero()) {
                throw new IllegalStateException(
                        "the tables of projection '%s' could not be taken: %s; everything goes on as before: try again, or end that session"
                                .formatted(projection, holders(transaction, tables)));
            }
            RoundTrip wait = transaction.next();
            wait.rows(WAIT, p -> {}, row -> true);
            wait.run();
        }
    }

    private static boolean attempt(ProjectionTransaction transaction, List<String> tables) throws SQLException {
        Connection connection = transaction.connection();
        Savepoint before = connection.setSavepoint();
        try {
            StandStill.limitLocks(transaction, ATTEMPT);
            VersionSchemas.execute(
                    transaction, "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE".formatted(String.join(", ", tables)));
            return true;
        } catch (SQLException e) {
            if (!NOT_HAD.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            connection.rollback(before);
            return false;
        }
    }

    private static String holders(ProjectionTransaction transaction, List<String> tables) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> holders = trip.rows(
                HOLDERS,
                p -> p.texts(tables),
                row -> "session %d ('%s') has had %s for %d s, with: %s"
                        .formatted(
                                row.getInt("pid"),
                                row.getString("application_name"),
                                row.getString("name"),
                                row.getLong("seconds"),
                                row.getString("query").strip().replaceAll("\\s+", " ")));
        trip.run();
        return holders.isEmpty() ? "nobody has them any more" : String.join("; ", holders.list());
    }
}

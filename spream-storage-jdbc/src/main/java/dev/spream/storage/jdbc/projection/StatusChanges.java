package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.core.projection.Fence;
import dev.spream.core.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Stops projections everywhere, and lets them go on. */
final class StatusChanges {
    private static final String FAIL = """
            UPDATE @projection_states SET status = 'FAILED', epoch = epoch + 1, last_error = ?, updated_at = clock_timestamp()
            WHERE projection_name = ? AND status = 'RUNNING'
            RETURNING true""";

    private static final String PAUSE = """
            UPDATE @projection_states SET status = 'PAUSED', epoch = epoch + 1, updated_at = clock_timestamp()
            WHERE projection_name = ? AND status = 'RUNNING'
            RETURNING 'RUNNING' AS before""";

    private static final String RESUME = """
            UPDATE @projection_states p SET status = 'RUNNING', epoch = p.epoch + 1, updated_at = clock_timestamp()
            FROM (SELECT projection_name, status FROM @projection_states WHERE projection_name = ? FOR NO KEY UPDATE) AS old
            WHERE p.projection_name = old.projection_name AND old.status IN ('PAUSED', 'FAILED')
            RETURNING old.status AS before""";

    /** Of the sessions that hold the lock as one of many. A lock of 64 bits is shown as two numbers of 32. */
    private static final String HOLDERS = """
            SELECT a.pid, a.application_name, coalesce(host(a.client_addr), 'local') AS address,
                extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.mode = 'ShareLock' AND l.granted AND l.objsubid = 1
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(?, 0)
            ORDER BY a.xact_start""";

    private static final Set<String> WAITED_TOO_LONG = Set.of("55P03", "57014");

    private final ProjectionDatabase database;

    StatusChanges(ProjectionDatabase database) {
        this.database = database;
    }

    boolean fail(Fence fence, String error) {
        String projection = fence.projection();
        return database.inTransaction("stopping projection '%s' as failed".formatted(projection), transaction -> {
            RoundTrip first = transaction.first();
            RoundTrip.Rows<Boolean> held = Fences.ask(first, database.schema(), fence);
            first.run();
            if (held.isEmpty()) {
                return false;
            }
            RoundTrip trip = transaction.next();
            RoundTrip.Rows<Boolean> failed = trip.rows(
                    FAIL, p -> p.text(EventColumns.storable(error)).text(projection), row -> row.getBoolean(1));
            trip.run();
            return !failed.isEmpty();
        });
    }

    /** Waits for all who write effects, and lets nobody begin meanwhile. */
    boolean pause(String projection, Act act) {
        return database.inTransaction("pausing projection '%s'".formatted(projection), transaction -> {
            takeAlone(transaction, projection);
            return change(transaction, projection, "pause", PAUSE, act);
        });
    }

    private void takeAlone(ProjectionTransaction transaction, String projection) throws SQLException {
        RoundTrip lock = transaction.first();
        lock.rows(
                Fences.TAKE_ALONE,
                p -> p.text(Fences.lockName(database.schema(), projection)),
                row -> row.getBoolean(1));
        try {
            lock.run();
        } catch (SQLException e) {
            if (WAITED_TOO_LONG.contains(String.valueOf(e.getSQLState()))) {
                throw notHad(projection, e);
            }
            throw e;
        }
    }

    private StorageException notHad(String projection, SQLException failure) {
        List<String> holders = database.rows(
                "asking who applies events to projection '%s'".formatted(projection),
                HOLDERS,
                p -> p.text(Fences.lockName(database.schema(), projection)),
                row -> "session %d ('%s', %s), for %d s"
                        .formatted(
                                row.getInt("pid"),
                                row.getString("application_name"),
                                row.getString("address"),
                                row.getLong("seconds")));
        return new StorageException(
                "pausing projection '%s' failed: batches are still being applied to it, by %s; it goes on as before; try again, or end that session"
                        .formatted(projection, holders.isEmpty() ? "nobody any more" : String.join(", ", holders)),
                SqlErrors.isRetryable(failure),
                failure);
    }

    boolean resume(String projection, Act act) {
        return database.inTransaction("resuming projection '%s'".formatted(projection), transaction -> {
            transaction.first().update("SELECT true", p -> {}).run();
            return change(transaction, projection, "resume", RESUME, act);
        });
    }

    private static boolean change(
            ProjectionTransaction transaction, String projection, String action, String sql, Act act)
            throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<String> before = trip.rows(sql, p -> p.text(projection), row -> row.getString("before"));
        trip.run();
        if (before.isEmpty()) {
            return false;
        }
        String after = action.equals("pause") ? "PAUSED" : "RUNNING";
        AuditTable.add(transaction, projection, action, before.list().getFirst() + " -> " + after, act);
        return true;
    }
}

package dev.spream.storage.jdbc.projection.internal;

import java.io.Serial;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The advisory lock of a version in exclusive mode: its holder has waited for all transactions that write effects, and
 * blocks further ones.
 */
public final class ExclusiveVersionLock {
    /**
     * Selects the sessions that hold the lock, either one exclusively or several shared. A lock of 64 bits is shown as
     * two numbers of 32.
     */
    private static final String HOLDERS = """
            SELECT l.mode = 'ExclusiveLock' AS alone, a.pid, a.application_name, coalesce(host(a.client_addr), 'local') AS address,
                extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds, left(a.query, 200) AS query
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(?, 0)
            ORDER BY a.xact_start""";

    private static final Set<String> WAITED_TOO_LONG = Set.of("55P03", "57014");

    private ExclusiveVersionLock() {}

    /** Thrown if the lock could not be taken in time. */
    public static final class NotHad extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        private final SQLException failure;

        NotHad(SQLException failure) {
            super(failure);
            this.failure = failure;
        }

        SQLException failure() {
            return failure;
        }
    }

    /**
     * Takes the lock until the end of the transaction, which has begun.
     *
     * @throws NotHad if that took longer than the lock or statement timeout
     */
    public static void take(ProjectionTransaction transaction, String state) throws SQLException, NotHad {
        take(transaction, state, Fences.TAKE_ALONE);
    }

    /**
     * Takes the lock shared, as transactions that write effects do: it cannot be taken exclusively until the
     * transaction ends.
     */
    static void share(ProjectionTransaction transaction, String state) throws SQLException, NotHad {
        take(transaction, state, Fences.SHARE);
    }

    private static void take(ProjectionTransaction transaction, String state, String how) throws SQLException, NotHad {
        try {
            transaction.rows(how, p -> p.text(Fences.lockName(transaction.schema(), state)), row -> row.getBoolean(1));
        } catch (SQLException e) {
            if (isLockTimeout(e)) {
                throw new NotHad(e);
            }
            throw e;
        }
    }

    public static boolean isLockTimeout(SQLException failure) {
        return WAITED_TOO_LONG.contains(String.valueOf(failure.getSQLState()));
    }

    private record Holder(boolean alone, String session) {}

    /** Returns the sessions that block the lock, queried on another connection. */
    public static String holders(ProjectionDatabase database, String state) {
        List<Holder> holders = database.rows(
                "finding the sessions that apply events to projection '%s'".formatted(state),
                HOLDERS,
                p -> p.text(Fences.lockName(database.schema(), state)),
                row -> new Holder(
                        row.getBoolean("alone"),
                        "session %d ('%s', %s), %s"
                                .formatted(
                                        row.getInt("pid"),
                                        row.getString("application_name"),
                                        row.getString("address"),
                                        SessionTexts.since(row))));
        String sessions = holders.isEmpty()
                ? "sessions that have ended"
                : holders.stream().map(Holder::session).collect(Collectors.joining(", "));
        return holders.stream().anyMatch(Holder::alone)
                ? "it is quiesced, for a cutover, a comparison or a pause, by " + sessions
                : "batches are still being applied, by " + sessions;
    }
}

package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.SessionTexts;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Waits until no transaction reads by a snapshot in which a version is missing or incomplete. A transaction at
 * REPEATABLE READ, or a long statement that reads the tables late, finds the new ones by their name after a cutover,
 * but only those of their rows that were committed before its snapshot. Both versions continue during the wait.
 * Confined to one thread.
 *
 * <p>The transactions with a snapshot are listed once, when the other version has passed the position of the live one;
 * a snapshot taken later includes everything up to that position. The server shows only the oldest transaction that was
 * still running when a snapshot was taken, so it waits for some transactions unnecessarily: one at READ COMMITTED whose
 * last snapshot the driver keeps until its next statement, and one that writes, or reads while an old writer runs,
 * until it ends or is observed without a snapshot.
 */
record SnapshotBarrier(ProjectionTransaction transaction, LiveAndCandidate pair, long end) {
    private static final String POSITIONS =
            "SELECT s.segment, s.position FROM @projection_segments s WHERE s.projection = ? ORDER BY s.segment";

    private static final String WAIT = "SELECT pg_sleep(0.02)";

    private static final String OLDEST_RUNNING =
            "SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS oldest_running";

    /** Clears the list of sessions, which the server otherwise keeps in a transaction as of the first query. */
    private static final String FORGET_SESSIONS = "SELECT pg_stat_clear_snapshot()";

    /**
     * Selects the transactions with a snapshot. Excludes vacuums, which read no tables by name, the server's own
     * processes, which have no user, and this transaction.
     */
    private static final String HOLDERS = """
            SELECT l.virtualtransaction, a.pid, a.application_name, CASE WHEN a.query = '<insufficient privilege>' THEN 'address not known'
                    ELSE coalesce(host(a.client_addr), 'local') END AS address,
                extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds, left(a.query, 200) AS query
            FROM pg_stat_activity a
            JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'virtualxid' AND l.virtualxid = l.virtualtransaction
            WHERE a.datname = current_database() AND a.usesysid IS NOT NULL AND a.pid <> pg_backend_pid()
                AND age(a.backend_xmin) >= age(?::xid)
                AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
            ORDER BY a.xact_start, a.pid""";

    /** A transaction with a snapshot. */
    private record Holder(String transaction, int session, String application, String address, String doing) {
        static Holder read(ResultSet row) throws SQLException {
            return new Holder(
                    row.getString("virtualtransaction"),
                    row.getInt("pid"),
                    row.getString("application_name"),
                    row.getString("address"),
                    SessionTexts.doing(row));
        }

        @Override
        public String toString() {
            return "session %d ('%s', %s), %s".formatted(session, application, address, doing);
        }
    }

    /**
     * Waits if the version has tables.
     *
     * @param timeout the longest wait
     * @throws IllegalStateException if the timeout is exceeded: the other version has not reached the position of the
     *     live one, or a session still reads by an old snapshot; or if the other version was stopped, or the live one
     *     paused
     */
    static void await(ProjectionTransaction transaction, LiveAndCandidate pair, Duration timeout) throws SQLException {
        if (pair.other().ownSchema().isEmpty()) {
            return;
        }
        SnapshotBarrier snapshots = new SnapshotBarrier(transaction, pair, System.nanoTime() + timeout.toNanos());
        snapshots.awaitPassed();
        snapshots.awaitEnded();
    }

    private void awaitPassed() throws SQLException {
        List<Position> wanted = positions(pair.live());
        while (isBehind(wanted)) {
            Optional<SegmentLag> furthest = isOver() ? SegmentLag.find(transaction, pair) : Optional.empty();
            if (furthest.isPresent()) {
                throw furthest.get().refusal(pair);
            }
            sleep();
        }
    }

    private record Position(int segment, long position) {}

    private List<Position> positions(VersionTable.Stored version) throws SQLException {
        return transaction.rows(
                POSITIONS,
                p -> p.text(version.state()),
                row -> new Position(row.getInt("segment"), row.getLong("position")));
    }

    /** Returns whether a segment of the other version has not reached its position. */
    private boolean isBehind(List<Position> wanted) throws SQLException {
        List<Position> behind = new ArrayList<>(wanted);
        for (Position at : positions(pair.other())) {
            behind.removeIf(one -> one.segment() == at.segment() && one.position() <= at.position());
        }
        return !behind.isEmpty();
    }

    private void awaitEnded() throws SQLException {
        String oldestRunning = transaction.row(OLDEST_RUNNING, p -> {}, row -> row.getString("oldest_running"));
        List<Holder> holders = holders(oldestRunning);
        Set<String> awaited = transactions(holders);
        while (!awaited.isEmpty()) {
            if (isOver()) {
                throw held(holders.stream()
                        .filter(holder -> awaited.contains(holder.transaction()))
                        .toList());
            }
            sleep();
            holders = holders(oldestRunning);
            awaited.retainAll(transactions(holders));
        }
    }

    private IllegalStateException held(List<Holder> holders) {
        return new IllegalStateException(
                "version %d of projection '%s' was not made live, since a session with an older snapshot could miss rows: %s; nothing was changed: try again when that session has ended, with a longer timeout, or end it"
                        .formatted(
                                pair.other().version().version(),
                                pair.projection(),
                                holders.stream().limit(5).map(Holder::toString).collect(Collectors.joining("; "))));
    }

    private static Set<String> transactions(List<Holder> holders) {
        return holders.stream().map(Holder::transaction).collect(Collectors.toCollection(TreeSet::new));
    }

    private List<Holder> holders(String oldestRunning) throws SQLException {
        StatementBatch trip = transaction.next();
        trip.rows(FORGET_SESSIONS, p -> {}, row -> true);
        List<Holder> holders = trip.rows(HOLDERS, p -> p.text(oldestRunning), Holder::read);
        trip.run();
        return holders;
    }

    private boolean isOver() {
        return System.nanoTime() - end >= 0;
    }

    private void sleep() throws SQLException {
        StatementBatch wait = transaction.next();
        wait.rows(WAIT, p -> {}, row -> true);
        List<PairStatus> status = PairStatus.ask(wait, pair);
        wait.run();
        status.getFirst().requireExchangeable(pair);
    }
}

package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The assignment of segments to workers: a worker sends the entries of its own segments. Segments prevent workers from
 * competing for the same keys; the order of entries does not depend on them.
 */
record WorkerSegments(OutboxDatabase database) {
    private static final String REGISTER = """
            INSERT INTO @workers (owner, alive_until) VALUES (?, clock_timestamp() + ? * interval '1 microsecond')
            ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until""";

    /** Counts the active workers. Executed after the worker's own row was written, so that it is included. */
    private static final String COUNT = "SELECT count(*) AS alive FROM @workers WHERE alive_until > clock_timestamp()";

    /**
     * Removes inactive workers, in the order of their names, so that workers which remove the same ones do not
     * deadlock.
     */
    private static final String FORGET = """
            DELETE FROM @workers WHERE owner IN (
                SELECT owner FROM @workers WHERE alive_until <= clock_timestamp() ORDER BY owner FOR UPDATE SKIP LOCKED)""";

    /**
     * Releases, renews and claims segments. A worker keeps its segments, even after their leases expired, until another
     * worker has claimed them.
     */
    private static final String HOLD = """
            WITH mine AS MATERIALIZED (
                SELECT segment, segment = ANY (?::int[]) AS is_surplus FROM @segments WHERE owner = ? ORDER BY segment FOR NO KEY UPDATE
            ), open AS MATERIALIZED (
                SELECT segment FROM @segments
                WHERE (owner IS NULL OR owner <> ? AND lease_until <= clock_timestamp()) AND segment <> ALL (?::int[])
                ORDER BY segment
                LIMIT greatest(0, ? - (SELECT count(*) FROM mine WHERE NOT is_surplus)) FOR NO KEY UPDATE SKIP LOCKED
            ), changed AS (
                SELECT segment, CASE WHEN is_surplus THEN 'freed' ELSE 'kept' END AS change FROM mine
                UNION ALL SELECT segment, 'taken' FROM open
            )
            UPDATE @segments l SET
                owner = CASE changed.change WHEN 'freed' THEN NULL ELSE ? END,
                lease_until = CASE changed.change WHEN 'freed' THEN NULL ELSE clock_timestamp() + ? * interval '1 microsecond' END,
                epoch = l.epoch + CASE changed.change WHEN 'taken' THEN 1 ELSE 0 END
            FROM changed WHERE l.segment = changed.segment
            RETURNING l.segment, l.epoch, l.owner""";

    private static final String LEAVE = """
            UPDATE @segments l SET owner = NULL, lease_until = NULL
            FROM (SELECT segment FROM @segments WHERE owner = ? ORDER BY segment FOR NO KEY UPDATE) AS mine
            WHERE l.segment = mine.segment""";

    private static final String UNREGISTER = "DELETE FROM @workers WHERE owner = ?";

    OutboxSegmentShare hold(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        long micros = JdbcTimestamps.micros(lease);
        return database.inTransaction("holding segments of " + database.tables(), transaction -> {
            transaction.update(REGISTER, p -> p.text(owner.toString()).number(micros));
            transaction.update(FORGET, p -> {});
            int share = share(transaction);
            List<OutboxSegmentLease> held = held(transaction, owner.toString(), giveUp, share, micros);
            return new OutboxSegmentShare(held, share);
        });
    }

    private static int share(Statements transaction) throws SQLException {
        int workers = transaction.row(COUNT, p -> {}, row -> row.getInt("alive"));
        return Math.ceilDiv(OutboxSegmentLease.SEGMENTS, Math.max(1, workers));
    }

    private static List<OutboxSegmentLease> held(
            Statements transaction, String owner, Collection<Integer> giveUp, int share, long micros)
            throws SQLException {
        return transaction
                .rows(
                        HOLD,
                        p -> p.integers(giveUp)
                                .text(owner)
                                .text(owner)
                                .integers(giveUp)
                                .number(share)
                                .text(owner)
                                .number(micros),
                        row -> row.getString("owner") == null
                                ? Optional.<OutboxSegmentLease>empty()
                                : Optional.of(new OutboxSegmentLease(row.getInt("segment"), row.getLong("epoch"))))
                .stream()
                .flatMap(Optional::stream)
                .sorted(Comparator.comparingInt(OutboxSegmentLease::segment))
                .toList();
    }

    void leave(OutboxOwner owner) {
        database.inTransaction("releasing the segments of " + database.tables(), transaction -> {
            transaction.update(LEAVE, p -> p.text(owner.toString()));
            return transaction.update(UNREGISTER, p -> p.text(owner.toString()));
        });
    }
}

package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The assignment of segments to workers: a worker sends the entries of its own segments. Segments prevent workers from
 * competing for the same keys; the order of entries does not depend on them.
 */
record MySqlSegments(OutboxDatabase database) {
    private static final String REGISTER = """
            INSERT INTO @workers (owner, alive_until) VALUES (?, @now + INTERVAL ? MICROSECOND)
            ON DUPLICATE KEY UPDATE alive_until = @now + INTERVAL ? MICROSECOND""";

    /** Counts the active workers. Executed after the worker's own row was written, so that it is included. */
    private static final String COUNT = "SELECT COUNT(*) AS alive FROM @workers WHERE alive_until > @now";

    private static final String INACTIVE =
            "SELECT owner FROM @workers WHERE alive_until <= @now ORDER BY owner FOR UPDATE SKIP LOCKED";

    private static final String FORGET = "DELETE FROM @workers WHERE owner IN (*)";

    private static final String MINE = """
            SELECT segment, epoch FROM @segments FORCE INDEX (owner) WHERE owner = ? ORDER BY segment FOR UPDATE""";

    private static final String OPEN = """
            SELECT segment, epoch FROM @segments
            WHERE (owner IS NULL OR owner <> ? AND lease_until <= @now) AND segment NOT IN (*)
            ORDER BY segment LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String TAKE = """
            UPDATE @segments SET owner = ?, lease_until = @now + INTERVAL ? MICROSECOND, epoch = epoch + 1
            WHERE segment IN (*)""";

    private static final String KEEP = """
            UPDATE @segments SET lease_until = @now + INTERVAL ? MICROSECOND WHERE segment IN (*)""";

    private static final String FREE = "UPDATE @segments SET owner = NULL, lease_until = NULL WHERE segment IN (*)";

    private static final String UNREGISTER = "DELETE FROM @workers WHERE owner = ?";

    /** A number that no segment has, for a list that would be empty. */
    private static final int NONE = -1;

    OutboxSegmentShare hold(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        long micros = JdbcTimestamps.micros(lease);
        return database.inTransaction("holding segments of " + database.tables(), transaction -> {
            transaction.update(
                    REGISTER, p -> p.text(owner.toString()).number(micros).number(micros));
            forgetInactive(transaction);
            int share = share(transaction);
            return new OutboxSegmentShare(held(transaction, owner.toString(), giveUp, share, micros), share);
        });
    }

    /** Removes inactive workers; those that another worker is removing are skipped. */
    private static void forgetInactive(Statements transaction) throws SQLException {
        List<String> inactive = transaction.rows(INACTIVE, p -> {}, row -> row.getString("owner"));
        if (!inactive.isEmpty()) {
            transaction.update(Placeholders.in(FORGET, inactive), p -> Placeholders.texts(p, inactive));
        }
    }

    private static int share(Statements transaction) throws SQLException {
        int workers = transaction.row(COUNT, p -> {}, row -> row.getInt("alive"));
        return Math.ceilDiv(OutboxSegmentLease.SEGMENTS, Math.max(1, workers));
    }

    /**
     * Releases, renews and claims segments. A worker keeps its segments, even after their leases expired, until another
     * worker has claimed them.
     */
    private static List<OutboxSegmentLease> held(
            Statements transaction, String owner, Set<Integer> giveUp, int share, long micros) throws SQLException {
        List<OutboxSegmentLease> mine = transaction.rows(MINE, p -> p.text(owner), MySqlSegments::read);
        List<OutboxSegmentLease> kept = mine.stream()
                .filter(segment -> !giveUp.contains(segment.segment()))
                .toList();
        List<OutboxSegmentLease> open = open(transaction, owner, giveUp, share - kept.size());
        write(transaction, FREE, numbers(mine, giveUp::contains), p -> {});
        write(transaction, KEEP, numbers(kept, segment -> true), p -> p.number(micros));
        write(
                transaction,
                TAKE,
                numbers(open, segment -> true),
                p -> p.text(owner).number(micros));
        List<OutboxSegmentLease> held = new ArrayList<>(kept);
        open.forEach(segment -> held.add(new OutboxSegmentLease(segment.segment(), segment.epoch() + 1)));
        held.sort(Comparator.comparingInt(OutboxSegmentLease::segment));
        return held;
    }

    private static List<OutboxSegmentLease> open(Statements transaction, String owner, Set<Integer> excluded, int limit)
            throws SQLException {
        if (limit <= 0) {
            return List.of();
        }
        Collection<Integer> others = excluded.isEmpty() ? List.of(NONE) : excluded;
        return transaction.rows(
                Placeholders.in(OPEN, others),
                p -> Placeholders.integers(p.text(owner), others).number(limit),
                MySqlSegments::read);
    }

    private static OutboxSegmentLease read(ResultSet row) throws SQLException {
        return new OutboxSegmentLease(row.getInt("segment"), row.getLong("epoch"));
    }

    private static List<Integer> numbers(List<OutboxSegmentLease> segments, IntPredicate which) {
        return segments.stream()
                .map(OutboxSegmentLease::segment)
                .filter(which::test)
                .toList();
    }

    private static void write(Statements transaction, String sql, List<Integer> segments, Database.Binder values)
            throws SQLException {
        if (!segments.isEmpty()) {
            transaction.update(Placeholders.in(sql, segments), p -> {
                values.bind(p);
                Placeholders.integers(p, segments);
            });
        }
    }

    void leave(OutboxOwner owner) {
        database.inTransaction("releasing the segments of " + database.tables(), transaction -> {
            List<OutboxSegmentLease> mine = transaction.rows(MINE, p -> p.text(owner.toString()), MySqlSegments::read);
            write(transaction, FREE, numbers(mine, segment -> true), p -> {});
            return transaction.update(UNREGISTER, p -> p.text(owner.toString()));
        });
    }
}

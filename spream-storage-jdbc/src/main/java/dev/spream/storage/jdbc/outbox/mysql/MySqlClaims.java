package dev.spream.storage.jdbc.outbox.mysql;

import static java.util.stream.Collectors.joining;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.ClaimRow;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Claims entries for workers: locks rows that are not locked, looks each up in the ledger, and writes the outcome. */
record MySqlClaims(OutboxDatabase database) {
    private static final String COLUMNS = """
            o.id, o.idempotency_key, o.generation, o.request_digest, o.order_request_json AS payload, o.payload_type, o.destination,
            o.ordering_key, o.traceparent, o.created_at, o.expires_at, o.claim_token, o.attempts, o.outcome_unknown, o.status, o.segment,
            @now AS claimed_at""";

    private static final String UNEXPIRED = "(o.expires_at IS NULL OR o.expires_at > @now)";

    /** The index lists the entries that are due and those whose lease has expired, the longest due first. */
    static final String ANY = """
            SELECT %s FROM @outbox o FORCE INDEX (due)
            WHERE o.destination = ? AND o.due_at <= @now AND (o.status = 'sending' OR %s)
            ORDER BY o.due_at, o.id LIMIT ? FOR UPDATE SKIP LOCKED""".formatted(COLUMNS, UNEXPIRED);

    private static final String HELD_SEGMENTS = """
            SELECT segment, epoch FROM @segments WHERE owner = ? AND lease_until > @now AND segment IN (*)""";

    static final String ORDERED = """
            SELECT %s FROM @outbox o FORCE INDEX (PRIMARY)
            WHERE o.id IN (*) AND (o.status IN ('pending', 'failed') AND o.next_run_at <= @now AND %s
                OR o.status = 'sending' AND o.lease_until <= @now) AND o.segment IS NOT NULL
            ORDER BY o.id FOR UPDATE SKIP LOCKED""".formatted(COLUMNS, UNEXPIRED);

    /**
     * Selects those entries that wait for an earlier one of their keys, or for a later one that is being sent, which is
     * possible after a requeue by an operator.
     */
    static final String WAITING = """
            SELECT o.id FROM @outbox o
            WHERE o.id IN (*)
                AND (%s OR EXISTS (SELECT 1 FROM @outbox later FORCE INDEX (key_order)
                        WHERE later.ordering_key = o.ordering_key AND later.destination = o.destination
                            AND later.status = 'sending' AND later.id > o.id AND later.lease_until > @now))""".formatted(
            Stream.of("pending", "sending", "failed").map(MySqlClaims::earlier).collect(joining(" OR ")));

    /** Compares with the first entry of the key that has the status, one entry of the index. */
    private static String earlier(String status) {
        return """
                o.id > (SELECT e.id FROM @outbox e FORCE INDEX (key_order)
                    WHERE e.ordering_key = o.ordering_key AND e.destination = o.destination AND e.status = '%s'
                    ORDER BY e.id LIMIT 1)""".formatted(status);
    }

    private static final String CLAIM = """
            UPDATE @outbox SET outcome_unknown = outcome_unknown OR status = 'sending', status = 'sending',
                claim_token = claim_token + 1, attempts = attempts + 1, locked_by = ?, locked_at = ?,
                lease_until = CAST(? AS DATETIME(6)) + INTERVAL ? MICROSECOND, updated_at = ?
            WHERE id IN (*)""";

    /** A locked entry, as it was before the claim. */
    private record Candidate(ClaimRow row, int segment, boolean wasSending, String serverTime, Instant claimedAt) {
        static Candidate read(ResultSet row) throws SQLException {
            return new Candidate(
                    ClaimRow.read(row),
                    row.getInt("segment"),
                    row.getString("status").equals("sending"),
                    row.getString("claimed_at"),
                    JdbcTimestamps.clock(row, "claimed_at"));
        }

        OutboxEntry entry() {
            return row.entry();
        }

        LedgerLocks.Request request() {
            return new LedgerLocks.Request(entry().idempotencyKey(), entry().generation());
        }

        OutboxClaim claim() {
            return new OutboxClaim(
                    entry(), row.token() + 1, row.attempts() + 1, row.outcomeUnknown() || wasSending, claimedAt);
        }
    }

    ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return database.inTransaction("claiming entries of " + database.tables(), transaction -> {
            List<Candidate> due = transaction.rows(ANY, p -> p.text(destination).number(limit), Candidate::read);
            return take(transaction, due, owner, lease);
        });
    }

    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        if (segments.isEmpty() || ids.isEmpty()) {
            return new ClaimResult(List.of(), 0, 0, 0);
        }
        String what = "claiming %d ordered entries of %s".formatted(ids.size(), database.tables());
        return database.inTransaction(what, transaction -> {
            Set<Integer> held = held(transaction, owner, segments);
            List<Candidate> due = held.isEmpty() ? List.of() : first(transaction, ids, held);
            return take(transaction, due, owner, lease);
        });
    }

    /** Returns the segments that the worker holds in these epochs. */
    private static Set<Integer> held(Statements transaction, OutboxOwner owner, Collection<OutboxSegmentLease> segments)
            throws SQLException {
        List<Integer> numbers =
                segments.stream().map(OutboxSegmentLease::segment).toList();
        Set<Integer> held = new HashSet<>();
        for (OutboxSegmentLease stored : transaction.rows(
                Placeholders.in(HELD_SEGMENTS, numbers),
                p -> Placeholders.integers(p.text(owner.toString()), numbers),
                row -> new OutboxSegmentLease(row.getInt("segment"), row.getLong("epoch")))) {
            if (segments.contains(stored)) {
                held.add(stored.segment());
            }
        }
        return held;
    }

    /**
     * Locks entries that are due, and returns those that are the first of their keys. Whether they are is read after
     * they are locked; an entry that has no unsettled one before it never gets one.
     */
    private static List<Candidate> first(Statements transaction, Collection<Long> ids, Set<Integer> segments)
            throws SQLException {
        Set<Long> asked = Set.copyOf(ids);
        List<Candidate> due =
                transaction
                        .rows(Placeholders.in(ORDERED, asked), p -> Placeholders.numbers(p, asked), Candidate::read)
                        .stream()
                        .filter(each -> segments.contains(each.segment()))
                        .toList();
        if (due.isEmpty()) {
            return due;
        }
        List<Long> locked = due.stream().map(each -> each.entry().id()).toList();
        Set<Long> waiting = Set.copyOf(transaction.rows(
                Placeholders.in(WAITING, locked), p -> Placeholders.numbers(p, locked), row -> row.getLong("id")));
        return due.stream().filter(each -> !waiting.contains(each.entry().id())).toList();
    }

    /**
     * Claims locked entries, or lets them take over the ledger's result. If that changes afterwards, the settlement of
     * the claim takes it over.
     */
    private ClaimResult take(Statements transaction, List<Candidate> due, OutboxOwner owner, Duration lease)
            throws SQLException {
        LedgerLocks ledger = new LedgerLocks(database, transaction);
        Map<LedgerLocks.Request, LedgerLocks.Known> requests =
                ledger.read(due.stream().map(Candidate::request).toList());
        List<Candidate> claimed = new ArrayList<>();
        EntryWrites writes = new EntryWrites();
        int synchronised = 0;
        int conflicts = 0;
        for (Candidate each : due) {
            LedgerLocks.Known known = requests.get(each.request());
            if (known == null) {
                ledger.begin(each.request(), each.entry().requestDigest());
                claimed.add(each);
            } else if (!known.digest().equals(each.entry().requestDigest())) {
                writes.add(each.entry().id(), EntryWrites.Change.conflict().takingOver());
                conflicts++;
            } else if (known.isSettled()) {
                writes.add(
                        each.entry().id(),
                        EntryWrites.Change.synchronised(known).takingOver());
                synchronised++;
            } else {
                claimed.add(each);
            }
        }
        writes.write(transaction);
        if (!claimed.isEmpty()) {
            write(transaction, claimed, owner, lease);
        }
        return new ClaimResult(
                claimed.stream().map(Candidate::claim).toList(),
                Math.toIntExact(claimed.stream().filter(Candidate::wasSending).count()),
                synchronised,
                conflicts);
    }

    private static void write(Statements transaction, List<Candidate> claimed, OutboxOwner owner, Duration lease)
            throws SQLException {
        String at = claimed.getFirst().serverTime();
        List<Long> ids = claimed.stream().map(each -> each.entry().id()).toList();
        transaction.update(
                Placeholders.in(CLAIM, ids),
                p -> Placeholders.numbers(
                        p.text(owner.toString())
                                .text(at)
                                .text(at)
                                .number(JdbcTimestamps.micros(lease))
                                .text(at),
                        ids));
    }
}

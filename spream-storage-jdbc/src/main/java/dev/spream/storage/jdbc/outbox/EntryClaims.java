package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.outbox.dialect.ClaimRow;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Claims entries for workers, in one statement for each call: it locks rows that are not locked, looks each up in the
 * ledger, and writes the claim or the stored result. The server's time is read in subqueries, because a volatile
 * function cannot be used in an index search.
 */
record EntryClaims(OutboxDatabase database) {
    /** The number of entries up to which a claim is planned for few rows. */
    private static final int FEW = 1_000;

    /**
     * Selects the entries that are longest due, from those that are due and those whose lease has expired. Each part
     * selects up to the limit, so that their union has enough rows; surplus rows are unlocked at the end of the
     * statement. The constant limit lets the server plan for few rows; the rows beyond the other are not locked.
     */
    private static final String ANY = """
            WITH due AS MATERIALIZED (
                SELECT * FROM (
                    SELECT o.id, o.idempotency_key, o.generation, o.request_digest, o.status AS was, o.next_run_at AS due_at
                    FROM @outbox o
                    WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL AND o.destination = ?
                        AND o.next_run_at <= (SELECT clock_timestamp())
                        AND (o.expires_at IS NULL OR o.expires_at > (SELECT clock_timestamp()))
                    ORDER BY o.next_run_at, o.id LIMIT @few FOR NO KEY UPDATE SKIP LOCKED) AS rows_due
                LIMIT (SELECT ?::int)
            ), lapsed AS MATERIALIZED (
                SELECT * FROM (
                    SELECT o.id, o.idempotency_key, o.generation, o.request_digest, o.status AS was, o.lease_until AS due_at
                    FROM @outbox o
                    WHERE o.status = 'sending' AND o.segment IS NULL AND o.destination = ? AND o.lease_until <= (SELECT clock_timestamp())
                    ORDER BY o.lease_until, o.id LIMIT @few FOR NO KEY UPDATE SKIP LOCKED) AS rows_lapsed
                LIMIT (SELECT ?::int)
            ), chosen AS MATERIALIZED (
                SELECT * FROM (SELECT * FROM due UNION ALL SELECT * FROM lapsed) AS both_kinds
                ORDER BY due_at, id LIMIT (SELECT ?::int)
            )""";

    /**
     * Selects those of the given entries that are due and the first of their keys. An entry is excluded while a later
     * one of its key is being sent, which is possible after a requeue by an operator.
     */
    private static final String ORDERED = """
            WITH segment AS MATERIALIZED (
                SELECT held.segment FROM unnest((SELECT ?::int[]), (SELECT ?::bigint[])) AS asked (segment, epoch)
                CROSS JOIN (SELECT ?::text AS owner) AS worker
                CROSS JOIN LATERAL (
                    SELECT l.segment FROM @segments l
                    WHERE l.segment = asked.segment AND l.epoch = asked.epoch AND l.owner = worker.owner
                        AND l.lease_until > clock_timestamp()
                    LIMIT 1) AS held
            ), chosen AS MATERIALIZED (
                SELECT locked.* FROM (SELECT DISTINCT id FROM unnest((SELECT ?::bigint[])) AS asked (id) ORDER BY id) AS asked
                CROSS JOIN LATERAL (
                    SELECT o.id, o.idempotency_key, o.generation, o.request_digest, o.status AS was, o.id AS due_at
                    FROM @outbox o
                    WHERE o.id = asked.id AND o.segment = ANY (ARRAY(SELECT segment FROM segment))
                        AND (o.status IN ('pending', 'failed') AND o.next_run_at <= clock_timestamp()
                                AND (o.expires_at IS NULL OR o.expires_at > clock_timestamp())
                            OR o.status = 'sending' AND o.lease_until <= clock_timestamp())
                        AND NOT EXISTS (SELECT FROM @outbox earlier
                            WHERE earlier.ordering_key = o.ordering_key AND earlier.destination = o.destination
                                AND earlier.id < o.id
                                AND earlier.status IN ('pending', 'sending', 'failed'))
                        AND NOT EXISTS (SELECT FROM @outbox later
                            WHERE later.ordering_key = o.ordering_key AND later.destination = o.destination
                                AND later.id > o.id AND later.status = 'sending' AND later.lease_until > clock_timestamp())
                    LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED) AS locked
            )""";

    /**
     * Looks the selected entries up in the ledger and writes the outcome. The ledger is read as of the start of the
     * statement; if it changes afterwards, the settlement of the claim takes over its result.
     */
    private static final String REST = """
            , judged AS MATERIALIZED (
                SELECT chosen.*, clock_timestamp() AS claimed_at, l.status AS ledger_status, l.reason_code,
                    CASE
                        WHEN l.status IS NULL THEN 'claimed'
                        WHEN l.request_digest <> chosen.request_digest THEN 'conflict'
                        WHEN l.status = 'in_progress' THEN 'claimed'
                        ELSE 'synchronised'
                    END AS verdict
                FROM chosen LEFT JOIN LATERAL (
                    SELECT * FROM @ledger l
                    WHERE l.idempotency_key = chosen.idempotency_key AND l.generation = chosen.generation
                    LIMIT 1) AS l ON true
            ), adopted AS (
                INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
                SELECT idempotency_key, generation, request_digest, 'in_progress', clock_timestamp(), clock_timestamp()
                FROM judged WHERE ledger_status IS NULL
                ON CONFLICT DO NOTHING
            ), written AS (
                UPDATE @outbox o SET
                    status = CASE
                        WHEN j.verdict = 'claimed' THEN 'sending'
                        WHEN j.verdict = 'synchronised' AND j.ledger_status = 'succeeded' THEN 'succeeded'
                        ELSE 'aborted'
                    END,
                    claim_token = o.claim_token + 1,
                    attempts = o.attempts + CASE j.verdict WHEN 'claimed' THEN 1 ELSE 0 END,
                    outcome_unknown = j.verdict = 'claimed' AND (o.outcome_unknown OR j.was = 'sending'),
                    last_error_code = CASE
                        WHEN j.verdict = 'conflict' THEN '%s'
                        WHEN j.ledger_status = 'failed' THEN coalesce(j.reason_code, '%s')
                        ELSE o.last_error_code
                    END,
                    last_error_msg = CASE j.verdict
                        WHEN 'conflict' THEN 'the ledger has another request under this key'
                        ELSE o.last_error_msg
                    END,
                    locked_by = CASE j.verdict WHEN 'claimed' THEN ? END,
                    locked_at = CASE j.verdict WHEN 'claimed' THEN j.claimed_at END,
                    lease_until = CASE j.verdict WHEN 'claimed' THEN j.claimed_at + ? * interval '1 microsecond' END,
                    updated_at = j.claimed_at
                FROM judged j WHERE o.id = j.id
                RETURNING o.id, o.idempotency_key, o.generation, o.request_digest, o.order_request_json, o.payload_type, o.destination, o.ordering_key,
                    o.traceparent, o.created_at, o.expires_at, o.claim_token, o.attempts, o.outcome_unknown, o.locked_at,
                    j.verdict, j.was, j.due_at
            )
            SELECT w.id, w.idempotency_key, w.generation, w.request_digest, w.order_request_json::text AS payload,
                w.payload_type, w.destination, w.ordering_key, w.traceparent, w.created_at, w.expires_at, w.claim_token, w.attempts, w.outcome_unknown,
                w.locked_at, w.verdict, w.was
            FROM written w ORDER BY w.due_at, w.id""".formatted(ReasonCode.IDEMPOTENCY_CONFLICT, ReasonCode.INTERNAL_ERROR);

    static final String CLAIM = (ANY + REST).replace("@few", Integer.toString(FEW));
    private static final String CLAIM_MANY = (ANY + REST).replace("LIMIT @few ", "");
    static final String CLAIM_ORDERED = ORDERED + REST;

    ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return result(database.rows(
                "claiming entries of " + database.tables(),
                limit <= FEW ? CLAIM : CLAIM_MANY,
                p -> p.text(destination)
                        .number(limit)
                        .text(destination)
                        .number(limit)
                        .number(limit)
                        .text(owner.toString())
                        .number(JdbcTimestamps.micros(lease)),
                Judged::read));
    }

    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        return result(database.rows(
                "claiming %d ordered entries of %s".formatted(ids.size(), database.tables()),
                CLAIM_ORDERED,
                p -> p.integers(segments, OutboxSegmentLease::segment)
                        .numbers(segments, OutboxSegmentLease::epoch)
                        .text(owner.toString())
                        .numbers(ids)
                        .text(owner.toString())
                        .number(JdbcTimestamps.micros(lease)),
                Judged::read));
    }

    private static ClaimResult result(List<Judged> rows) {
        List<OutboxClaim> claims = new ArrayList<>();
        int leasesExpired = 0;
        int synchronised = 0;
        int conflicts = 0;
        for (Judged row : rows) {
            switch (row.verdict()) {
                case "claimed" -> {
                    claims.add(row.claim());
                    leasesExpired += row.wasSending() ? 1 : 0;
                }
                case "conflict" -> conflicts++;
                default -> synchronised++;
            }
        }
        return new ClaimResult(claims, leasesExpired, synchronised, conflicts);
    }

    /** @param claimedAt empty if the entry was not claimed */
    private record Judged(ClaimRow row, Optional<Instant> claimedAt, String verdict, boolean wasSending) {
        static Judged read(ResultSet row) throws SQLException {
            return new Judged(
                    ClaimRow.read(row),
                    JdbcTimestamps.optionalClock(row, "locked_at"),
                    row.getString("verdict"),
                    row.getString("was").equals("sending"));
        }

        OutboxClaim claim() {
            return new OutboxClaim(
                    row.entry(), row.token(), row.attempts(), row.outcomeUnknown(), claimedAt.orElseThrow());
        }
    }
}

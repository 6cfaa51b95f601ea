package dev.spream.storage.jdbc.outbox;

import static java.util.stream.Collectors.toSet;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.SettlementRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Renews and settles claims. Each call locks, in the order of their ids, the rows that still have the worker's claim
 * token, and writes no others. The lateral subquery with a limit makes the planner look them up one by one, regardless
 * of its statistics; the status is compared with a subquery, since the planner would otherwise read the whole index of
 * the entries being sent for each of them. A row that another session has locked does not delay the others.
 */
record EntrySettlements(OutboxDatabase database) {
    /**
     * A locked row is not renewed. It counts as renewed while at least half of its lease is left, because the worker
     * renews again within that time. After that it counts as lost, because the worker would otherwise not detect an
     * expiry.
     */
    static final String RENEW = """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest((SELECT ?::bigint[]), (SELECT ?::bigint[])) AS a (id, token)
                CROSS JOIN (SELECT ?::text AS owner, ? * interval '1 microsecond' AS lease) AS worker
                ORDER BY id
            ), held AS MATERIALIZED (
                SELECT locked.id, asked.lease FROM asked CROSS JOIN LATERAL (
                    SELECT o.id FROM @outbox o
                    WHERE o.id = asked.id AND o.claim_token = asked.token AND o.locked_by = asked.owner
                        AND o.status = (SELECT 'sending')
                    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS locked
            ), renewed AS (
                UPDATE @outbox o SET
                    locked_at = clock_timestamp(),
                    lease_until = clock_timestamp() + held.lease,
                    updated_at = clock_timestamp()
                FROM held WHERE o.id = held.id
                RETURNING o.id, o.claim_token AS token
            )
            SELECT asked.id, asked.token AS claim_token
            FROM asked LEFT JOIN renewed USING (id, token) LEFT JOIN LATERAL (
                SELECT o.id FROM @outbox o
                WHERE o.id = asked.id AND o.claim_token = asked.token AND o.locked_by = asked.owner AND o.status = (SELECT 'sending')
                    AND o.lease_until > clock_timestamp() + asked.lease / 2
                LIMIT 1) AS busy ON true
            WHERE renewed.id IS NOT NULL OR busy.id IS NOT NULL""";

    /**
     * Settles claims, the ledger first: a request that is still in progress gets the settlement, and the entry takes
     * over the resulting state of the ledger. If the ledger was changed after the start of the statement, nothing is
     * written and the verdict is {@code again}. The verdict is also {@code again} for a row that the worker holds by
     * the snapshot but could not lock: another session has locked it, or has changed it after the snapshot, as when a
     * repetition overlaps the settlement that it repeats. A row that has the token but is not being sent was settled by
     * an earlier call whose confirmation was lost.
     */
    static final String SETTLE = """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest((SELECT ?::bigint[]), (SELECT ?::bigint[]), (SELECT ?::text[]), (SELECT ?::int[]),
                    (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::bigint[]),
                    (SELECT ?::boolean[])) AS a (id, token, ending, http_status, response, reason, message, delay, unknown)
                CROSS JOIN (SELECT ?::text AS owner) AS worker
                ORDER BY id
            ), held AS MATERIALIZED (
                SELECT asked.*, locked.idempotency_key, locked.generation, locked.request_digest
                FROM asked CROSS JOIN LATERAL (
                    SELECT o.idempotency_key, o.generation, o.request_digest FROM @outbox o
                    WHERE o.id = asked.id AND o.claim_token = asked.token AND o.locked_by = asked.owner
                        AND o.status = (SELECT 'sending')
                    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS locked
            ), known AS MATERIALIZED (
                SELECT held.*, l.status AS ledger_status, l.reason_code AS ledger_reason,
                    l.request_digest <> held.request_digest AS is_conflict,
                    held.ending IN ('succeeded', 'aborted') AS is_final
                FROM held LEFT JOIN LATERAL (
                    SELECT * FROM @ledger l
                    WHERE l.idempotency_key = held.idempotency_key AND l.generation = held.generation
                    LIMIT 1) AS l ON true
            ), booked AS (
                INSERT INTO @ledger AS l (idempotency_key, generation, request_digest, status, http_status,
                    response_payload_json, reason_code, created_at, updated_at, settled_at)
                SELECT idempotency_key, generation, request_digest,
                    CASE ending WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END, http_status, response::json,
                    CASE ending WHEN 'aborted' THEN reason END, clock_timestamp(), clock_timestamp(), clock_timestamp()
                FROM known
                WHERE is_final AND NOT coalesce(is_conflict, false) AND coalesce(ledger_status, 'in_progress') = 'in_progress'
                ON CONFLICT (idempotency_key, generation) DO UPDATE SET
                    status = excluded.status, http_status = excluded.http_status,
                    response_payload_json = excluded.response_payload_json, reason_code = excluded.reason_code,
                    updated_at = excluded.updated_at, settled_at = excluded.settled_at
                WHERE l.status = 'in_progress' AND l.request_digest = excluded.request_digest
                RETURNING l.idempotency_key
            ), decided AS MATERIALIZED (
                SELECT known.*, CASE
                        WHEN ending = 'released' THEN 'released'
                        WHEN is_conflict THEN 'conflict'
                        WHEN ledger_status = 'succeeded' THEN 'told succeeded'
                        WHEN ledger_status = 'failed' THEN 'told failed'
                        WHEN NOT is_final OR booked.idempotency_key IS NOT NULL THEN ending
                    END AS verdict
                FROM known LEFT JOIN booked USING (idempotency_key)
            ), written AS (
                UPDATE @outbox o SET
                    status = CASE d.verdict
                        WHEN 'released' THEN 'pending'
                        WHEN 'failed' THEN 'failed'
                        WHEN 'tried' THEN 'failed'
                        WHEN 'parked' THEN 'failed'
                        WHEN 'succeeded' THEN 'succeeded'
                        WHEN 'told succeeded' THEN 'succeeded'
                        ELSE 'aborted'
                    END,
                    attempts = o.attempts - CASE WHEN d.verdict IN ('released', 'tried') THEN 1 ELSE 0 END,
                    next_run_at = CASE
                        WHEN d.verdict IN ('failed', 'tried') THEN least(clock_timestamp() + d.delay * interval '1 microsecond', o.expires_at)
                        WHEN d.verdict = 'parked' THEN 'infinity'
                        ELSE o.next_run_at
                    END,
                    outcome_unknown = CASE
                        WHEN d.verdict = 'released' THEN o.outcome_unknown
                        WHEN d.verdict IN ('failed', 'tried', 'parked') THEN d.unknown
                        ELSE false
                    END,
                    last_error_code = CASE d.verdict
                        WHEN 'conflict' THEN '%s'
                        WHEN 'told failed' THEN coalesce(d.ledger_reason, '%s')
                        WHEN 'told succeeded' THEN o.last_error_code
                        ELSE coalesce(d.reason, o.last_error_code)
                    END,
                    last_error_msg = CASE d.verdict
                        WHEN 'conflict' THEN 'the ledger has another request under this key'
                        WHEN 'told failed' THEN o.last_error_msg
                        WHEN 'told succeeded' THEN o.last_error_msg
                        ELSE coalesce(left(d.message, 512), o.last_error_msg)
                    END,
                    locked_by = NULL, locked_at = NULL, lease_until = NULL, updated_at = clock_timestamp()
                FROM decided d WHERE o.id = d.id AND d.verdict IS NOT NULL
                RETURNING o.id
            )
            SELECT asked.id, asked.token, CASE
                    WHEN written.id IS NOT NULL THEN 'done'
                    WHEN held.id IS NOT NULL THEN 'again'
                    WHEN seen.status <> 'sending' THEN 'done'
                    WHEN seen.locked_by = asked.owner THEN 'again'
                    ELSE 'lost'
                END AS verdict
            FROM asked LEFT JOIN held USING (id, token) LEFT JOIN written ON written.id = held.id
            LEFT JOIN LATERAL (
                SELECT o.status, o.locked_by FROM @outbox o
                WHERE o.id = asked.id AND o.claim_token = asked.token
                LIMIT 1) AS seen ON true""".formatted(ReasonCode.IDEMPOTENCY_CONFLICT, ReasonCode.INTERNAL_ERROR);

    /** The statement for remaining rows, which waits for the sessions that have locked them. */
    private static final String SETTLE_WAITING = SETTLE.replace(" SKIP LOCKED", "");

    private static final String WAIT_BRIEFLY = "SET LOCAL lock_timeout = '250ms'";

    /** The maximum number of attempts while other sessions write the same entries or their ledger rows. */
    private static final int ROUNDS = 5;

    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        if (claims.isEmpty()) {
            return Set.of();
        }
        Set<OutboxClaim.Ref> lost = new HashSet<>(claims);
        database.rows(
                        "renewing %d claims of %s".formatted(claims.size(), database.tables()),
                        RENEW,
                        p -> p.numbers(claims, OutboxClaim.Ref::id)
                                .numbers(claims, OutboxClaim.Ref::token)
                                .text(owner.toString())
                                .number(JdbcTimestamps.micros(lease)),
                        row -> new OutboxClaim.Ref(row.getLong("id"), row.getLong("claim_token")))
                .forEach(lost::remove);
        return lost;
    }

    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        List<SettlementRow> open = settlements.stream().map(SettlementRow::of).toList();
        Set<OutboxClaim.Ref> lost = new HashSet<>();
        for (int round = 0; !open.isEmpty() && round < ROUNDS; round++) {
            List<Verdict> verdicts = round == 0 ? settleOnce(owner, open) : settleWaiting(owner, open);
            lost.addAll(withVerdict(verdicts, "lost"));
            Set<OutboxClaim.Ref> again = withVerdict(verdicts, "again");
            open = open.stream().filter(ending -> again.contains(ending.ref())).toList();
        }
        if (!open.isEmpty()) {
            throw new StorageException(
                    "settling %d entries of %s failed: other sessions have locked them or changed the ledger; the call may be retried"
                            .formatted(open.size(), database.tables()),
                    true,
                    null);
        }
        return lost;
    }

    private static Set<OutboxClaim.Ref> withVerdict(List<Verdict> verdicts, String text) {
        return verdicts.stream()
                .filter(verdict -> verdict.text().equals(text))
                .map(Verdict::ref)
                .collect(toSet());
    }

    private List<Verdict> settleOnce(OutboxOwner owner, List<SettlementRow> endings) {
        return database.rows(settling(endings), SETTLE, p -> bind(p, owner, endings), EntrySettlements::verdict);
    }

    private List<Verdict> settleWaiting(OutboxOwner owner, List<SettlementRow> endings) {
        return database.inTransaction(settling(endings), transaction -> {
            transaction.update(WAIT_BRIEFLY, p -> {});
            return transaction.rows(SETTLE_WAITING, p -> bind(p, owner, endings), EntrySettlements::verdict);
        });
    }

    private String settling(List<SettlementRow> endings) {
        return "settling %d entries of %s".formatted(endings.size(), database.tables());
    }

    private static void bind(Parameters parameters, OutboxOwner owner, List<SettlementRow> endings)
            throws SQLException {
        parameters
                .numbers(endings, ending -> ending.ref().id())
                .numbers(endings, ending -> ending.ref().token())
                .texts(endings, SettlementRow::name)
                .optionalIntegers(endings, SettlementRow::httpStatus)
                .optionalTexts(endings, SettlementRow::response)
                .optionalTexts(endings, SettlementRow::reason)
                .optionalTexts(endings, SettlementRow::message)
                .numbers(endings, SettlementRow::delayMicros)
                .flags(endings, SettlementRow::outcomeUnknown)
                .text(owner.toString());
    }

    private static Verdict verdict(ResultSet row) throws SQLException {
        return new Verdict(new OutboxClaim.Ref(row.getLong("id"), row.getLong("token")), row.getString("verdict"));
    }

    private record Verdict(OutboxClaim.Ref ref, String text) {}
}

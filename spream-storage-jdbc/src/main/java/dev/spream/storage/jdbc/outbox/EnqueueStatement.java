package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues messages in one transaction. The first statement inserts those whose idempotency keys are free, in the order
 * of the keys, so that two transactions with the same keys do not deadlock. A second statement looks up the other keys,
 * and sees the rows that the first one had waited for.
 *
 * <p>Where room of a worker is reserved, the first statement also claims entries for it, if it runs on the server that
 * the worker uses.
 *
 * @param reserved null if no entry is claimed
 */
record EnqueueStatement(Statements transaction, LocalWatchers.@Nullable Reserved reserved) {
    private static final String MESSAGES = """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest((SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]),
                    (SELECT ?::int[]), (SELECT ?::timestamptz[]), (SELECT ?::timestamptz[]), (SELECT ?::text[]),
                    (SELECT ?::boolean[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::bigint[]))
                    WITH ORDINALITY
                    AS a (key, digest, payload, ordering_key, segment, not_before, expires_at, traceparent, claim,
                        payload_type, destination, delay, place)
                CROSS JOIN (SELECT ?::text AS owner, ? * interval '1 microsecond' AS lease, ?::text AS server) AS worker
            )""";

    /** The same for one message, which the server plans and executes in less time. */
    private static final String MESSAGE = """
            WITH asked AS NOT MATERIALIZED (
                SELECT ?::text AS key, ?::text AS digest, ?::text AS payload, ?::text AS ordering_key, ?::int AS segment,
                    ?::timestamptz AS not_before, ?::timestamptz AS expires_at, ?::text AS traceparent, ?::boolean AS claim,
                    ?::text AS payload_type, ?::text AS destination, ?::bigint AS delay, 1 AS place, ?::text AS owner, ? * interval '1 microsecond' AS lease, ?::text AS server
            )""";

    private static final String INSERT = """
            , begun AS (
                INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
                SELECT a.key, 1, a.digest, 'in_progress', clock_timestamp(), clock_timestamp() FROM asked a
                WHERE NOT EXISTS (SELECT FROM @outbox o WHERE o.idempotency_key = a.key)
                ORDER BY a.key
                ON CONFLICT DO NOTHING
                RETURNING idempotency_key
            )
            INSERT INTO @outbox (idempotency_key, order_request_json, request_digest, status, next_run_at, ordering_key, segment,
                expires_at, traceparent, created_at, updated_at, claim_token, attempts, locked_by, locked_at, lease_until,
                payload_type, destination)
            SELECT a.key, a.payload::jsonb, a.digest, CASE WHEN claimed THEN 'sending' ELSE 'pending' END,
                greatest(a.not_before, now + a.delay * interval '1 microsecond'), a.ordering_key, a.segment, a.expires_at, a.traceparent, now, now,
                claimed::int, claimed::int, CASE WHEN claimed THEN a.owner END, CASE WHEN claimed THEN now END,
                CASE WHEN claimed THEN now + a.lease END,
                a.payload_type, a.destination
            FROM asked a JOIN begun ON begun.idempotency_key = a.key
            CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS clock
            CROSS JOIN LATERAL (SELECT a.claim AND (a.expires_at IS NULL OR a.expires_at > now)
                AND a.server = (SELECT %s) AS claimed) AS choice
            ORDER BY a.place
            RETURNING id, idempotency_key, created_at, expires_at, pg_current_xact_id()::text AS transaction,
                CASE WHEN status = 'sending' THEN order_request_json::text END AS claimed_payload""".formatted(OutboxTables.SERVER);

    private static final String ENQUEUE = MESSAGES + INSERT;
    static final String ENQUEUE_ONE = MESSAGE + INSERT;

    private static final String FIND = """
            SELECT DISTINCT ON (l.idempotency_key) %s FROM @ledger l WHERE l.idempotency_key = ANY (?)
            ORDER BY l.idempotency_key, l.generation DESC""".formatted(LedgerRows.COLUMNS);

    /** Adds ledger rows for entries that were inserted by a program without a ledger. */
    private static final String ADOPT = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            SELECT o.idempotency_key, o.generation, o.request_digest, 'in_progress', clock_timestamp(), clock_timestamp()
            FROM @outbox o WHERE o.idempotency_key = ANY (?)
            ORDER BY o.idempotency_key
            ON CONFLICT DO NOTHING""";

    /** The maximum number of rounds while keys are removed between the two statements. */
    private static final int ROUNDS = 5;

    Enqueued enqueue(List<OutboxMessage> messages) throws SQLException {
        Map<String, OutboxMessage> open = new LinkedHashMap<>();
        messages.forEach(message -> open.putIfAbsent(message.idempotencyKey(), message));
        Map<String, Row> rows = new LinkedHashMap<>();
        Map<String, LedgerEntry> taken = new LinkedHashMap<>();
        for (int round = 0; !open.isEmpty() && round < ROUNDS; round++) {
            rows.putAll(insert(open.values(), round == 0));
            open.keySet().removeAll(rows.keySet());
            taken.putAll(find(open.keySet()));
            open.keySet().removeAll(taken.keySet());
            adopt(open.keySet());
        }
        if (!open.isEmpty()) {
            throw new StorageException(
                    "enqueueing %d messages failed: %d keys were removed from the ledger concurrently; the transaction may be retried"
                            .formatted(messages.size(), open.size()),
                    true,
                    null);
        }
        if (rows.size() + taken.size() < messages.size()) {
            taken.putAll(find(repeatedKeys(messages)));
        }
        return new Enqueued(
                results(messages, rows, taken),
                claims(messages, rows.values()),
                rows.size(),
                rows.values().stream().map(Row::transaction).findAny());
    }

    /**
     * The outcome of a call.
     *
     * @param claims the claims of those that were claimed
     * @param entries the number of new entries
     * @param transaction the server's identity of the transaction; empty if there are no new entries
     */
    record Enqueued(List<EnqueueResult> results, List<OutboxClaim> claims, int entries, Optional<String> transaction) {}

    /** @param claimedPayload the payload as every claim returns it; empty if the entry was not claimed */
    private record Row(
            String key,
            long id,
            Instant createdAt,
            Optional<Instant> expiresAt,
            String transaction,
            Optional<String> claimedPayload) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("idempotency_key"),
                    row.getLong("id"),
                    JdbcTimestamps.clock(row, "created_at"),
                    JdbcTimestamps.optionalClock(row, "expires_at"),
                    row.getString("transaction"),
                    Optional.ofNullable(row.getString("claimed_payload")));
        }
    }

    /** Returns whether an entry can be claimed as it is enqueued: it is due at once, and no order has to be kept. */
    static boolean isClaimable(OutboxMessage message) {
        return message.orderingKey().isEmpty()
                && message.notBefore().isEmpty()
                && message.delay().isZero();
    }

    private static List<OutboxClaim> claims(List<OutboxMessage> messages, Collection<Row> rows) {
        Map<String, OutboxMessage> byKey =
                messages.stream().collect(toMap(OutboxMessage::idempotencyKey, Function.identity(), (a, b) -> a));
        return rows.stream()
                .filter(row -> row.claimedPayload().isPresent())
                .map(row -> claim(requireNonNull(byKey.get(row.key())), row))
                .toList();
    }

    private static OutboxClaim claim(OutboxMessage message, Row row) {
        OutboxEntry entry = new OutboxEntry(
                row.id(),
                row.key(),
                1,
                message.requestDigest(),
                row.claimedPayload().orElseThrow(),
                message.payloadType(),
                message.destination(),
                Optional.empty(),
                message.traceparent(),
                row.createdAt(),
                row.expiresAt());
        return new OutboxClaim(entry, 1, 1, false, row.createdAt());
    }

    private Map<String, Row> insert(Collection<OutboxMessage> messages, boolean claiming) throws SQLException {
        Set<String> chosen = messages.stream()
                .filter(message -> reserved != null
                        && isClaimable(message)
                        && message.destination().equals(reserved.destination()))
                .map(OutboxMessage::idempotencyKey)
                .limit(reserved == null || !claiming ? 0 : reserved.room().size())
                .collect(toSet());
        return transaction
                .rows(
                        messages.size() == 1 ? ENQUEUE_ONE : ENQUEUE,
                        p -> worker(
                                messages.size() == 1 ? message(p, messages, chosen) : messages(p, messages, chosen)),
                        Row::read)
                .stream()
                .collect(toMap(Row::key, Function.identity()));
    }

    private static Parameters messages(Parameters p, Collection<OutboxMessage> messages, Set<String> chosen)
            throws SQLException {
        return p.texts(messages, OutboxMessage::idempotencyKey)
                .texts(messages, OutboxMessage::requestDigest)
                .texts(messages, OutboxMessage::payload)
                .optionalTexts(messages, OutboxMessage::orderingKey)
                .optionalIntegers(messages, EnqueueStatement::segment)
                .optionalClocks(messages, message -> message.notBefore().map(EnqueueStatement::clock))
                .optionalClocks(messages, message -> message.expiresAt().map(EnqueueStatement::clock))
                .optionalTexts(messages, OutboxMessage::traceparent)
                .flags(messages, message -> chosen.contains(message.idempotencyKey()))
                .optionalTexts(messages, OutboxMessage::payloadType)
                .texts(messages, OutboxMessage::destination)
                .numbers(messages, message -> JdbcTimestamps.micros(message.delay()));
    }

    private static Parameters message(Parameters p, Collection<OutboxMessage> messages, Set<String> chosen)
            throws SQLException {
        OutboxMessage message = messages.iterator().next();
        return p.text(message.idempotencyKey())
                .text(message.requestDigest())
                .text(message.payload())
                .optionalText(message.orderingKey())
                .optionalInteger(segment(message))
                .optionalClock(message.notBefore().map(EnqueueStatement::clock))
                .optionalClock(message.expiresAt().map(EnqueueStatement::clock))
                .optionalText(message.traceparent())
                .flag(chosen.contains(message.idempotencyKey()))
                .optionalText(message.payloadType())
                .text(message.destination())
                .number(JdbcTimestamps.micros(message.delay()));
    }

    private void worker(Parameters p) throws SQLException {
        p.text(reserved == null ? "" : reserved.room().owner().toString())
                .number(
                        reserved == null
                                ? 0
                                : JdbcTimestamps.micros(reserved.room().lease()))
                .text(reserved == null ? "" : reserved.server());
    }

    private static Optional<Integer> segment(OutboxMessage message) {
        return message.orderingKey().map(OutboxSegmentLease::segmentOf);
    }

    /** Returns the time limited to what the server can store: microseconds of the years 1 to 9999. */
    private static OffsetDateTime clock(Instant moment) {
        Instant first = Instant.parse("0001-01-01T00:00:00Z");
        return moment.isBefore(first)
                ? first.atOffset(ZoneOffset.UTC)
                : JdbcTimestamps.clockCeiling(moment).truncatedTo(ChronoUnit.MICROS);
    }

    private Map<String, LedgerEntry> find(Collection<String> keys) throws SQLException {
        if (keys.isEmpty()) {
            return Map.of();
        }
        return transaction.rows(FIND, p -> p.texts(keys), LedgerRows::read).stream()
                .collect(toMap(LedgerEntry::idempotencyKey, Function.identity()));
    }

    private void adopt(Collection<String> keys) throws SQLException {
        if (!keys.isEmpty()) {
            transaction.update(ADOPT, p -> p.texts(keys));
        }
    }

    private static Set<String> repeatedKeys(List<OutboxMessage> messages) {
        Set<String> seen = new HashSet<>();
        Set<String> repeated = new HashSet<>();
        for (OutboxMessage message : messages) {
            if (!seen.add(message.idempotencyKey())) {
                repeated.add(message.idempotencyKey());
            }
        }
        return repeated;
    }

    private static List<EnqueueResult> results(
            List<OutboxMessage> messages, Map<String, Row> rows, Map<String, LedgerEntry> taken) {
        Map<String, Row> left = new HashMap<>(rows);
        List<EnqueueResult> results = new ArrayList<>();
        for (OutboxMessage message : messages) {
            Optional<Long> id =
                    Optional.ofNullable(left.remove(message.idempotencyKey())).map(Row::id);
            results.add(id.<EnqueueResult>map(EnqueueResult.Enqueued::new)
                    .orElseGet(() -> refusal(message, requireNonNull(taken.get(message.idempotencyKey())))));
        }
        return results;
    }

    private static EnqueueResult refusal(OutboxMessage message, LedgerEntry entry) {
        if (!entry.requestDigest().equals(message.requestDigest())) {
            return new EnqueueResult.Conflict(entry);
        }
        return entry.status() == LedgerStatus.IN_PROGRESS
                ? new EnqueueResult.InProgress(entry)
                : new EnqueueResult.Settled(entry);
    }
}

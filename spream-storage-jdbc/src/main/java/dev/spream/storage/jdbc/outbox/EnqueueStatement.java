package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Enqueues messages in one transaction. The first statement inserts those whose idempotency keys are free, in the order
 * of the keys, so that two transactions with the same keys do not deadlock. A second statement looks up the other keys,
 * and sees the rows that the first one had waited for.
 */
record EnqueueStatement(Statements transaction) {
    static final String ENQUEUE = """
            WITH asked AS MATERIALIZED (
                SELECT * FROM unnest((SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]),
                    (SELECT ?::int[]), (SELECT ?::timestamptz[]), (SELECT ?::timestamptz[]), (SELECT ?::text[]))
                    WITH ORDINALITY
                    AS a (key, digest, payload, ordering_key, segment, not_before, expires_at, traceparent, place)
            ), begun AS (
                INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
                SELECT a.key, 1, a.digest, 'in_progress', clock_timestamp(), clock_timestamp() FROM asked a
                WHERE NOT EXISTS (SELECT FROM @outbox o WHERE o.idempotency_key = a.key)
                ORDER BY a.key
                ON CONFLICT DO NOTHING
                RETURNING idempotency_key
            )
            INSERT INTO @outbox (idempotency_key, order_request_json, request_digest, status, next_run_at, ordering_key, segment,
                expires_at, traceparent, created_at, updated_at)
            SELECT a.key, a.payload::jsonb, a.digest, 'pending', greatest(a.not_before, clock_timestamp()), a.ordering_key,
                a.segment, a.expires_at, a.traceparent, clock_timestamp(), clock_timestamp()
            FROM asked a JOIN begun ON begun.idempotency_key = a.key
            ORDER BY a.place
            RETURNING id, idempotency_key""";

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

    List<EnqueueResult> enqueue(List<OutboxMessage> messages) throws SQLException {
        Map<String, OutboxMessage> open = new LinkedHashMap<>();
        messages.forEach(message -> open.putIfAbsent(message.idempotencyKey(), message));
        Map<String, Long> ids = new LinkedHashMap<>();
        Map<String, LedgerEntry> taken = new LinkedHashMap<>();
        for (int round = 0; !open.isEmpty() && round < ROUNDS; round++) {
            ids.putAll(insert(open.values()));
            open.keySet().removeAll(ids.keySet());
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
        if (ids.size() + taken.size() < messages.size()) {
            taken.putAll(find(repeatedKeys(messages)));
        }
        return results(messages, ids, taken);
    }

    private Map<String, Long> insert(Collection<OutboxMessage> messages) throws SQLException {
        return transaction
                .rows(
                        ENQUEUE,
                        p -> p.texts(messages, OutboxMessage::idempotencyKey)
                                .texts(messages, OutboxMessage::requestDigest)
                                .texts(messages, OutboxMessage::payload)
                                .optionalTexts(messages, OutboxMessage::orderingKey)
                                .optionalIntegers(
                                        messages,
                                        message -> message.orderingKey().map(OutboxSegmentLease::segmentOf))
                                .optionalClocks(
                                        messages, message -> message.notBefore().map(EnqueueStatement::clock))
                                .optionalClocks(
                                        messages, message -> message.expiresAt().map(EnqueueStatement::clock))
                                .optionalTexts(messages, OutboxMessage::traceparent),
                        row -> Map.entry(row.getString("idempotency_key"), row.getLong("id")))
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
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
            List<OutboxMessage> messages, Map<String, Long> ids, Map<String, LedgerEntry> taken) {
        List<EnqueueResult> results = new ArrayList<>();
        for (OutboxMessage message : messages) {
            Optional<Long> id = Optional.ofNullable(ids.remove(message.idempotencyKey()));
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

package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.ClaimOffer;
import dev.spream.storage.jdbc.outbox.dialect.EnqueuedRow;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Enqueues messages in PostgreSQL by one statement, in the order of the keys, so that two transactions with the same
 * keys do not deadlock. Where a worker offers to claim entries, the statement claims them, if it runs on the server that
 * the worker uses.
 *
 * @param offer empty if no entry is claimed
 */
record EnqueueStatement(Statements transaction, Optional<ClaimOffer> offer) {
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
                    ?::text AS payload_type, ?::text AS destination, ?::bigint AS delay, 1 AS place,
                    ?::text AS owner, ? * interval '1 microsecond' AS lease, ?::text AS server
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
                greatest(a.not_before, now + a.delay * interval '1 microsecond'), a.ordering_key, a.segment,
                a.expires_at, a.traceparent, now, now,
                claimed::int, claimed::int, CASE WHEN claimed THEN a.owner END, CASE WHEN claimed THEN now END,
                CASE WHEN claimed THEN now + a.lease END,
                a.payload_type, a.destination
            FROM asked a JOIN begun ON begun.idempotency_key = a.key
            CROSS JOIN LATERAL (SELECT clock_timestamp() AS now) AS clock
            CROSS JOIN LATERAL (SELECT a.claim AND (a.expires_at IS NULL OR a.expires_at > now)
                AND a.server = (SELECT %s) AS claimed) AS choice
            ORDER BY a.place
            RETURNING id, idempotency_key, created_at, expires_at, pg_current_xact_id()::text AS transaction,
                CASE WHEN status = 'sending' THEN order_request_json::text END AS claimed_payload""".formatted(PostgresOutbox.SERVER);

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

    List<EnqueuedRow> insert(List<OutboxMessage> messages) throws SQLException {
        return messages.size() == 1
                ? transaction.rows(ENQUEUE_ONE, p -> worker(message(p, messages.getFirst())), EnqueueStatement::read)
                : transaction.rows(ENQUEUE, p -> worker(messages(p, messages)), EnqueueStatement::read);
    }

    private static EnqueuedRow read(ResultSet row) throws SQLException {
        return new EnqueuedRow(
                row.getString("idempotency_key"),
                row.getLong("id"),
                JdbcTimestamps.clock(row, "created_at"),
                JdbcTimestamps.optionalClock(row, "expires_at"),
                Optional.of(row.getString("transaction")),
                Optional.ofNullable(row.getString("claimed_payload")));
    }

    private boolean isOffered(OutboxMessage message) {
        return offer.isPresent() && offer.get().keys().contains(message.idempotencyKey());
    }

    private Parameters messages(Parameters p, List<OutboxMessage> messages) throws SQLException {
        return p.texts(messages, OutboxMessage::idempotencyKey)
                .texts(messages, OutboxMessage::requestDigest)
                .texts(messages, OutboxMessage::payload)
                .optionalTexts(messages, OutboxMessage::orderingKey)
                .optionalIntegers(messages, EnqueueStatement::segment)
                .optionalClocks(messages, message -> message.notBefore().map(EnqueueStatement::clock))
                .optionalClocks(messages, message -> message.expiresAt().map(EnqueueStatement::clock))
                .optionalTexts(messages, OutboxMessage::traceparent)
                .flags(messages, this::isOffered)
                .optionalTexts(messages, OutboxMessage::payloadType)
                .texts(messages, OutboxMessage::destination)
                .numbers(messages, message -> JdbcTimestamps.micros(message.delay()));
    }

    private Parameters message(Parameters p, OutboxMessage message) throws SQLException {
        return p.text(message.idempotencyKey())
                .text(message.requestDigest())
                .text(message.payload())
                .optionalText(message.orderingKey())
                .optionalInteger(segment(message))
                .optionalClock(message.notBefore().map(EnqueueStatement::clock))
                .optionalClock(message.expiresAt().map(EnqueueStatement::clock))
                .optionalText(message.traceparent())
                .flag(isOffered(message))
                .optionalText(message.payloadType())
                .text(message.destination())
                .number(JdbcTimestamps.micros(message.delay()));
    }

    private void worker(Parameters p) throws SQLException {
        p.text(offer.map(ClaimOffer::owner).orElse(""))
                .number(offer.map(ClaimOffer::lease).map(JdbcTimestamps::micros).orElse(0L))
                .text(offer.map(ClaimOffer::server).orElse(""));
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

    static List<LedgerEntry> find(Statements transaction, Collection<String> keys) throws SQLException {
        return transaction.rows(FIND, p -> p.texts(keys), LedgerRows::read);
    }

    static void adopt(Statements transaction, Collection<String> keys) throws SQLException {
        transaction.update(ADOPT, p -> p.texts(keys));
    }
}

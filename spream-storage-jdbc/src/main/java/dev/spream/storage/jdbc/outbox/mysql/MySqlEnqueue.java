package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.ClaimOffer;
import dev.spream.storage.jdbc.outbox.dialect.EnqueuedRow;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Enqueues messages in one transaction. The keys are inserted into the ledger in their order, so that two transactions
 * with the same keys do not deadlock. A statement that finds one of its keys taken inserts nothing.
 */
@SuppressWarnings("InlineFormatString") // the statements are easier to read as templates
record MySqlEnqueue(Statements transaction) {
    private static final String BEGIN = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at) VALUES\s""";

    private static final String BEGIN_ROW = "(?, 1, ?, 'in_progress', @now, @now)";

    private static final String INSERT = """
            INSERT INTO @outbox (idempotency_key, order_request_json, request_digest, next_run_at, expires_at, ordering_key,
                segment, traceparent, payload_type, destination, created_at, updated_at) VALUES\s""";

    private static final String INSERT_ROW = """
            (?, ?, ?, GREATEST(@now + INTERVAL ? MICROSECOND, COALESCE(CAST(? AS DATETIME(6)), @now)), ?, ?, ?, ?, ?, ?, @now, @now)""";

    /** The requests that were begun by this transaction for entries that exist without them. */
    private static final String UNDO = "DELETE FROM @ledger WHERE idempotency_key IN (*) AND generation = 1";

    private static final String CLAIM = """
            UPDATE @outbox SET status = 'sending', claim_token = 1, attempts = 1, locked_by = ?, locked_at = created_at,
                lease_until = created_at + INTERVAL ? MICROSECOND
            WHERE idempotency_key IN (*) AND (expires_at IS NULL OR expires_at > @now) AND %s = ?""";

    private static final String INSERTED = """
            SELECT id, idempotency_key, created_at, expires_at, status, CASE status WHEN 'sending' THEN order_request_json END AS claimed_payload
            FROM @outbox WHERE idempotency_key IN (*) ORDER BY id""";

    private static final String FIND = """
            SELECT %s FROM @ledger l WHERE l.idempotency_key IN (*) ORDER BY l.idempotency_key, l.generation @latest""".formatted(LedgerRows.COLUMNS);

    private static final String ADOPT = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            SELECT o.idempotency_key, o.generation, o.request_digest, 'in_progress', @now, @now
            FROM @outbox o WHERE o.idempotency_key IN (*) ORDER BY o.idempotency_key""";

    /** Times that a column can hold and compare. */
    private static final Instant FIRST = Instant.parse("1000-01-01T00:00:00Z");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

    List<EnqueuedRow> insert(List<OutboxMessage> messages, Optional<ClaimOffer> offer, String server)
            throws SQLException {
        messages.forEach(message -> requireJson(message.payload()));
        if (!begin(messages) || !write(messages)) {
            return List.of();
        }
        if (offer.isPresent() && !offer.get().keys().isEmpty()) {
            claim(offer.get(), server);
        }
        List<String> keys = keys(messages);
        return transaction.rows(Placeholders.in(INSERTED, keys), p -> Placeholders.texts(p, keys), MySqlEnqueue::read);
    }

    private static void requireJson(String payload) {
        try {
            Json.parse(payload);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("enqueueing failed: a payload is no JSON text: " + e.getMessage());
        }
    }

    private static List<String> keys(Collection<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::idempotencyKey).toList();
    }

    /** Begins all requests, or none if a key is taken. */
    private boolean begin(List<OutboxMessage> messages) throws SQLException {
        List<OutboxMessage> sorted = messages.stream()
                .sorted(Comparator.comparing(OutboxMessage::idempotencyKey))
                .toList();
        return unlessTaken(BEGIN + Placeholders.repeat(BEGIN_ROW, messages.size()), p -> {
            for (OutboxMessage message : sorted) {
                p.text(message.idempotencyKey()).text(message.requestDigest());
            }
        });
    }

    /** Writes all entries, or none if a program has enqueued one without the ledger. */
    private boolean write(List<OutboxMessage> messages) throws SQLException {
        boolean written = unlessTaken(INSERT + Placeholders.repeat(INSERT_ROW, messages.size()), p -> {
            for (OutboxMessage message : messages) {
                bind(p, message);
            }
        });
        if (!written) {
            List<String> keys = keys(messages);
            transaction.update(Placeholders.in(UNDO, keys), p -> Placeholders.texts(p, keys));
        }
        return written;
    }

    private static void bind(Parameters p, OutboxMessage message) throws SQLException {
        p.text(message.idempotencyKey())
                .text(message.payload())
                .text(message.requestDigest())
                .number(JdbcTimestamps.micros(message.delay()))
                .optionalText(message.notBefore().map(MySqlEnqueue::time))
                .optionalText(message.expiresAt().map(MySqlEnqueue::time))
                .optionalText(message.orderingKey())
                .optionalInteger(message.orderingKey().map(OutboxSegmentLease::segmentOf))
                .optionalText(message.traceparent())
                .optionalText(message.payloadType())
                .text(message.destination());
    }

    /** Returns the time limited to what the server can store: microseconds of the years 1000 to 9999. */
    private static String time(Instant moment) {
        return TIME.format(JdbcTimestamps.clockCeiling(moment.isBefore(FIRST) ? FIRST : moment));
    }

    private boolean unlessTaken(String sql, Database.Binder values) throws SQLException {
        try {
            transaction.update(sql, values);
            return true;
        } catch (SQLException e) {
            if (MySqlOutboxDatabase.isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    private void claim(ClaimOffer offer, String server) throws SQLException {
        transaction.update(
                Placeholders.in(CLAIM.formatted(server), offer.keys()),
                p -> Placeholders.texts(
                                p.text(offer.owner()).number(JdbcTimestamps.micros(offer.lease())), offer.keys())
                        .text(offer.server()));
    }

    private static EnqueuedRow read(ResultSet row) throws SQLException {
        return new EnqueuedRow(
                row.getString("idempotency_key"),
                row.getLong("id"),
                JdbcTimestamps.clock(row, "created_at"),
                JdbcTimestamps.optionalClock(row, "expires_at"),
                Optional.empty(),
                Optional.ofNullable(row.getString("claimed_payload")));
    }

    /** Returns the last generation of each request. */
    List<LedgerEntry> find(Collection<String> keys) throws SQLException {
        Map<String, LedgerEntry> last = new LinkedHashMap<>();
        transaction
                .rows(Placeholders.in(FIND, keys), p -> Placeholders.texts(p, keys), LedgerRows::read)
                .forEach(entry -> last.put(entry.idempotencyKey(), entry));
        return List.copyOf(last.values());
    }

    void adopt(Collection<String> keys) throws SQLException {
        boolean ignored = unlessTaken(Placeholders.in(ADOPT, keys), p -> Placeholders.texts(p, keys));
    }
}

package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.ClaimOffer;
import dev.spream.storage.jdbc.outbox.dialect.EnqueuedRow;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.sql.SQLException;
import java.time.Instant;
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
 * Enqueues messages in one transaction: inserts those whose idempotency keys are free, and then looks up the other keys.
 *
 * <p>Where room of a worker is reserved, entries are offered to it, which claims them as they are inserted.
 *
 * @param reserved null if no entry is claimed
 */
record EnqueueCall(OutboxSql sql, Statements transaction, LocalWatchers.@Nullable Reserved reserved) {
    /** The maximum number of rounds while keys are removed between the two statements. */
    private static final int ROUNDS = 5;

    Enqueued enqueue(List<OutboxMessage> messages) throws SQLException {
        Map<String, OutboxMessage> open = new LinkedHashMap<>();
        messages.forEach(message -> open.putIfAbsent(message.idempotencyKey(), message));
        requireTimeAfterDelays(open.values());
        Map<String, EnqueuedRow> rows = new LinkedHashMap<>();
        Map<String, LedgerEntry> taken = new LinkedHashMap<>();
        for (int round = 0; !open.isEmpty() && round < ROUNDS; round++) {
            rows.putAll(insert(open.values(), rows.isEmpty()));
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
                rows.values().stream().findAny().flatMap(EnqueuedRow::transaction));
    }

    /**
     * The outcome of a call.
     *
     * @param claims the claims of those that were claimed
     * @param entries the number of new entries
     * @param transaction the server's identity of the transaction; empty if there are no new entries
     */
    record Enqueued(List<EnqueueResult> results, List<OutboxClaim> claims, int entries, Optional<String> transaction) {}

    /** Returns whether an entry can be claimed as it is enqueued: it is due at once, and no order has to be kept. */
    static boolean isClaimable(OutboxMessage message) {
        return message.orderingKey().isEmpty()
                && message.notBefore().isEmpty()
                && message.delay().isZero();
    }

    /**
     * Refuses messages that would expire during their delays, unless their requests exist already. No others are looked
     * up: in MySQL that would lock the gaps around their keys.
     */
    private void requireTimeAfterDelays(Collection<OutboxMessage> messages) throws SQLException {
        List<OutboxMessage> limited = messages.stream()
                .filter(message ->
                        message.delay().isPositive() && message.expiresAt().isPresent())
                .toList();
        if (limited.isEmpty()) {
            return;
        }
        Instant now = transaction.row("SELECT @now AS now", p -> {}, row -> JdbcTimestamps.clock(row, "now"));
        Map<String, OutboxMessage> late = limited.stream()
                .filter(message -> !message.expiresAt().orElseThrow().isAfter(now.plus(message.delay())))
                .collect(toMap(OutboxMessage::idempotencyKey, Function.identity()));
        late.keySet().removeAll(find(late.keySet()).keySet());
        late.values().forEach(message -> message.requireTimeAfterDelay(now));
    }

    private static List<OutboxClaim> claims(List<OutboxMessage> messages, Collection<EnqueuedRow> rows) {
        Map<String, OutboxMessage> byKey =
                messages.stream().collect(toMap(OutboxMessage::idempotencyKey, Function.identity(), (a, b) -> a));
        return rows.stream()
                .filter(row -> row.claimedPayload().isPresent())
                .map(row -> claim(requireNonNull(byKey.get(row.key())), row))
                .toList();
    }

    private static OutboxClaim claim(OutboxMessage message, EnqueuedRow row) {
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

    private Map<String, EnqueuedRow> insert(Collection<OutboxMessage> messages, boolean claiming) throws SQLException {
        return sql.insert(transaction, List.copyOf(messages), claiming ? offer(messages) : Optional.empty()).stream()
                .collect(toMap(EnqueuedRow::key, Function.identity()));
    }

    private Optional<ClaimOffer> offer(Collection<OutboxMessage> messages) {
        if (reserved == null) {
            return Optional.empty();
        }
        ClaimRoom room = reserved.room();
        String destination = reserved.destination();
        Set<String> keys = messages.stream()
                .filter(message -> isClaimable(message) && message.destination().equals(destination))
                .map(OutboxMessage::idempotencyKey)
                .limit(room.size())
                .collect(toSet());
        return Optional.of(new ClaimOffer(keys, room.owner().toString(), room.lease(), reserved.server()));
    }

    private Map<String, LedgerEntry> find(Collection<String> keys) throws SQLException {
        if (keys.isEmpty()) {
            return Map.of();
        }
        return sql.find(transaction, keys).stream().collect(toMap(LedgerEntry::idempotencyKey, Function.identity()));
    }

    private void adopt(Collection<String> keys) throws SQLException {
        if (!keys.isEmpty()) {
            sql.adopt(transaction, keys);
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
            List<OutboxMessage> messages, Map<String, EnqueuedRow> rows, Map<String, LedgerEntry> taken) {
        Map<String, EnqueuedRow> left = new HashMap<>(rows);
        List<EnqueueResult> results = new ArrayList<>();
        for (OutboxMessage message : messages) {
            Optional<Long> id =
                    Optional.ofNullable(left.remove(message.idempotencyKey())).map(EnqueuedRow::id);
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

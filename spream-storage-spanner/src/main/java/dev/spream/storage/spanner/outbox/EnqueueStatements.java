package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.SpannerBatchUpdateException;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.record.Json;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
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
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements that enqueue messages in a transaction of the caller: requests are read by their keys, so that
 * transactions with other keys do not wait, and rows are inserted by DML, so that the transaction sees them.
 */
record EnqueueStatements(SpannerOutboxDatabase database, EntryIds ids) {
    /** The characters of payloads and the number of rows in a request, of which Spanner takes 10 MiB. */
    private static final int MAX_CHARACTERS = 1_000_000;

    private static final int MAX_ROWS = 250;

    /** The outcome of a call: its results, and the claims of entries for a worker. */
    record Enqueued(List<EnqueueResult> results, List<OutboxClaim> claims) {
        long entries() {
            return results.stream()
                    .filter(EnqueueResult.Enqueued.class::isInstance)
                    .count();
        }
    }

    private record NewEntry(OutboxMessage message, EntryRow row, Optional<OutboxClaim> claim, LedgerRow request) {}

    /** @param room the room of a worker for entries that are claimed as they are enqueued, with their destination */
    Enqueued enqueueAll(
            TransactionContext transaction, List<OutboxMessage> messages, Optional<ProcessWatchers.Reserved> room) {
        messages.forEach(EnqueueStatements::requireStorable);
        if (messages.isEmpty()) {
            return new Enqueued(List.of(), List.of());
        }
        return database.inTransaction("enqueueing", () -> enqueue(transaction, messages, room));
    }

    private static void requireStorable(OutboxMessage message) {
        int length = message.payload().length();
        if (length > LedgerRow.MAX_TEXT) {
            throw new IllegalArgumentException(
                    "the payload has %d characters; Spanner holds at most %d".formatted(length, LedgerRow.MAX_TEXT));
        }
        try {
            Json.parse(message.payload());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the payload is not valid JSON: " + e.getMessage(), e);
        }
    }

    private Enqueued enqueue(
            TransactionContext transaction, List<OutboxMessage> messages, Optional<ProcessWatchers.Reserved> room) {
        Instant now = SpannerOutboxDatabase.now(transaction);
        Map<String, LedgerRow> requests = requests(transaction, messages);
        Map<String, OutboxMessage> added = new LinkedHashMap<>();
        for (OutboxMessage message : messages) {
            if (!requests.containsKey(message.idempotencyKey())) {
                added.putIfAbsent(message.idempotencyKey(), message);
            }
        }
        added.values().forEach(message -> message.requireTimeAfterDelay(now));
        Map<String, NewEntry> entries = insert(transaction, added.values(), now, room);
        entries.forEach((key, entry) -> requests.put(key, entry.request()));
        Set<String> reported = new HashSet<>();
        List<EnqueueResult> results = messages.stream()
                .map(message -> {
                    String key = message.idempotencyKey();
                    NewEntry entry = entries.get(key);
                    return entry != null && reported.add(key)
                            ? new EnqueueResult.Enqueued(entry.row().id())
                            : existing(requireNonNull(requests.get(key)), message);
                })
                .toList();
        return new Enqueued(
                results,
                entries.values().stream()
                        .flatMap(entry -> entry.claim().stream())
                        .toList());
    }

    /** Returns the last generations of the requests that exist. A key without one is locked by the transaction. */
    private Map<String, LedgerRow> requests(TransactionContext transaction, List<OutboxMessage> messages) {
        KeySet.Builder first = KeySet.newBuilder();
        messages.stream()
                .map(OutboxMessage::idempotencyKey)
                .distinct()
                .forEach(key -> first.addKey(LedgerRow.key(key, 1)));
        OutboxSchema tables = database.tables();
        List<String> known = Rows.all(
                transaction.read(tables.ledger(), first.build(), List.of("IdempotencyKey")), row -> row.getString(0));
        return LedgerRow.last(transaction, tables, known);
    }

    private static EnqueueResult existing(LedgerRow request, OutboxMessage message) {
        if (!request.digest().equals(message.requestDigest())) {
            return new EnqueueResult.Conflict(request.entry());
        }
        return request.result().isPresent()
                ? new EnqueueResult.Settled(request.entry())
                : new EnqueueResult.InProgress(request.entry());
    }

    /** Inserts entries and their requests. An entry whose id is in use gets another one. */
    private Map<String, NewEntry> insert(
            TransactionContext transaction,
            Collection<OutboxMessage> messages,
            Instant now,
            Optional<ProcessWatchers.Reserved> reserved) {
        Optional<ClaimRoom> room = reserved.map(ProcessWatchers.Reserved::room);
        Map<OrderingKey, Long> last = lastIds(messages, now);
        Map<String, NewEntry> inserted = new LinkedHashMap<>();
        int free = room.map(ClaimRoom::size).orElse(0);
        for (OutboxMessage message : messages) {
            boolean claimed = free > 0
                    && isClaimable(message, now)
                    && reserved.filter(worker -> worker.isFor(message)).isPresent();
            free -= claimed ? 1 : 0;
            inserted.put(message.idempotencyKey(), newEntry(message, now, last, claimed ? room : Optional.empty()));
        }
        for (List<NewEntry> part : parts(inserted.values())) {
            insert(transaction, part, entry -> {
                NewEntry other =
                        newEntry(entry.message(), now, last, entry.claim().flatMap(claim -> room));
                inserted.put(entry.row().key(), other);
                return other;
            });
        }
        return inserted;
    }

    /** @param replacement returns the entry with another id */
    private void insert(TransactionContext transaction, List<NewEntry> entries, UnaryOperator<NewEntry> replacement) {
        OutboxSchema tables = database.tables();
        List<NewEntry> rest = new ArrayList<>(entries);
        while (!rest.isEmpty()) {
            try {
                transaction.batchUpdate(rest.stream()
                        .flatMap(entry -> Stream.of(
                                Rows.insert(
                                        tables, tables.entries(), entry.row().values()),
                                Rows.insert(
                                        tables, tables.ledger(), entry.request().values())))
                        .toList());
                return;
            } catch (SpannerBatchUpdateException e) {
                int failed = e.getUpdateCounts().length;
                if (e.getErrorCode() != ErrorCode.ALREADY_EXISTS || failed % 2 != 0) {
                    throw e;
                }
                rest.subList(0, failed / 2).clear();
                rest.set(0, replacement.apply(rest.getFirst()));
            }
        }
    }

    private NewEntry newEntry(
            OutboxMessage message, Instant now, Map<OrderingKey, Long> last, Optional<ClaimRoom> room) {
        long id = ids.next(
                now, orderingKey(message).map(key -> last.getOrDefault(key, 0L)).orElse(0L));
        EntryRow row = new EntryRow(id, message, now);
        Optional<OutboxClaim> claim = room.map(of -> row.claim(of.owner(), now, of.lease()));
        return new NewEntry(
                message, row, claim, LedgerRow.begun(message.idempotencyKey(), message.requestDigest(), now, id));
    }

    /** Returns whether an entry can be claimed as it is enqueued: it has no start time and no delay, and no order has to be kept. */
    private static boolean isClaimable(OutboxMessage message, Instant now) {
        return isClaimable(message)
                && message.expiresAt().filter(end -> !now.isBefore(end)).isEmpty();
    }

    static boolean isClaimable(OutboxMessage message) {
        return message.orderingKey().isEmpty()
                && message.notBefore().isEmpty()
                && message.delay().isZero();
    }

    private static Optional<OrderingKey> orderingKey(OutboxMessage message) {
        return message.orderingKey().map(key -> new OrderingKey(message.destination(), key));
    }

    /**
     * Returns the greatest committed id of each ordering key that has ids from now on, which another process has
     * enqueued within the same millisecond. It is read outside of the transaction, so that transactions of one key do
     * not wait for each other.
     */
    private Map<OrderingKey, Long> lastIds(Collection<OutboxMessage> messages, Instant now) {
        Set<OrderingKey> orderingKeys = messages.stream()
                .flatMap(message -> orderingKey(message).stream())
                .collect(Collectors.toSet());
        KeySet.Builder later = KeySet.newBuilder();
        for (OrderingKey key : orderingKeys) {
            for (boolean waiting : new boolean[] {false, true}) {
                later.addRange(KeyRange.closedClosed(key.at(waiting, EntryIds.floor(now)), key.prefix(waiting)));
            }
        }
        Map<OrderingKey, Long> last = new HashMap<>();
        if (!orderingKeys.isEmpty()) {
            OutboxSchema tables = database.tables();
            database.read(
                            "reading ordering keys",
                            context -> Rows.all(
                                    context.readUsingIndex(
                                            tables.entries(),
                                            tables.byOrderingKey(),
                                            later.build(),
                                            List.of("OpenOrderingKey", "Destination", "Id")),
                                    row -> row))
                    .forEach(row -> last.merge(OrderingKey.of(row), row.getLong("Id"), Math::max));
        }
        return last;
    }

    /** Divides entries into requests. */
    private static List<List<NewEntry>> parts(Collection<NewEntry> entries) {
        List<List<NewEntry>> parts = new ArrayList<>();
        int characters = 0;
        for (NewEntry entry : entries) {
            int length = entry.message().payload().length();
            characters += length;
            if (parts.isEmpty()
                    || characters > MAX_CHARACTERS
                    || parts.getLast().size() == MAX_ROWS) {
                parts.add(new ArrayList<>());
                characters = length;
            }
            parts.getLast().add(entry);
        }
        return parts;
    }
}

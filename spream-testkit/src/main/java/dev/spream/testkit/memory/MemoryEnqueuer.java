package dev.spream.testkit.memory;

import dev.spream.core.record.Json;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Instant;
import java.util.List;

/** The enqueuing side of an {@link InMemoryOutbox}. */
final class MemoryEnqueuer implements Outbox<Transaction> {
    private final OutboxMemory memory;

    MemoryEnqueuer(OutboxMemory memory) {
        this.memory = memory;
    }

    @Override
    public Class<Transaction> transactionType() {
        return Transaction.class;
    }

    @Override
    public EnqueueResult enqueue(Transaction transaction, OutboxMessage message) {
        return enqueueAll(transaction, List.of(message)).getFirst();
    }

    @Override
    public List<EnqueueResult> enqueueAll(Transaction transaction, List<OutboxMessage> messages) {
        messages.forEach(message -> requireJson(message.payload()));
        return memory.lockedIn(
                transaction,
                () -> messages.stream()
                        .map(message -> enqueueOne(transaction, message))
                        .toList());
    }

    private static void requireJson(String payload) {
        try {
            Json.parse(payload);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the payload is not valid JSON: " + e.getMessage(), e);
        }
    }

    private EnqueueResult enqueueOne(Transaction transaction, OutboxMessage message) {
        Instant now = memory.now();
        List<LedgerEntry> generations = memory.ledger.forWriting(transaction, message.idempotencyKey());
        return switch (MemoryLedger.claim(generations, message.idempotencyKey(), message.requestDigest(), now)) {
            case LedgerClaim.Begun begun -> add(transaction, new StoredEntry(memory.nextId(), message, now));
            case LedgerClaim.InProgress there -> new EnqueueResult.InProgress(there.entry());
            case LedgerClaim.Settled settled -> new EnqueueResult.Settled(settled.entry());
            case LedgerClaim.Conflict conflict -> new EnqueueResult.Conflict(conflict.entry());
        };
    }

    private static EnqueueResult add(Transaction transaction, StoredEntry entry) {
        transaction.enqueued.add(entry);
        return new EnqueueResult.Enqueued(entry.id());
    }

    @Override
    public void signal() {
        memory.watchers.forEach(Runnable::run);
    }
}

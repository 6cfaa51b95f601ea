package dev.spream.testkit.memory;

import dev.spream.core.record.Json;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.OutboxTransaction;
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
    public List<EnqueueResult> enqueueAll(Transaction transaction, List<OutboxMessage> messages) {
        return enqueueAll(transaction, messages, MemoryOutboxTransaction.Claims.none());
    }

    /** Enqueues messages, and claims them where there is room. */
    List<EnqueueResult> enqueueAll(
            Transaction transaction, List<OutboxMessage> messages, MemoryOutboxTransaction.Claims claims) {
        messages.forEach(message -> requireJson(message.payload()));
        return memory.lockedIn(
                transaction,
                () -> messages.stream()
                        .map(message -> enqueueOne(transaction, message, claims))
                        .toList());
    }

    @Override
    public OutboxTransaction begin(Transaction transaction) {
        return new MemoryOutboxTransaction(this, memory, transaction);
    }

    private static void requireJson(String payload) {
        try {
            Json.parse(payload);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the payload is not valid JSON: " + e.getMessage(), e);
        }
    }

    private EnqueueResult enqueueOne(
            Transaction transaction, OutboxMessage message, MemoryOutboxTransaction.Claims claims) {
        Instant now = memory.now();
        List<LedgerEntry> generations = memory.ledger.forWriting(transaction, message.idempotencyKey());
        return switch (MemoryLedger.claim(generations, message.idempotencyKey(), message.requestDigest(), now)) {
            case LedgerClaim.Begun begun -> {
                message.requireTimeAfterDelay(now);
                yield add(transaction, new StoredEntry(memory.nextId(), message, now), claims);
            }
            case LedgerClaim.InProgress there -> new EnqueueResult.InProgress(there.entry());
            case LedgerClaim.Settled settled -> new EnqueueResult.Settled(settled.entry());
            case LedgerClaim.Conflict conflict -> new EnqueueResult.Conflict(conflict.entry());
        };
    }

    private EnqueueResult add(Transaction transaction, StoredEntry entry, MemoryOutboxTransaction.Claims claims) {
        claims.claim(entry, memory.now());
        transaction.enqueued.add(entry);
        return new EnqueueResult.Enqueued(entry.id());
    }

    @Override
    public void signal() {
        memory.watchers.forEach(OutboxStore.Watcher::wake);
    }
}

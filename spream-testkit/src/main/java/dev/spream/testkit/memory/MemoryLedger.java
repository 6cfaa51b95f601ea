package dev.spream.testkit.memory;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The ledger of an {@link InMemoryOutbox} for applications. */
final class MemoryLedger implements IdempotencyLedger<Transaction> {
    private final OutboxMemory memory;

    MemoryLedger(OutboxMemory memory) {
        this.memory = memory;
    }

    @Override
    public Class<Transaction> transactionType() {
        return Transaction.class;
    }

    @Override
    public LedgerClaim claim(Transaction transaction, String idempotencyKey, String requestDigest) {
        return memory.lockedIn(
                transaction,
                () -> claim(
                        memory.ledger.forWriting(transaction, idempotencyKey),
                        idempotencyKey,
                        requestDigest,
                        memory.now()));
    }

    /** Adds the first generation of a request, unless it has one. */
    static LedgerClaim claim(List<LedgerEntry> generations, String key, String digest, Instant now) {
        if (generations.isEmpty()) {
            generations.add(LedgerTable.begun(key, 1, digest, now));
            return new LedgerClaim.Begun(1);
        }
        LedgerEntry last = generations.getLast();
        if (!last.requestDigest().equals(digest)) {
            return new LedgerClaim.Conflict(last);
        }
        return last.status().isSettled() ? new LedgerClaim.Settled(last) : new LedgerClaim.InProgress(last);
    }

    @Override
    public boolean settle(
            Transaction transaction, String idempotencyKey, int generation, String requestDigest, LedgerResult result) {
        return memory.lockedIn(
                transaction,
                () -> LedgerTable.settle(
                        memory.ledger.forWriting(transaction, idempotencyKey),
                        generation,
                        requestDigest,
                        result,
                        memory.now()));
    }

    @Override
    public Optional<Integer> reopen(Transaction transaction, String idempotencyKey) {
        return memory.lockedIn(
                transaction,
                () -> LedgerTable.reopen(memory.ledger.forWriting(transaction, idempotencyKey), memory.now()));
    }

    @Override
    public Optional<LedgerEntry> find(String idempotencyKey) {
        return memory.locked(() -> memory.ledger.last(idempotencyKey));
    }

    @Override
    public int prune(Duration settledFor, int limit) {
        return memory.locked(() -> prune(memory, settledFor, limit));
    }

    static int prune(OutboxMemory memory, Duration settledFor, int limit) {
        List<String> old = memory.ledger.settledUntil(memory.now().minus(settledFor)).stream()
                .filter(key -> memory.entries.find(key).isEmpty())
                .limit(limit)
                .toList();
        old.forEach(memory.ledger::forget);
        return old.size();
    }
}

package dev.spream.testkit.memory;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Ways to enqueue, and ledgers, that do not keep the contract, each in one way. */
final class SpoiltOutboxes {
    private SpoiltOutboxes() {}

    /** Enqueues in a transaction of its own, whatever becomes of the caller's. */
    record EnqueuesOutside(InMemoryOutbox memory, Outbox<Transaction> target) implements Outbox<Transaction> {
        @Override
        public Class<Transaction> transactionType() {
            return target.transactionType();
        }

        @Override
        public List<EnqueueResult> enqueueAll(Transaction transaction, List<OutboxMessage> messages) {
            try (Transaction own = memory.begin()) {
                List<EnqueueResult> results = target.enqueueAll(own, messages);
                own.commit();
                return results;
            }
        }

        @Override
        public OutboxTransaction begin(Transaction transaction) {
            return target.begin(transaction);
        }

        @Override
        public void signal() {
            target.signal();
        }
    }

    /** Takes the first request under a key for every other one. */
    record IgnoresDigests(Outbox<Transaction> target) implements Outbox<Transaction> {
        @Override
        public Class<Transaction> transactionType() {
            return target.transactionType();
        }

        @Override
        public EnqueueResult enqueue(Transaction transaction, OutboxMessage message) {
            return mild(target.enqueue(transaction, message));
        }

        @Override
        public List<EnqueueResult> enqueueAll(Transaction transaction, List<OutboxMessage> messages) {
            return target.enqueueAll(transaction, messages).stream()
                    .map(IgnoresDigests::mild)
                    .toList();
        }

        private static EnqueueResult mild(EnqueueResult result) {
            return result instanceof EnqueueResult.Conflict conflict
                    ? new EnqueueResult.InProgress(conflict.entry())
                    : result;
        }

        @Override
        public OutboxTransaction begin(Transaction transaction) {
            return target.begin(transaction);
        }

        @Override
        public void signal() {
            target.signal();
        }
    }

    /** Overwrites answers, as an upsert does. */
    record Overwrites(InMemoryOutbox memory, IdempotencyLedger<Transaction> target)
            implements IdempotencyLedger<Transaction> {
        @Override
        public Class<Transaction> transactionType() {
            return target.transactionType();
        }

        @Override
        public LedgerClaim claim(Transaction transaction, String idempotencyKey, String requestDigest) {
            return target.claim(transaction, idempotencyKey, requestDigest);
        }

        @Override
        public boolean settle(
                Transaction transaction,
                String idempotencyKey,
                int generation,
                String requestDigest,
                LedgerResult result) {
            if (target.settle(transaction, idempotencyKey, generation, requestDigest, result)) {
                return true;
            }
            OutboxMemory tables = memory.memory();
            return tables.lockedIn(transaction, () -> {
                List<LedgerEntry> generations = tables.ledger.forWriting(transaction, idempotencyKey);
                Optional<LedgerEntry> there = generations.stream()
                        .filter(entry -> entry.generation() == generation)
                        .findFirst();
                there.ifPresent(entry -> {
                    int place = generations.indexOf(entry);
                    generations.set(
                            place,
                            new LedgerEntry(
                                    idempotencyKey,
                                    generation,
                                    requestDigest,
                                    Optional.of(result),
                                    entry.createdAt(),
                                    Optional.of(tables.now())));
                });
                return there.isPresent();
            });
        }

        @Override
        public Optional<Integer> reopen(Transaction transaction, String idempotencyKey) {
            return target.reopen(transaction, idempotencyKey);
        }

        @Override
        public Optional<LedgerEntry> find(String idempotencyKey) {
            return target.find(idempotencyKey);
        }

        @Override
        public int prune(Duration settledFor, int limit) {
            return target.prune(settledFor, limit);
        }
    }
}

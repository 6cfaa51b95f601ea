package dev.spream.testkit.memory;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/** An outbox in memory whose clock is set by the test, and of which parts may be broken. */
final class InMemoryOutboxFixture implements OutboxOperationsFixture<Transaction> {
    private volatile Instant time = Instant.parse("2026-03-01T10:00:00.123456Z");
    private final InMemoryOutbox memory = new InMemoryOutbox(this::now);
    private final OutboxStore store;
    private final OutboxStore anotherStore;
    private final Outbox<Transaction> outbox;
    private final IdempotencyLedger<Transaction> ledger;
    private final OutboxOperations operations;

    InMemoryOutboxFixture() {
        this(Spoiler.NONE);
    }

    InMemoryOutboxFixture(Spoiler spoiler) {
        store = spoiler.store(memory, memory.store());
        anotherStore = spoiler.store(memory, memory.store());
        outbox = spoiler.outbox(memory, memory.outbox());
        ledger = spoiler.ledger(memory, memory.ledger());
        operations = spoiler.operations(memory, memory.operations());
    }

    /** Puts something that does not keep the contract around parts of an outbox. */
    interface Spoiler {
        Spoiler NONE = new Spoiler() {};

        default OutboxStore store(InMemoryOutbox memory, OutboxStore target) {
            return target;
        }

        default Outbox<Transaction> outbox(InMemoryOutbox memory, Outbox<Transaction> target) {
            return target;
        }

        default IdempotencyLedger<Transaction> ledger(InMemoryOutbox memory, IdempotencyLedger<Transaction> target) {
            return target;
        }

        default OutboxOperations operations(InMemoryOutbox memory, OutboxOperations target) {
            return target;
        }

        static Spoiler ofStore(UnaryOperator<OutboxStore> spoil) {
            return new Spoiler() {
                @Override
                public OutboxStore store(InMemoryOutbox memory, OutboxStore target) {
                    return spoil.apply(target);
                }
            };
        }
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxStore anotherStore() {
        return anotherStore;
    }

    @Override
    public Outbox<Transaction> outbox() {
        return outbox;
    }

    @Override
    public IdempotencyLedger<Transaction> ledger() {
        return ledger;
    }

    @Override
    public OutboxOperations operations() {
        return operations;
    }

    @Override
    public Transaction begin() {
        return memory.begin();
    }

    @Override
    public void commit(Transaction transaction) {
        transaction.commit();
    }

    @Override
    public void rollback(Transaction transaction) {
        transaction.rollback();
    }

    @Override
    public Instant now() {
        return time;
    }

    @Override
    public synchronized void passTime(Duration by) {
        time = time.plus(by);
    }

    @Override
    public OutboxStatus status(String idempotencyKey) {
        return memory.operations().find(idempotencyKey).orElseThrow().status();
    }

    @Override
    public List<LedgerEntry> generations(String idempotencyKey) {
        return memory.memory().locked(() -> List.copyOf(memory.memory().ledger.generations(idempotencyKey)));
    }

    @Override
    public void changeLedgerDigest(String idempotencyKey, String requestDigest) {
        memory.memory().locked(() -> memory.memory().ledger.changeDigest(idempotencyKey, requestDigest));
    }

    @Override
    public void close() {
        store.close();
        anotherStore.close();
        operations.close();
    }
}

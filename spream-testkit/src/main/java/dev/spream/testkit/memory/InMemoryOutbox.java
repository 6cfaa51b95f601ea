package dev.spream.testkit.memory;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An outbox in memory with its ledger, for tests and demos: the reference for the behaviour of stores. The writes of a
 * transaction become visible when it commits; a write of an idempotency key waits for an open transaction that has
 * written the same key.
 *
 * <p>Safe for use by many threads, and by several workers of one process. All data is lost when the process ends.
 */
public final class InMemoryOutbox {
    private final OutboxMemory memory;

    public InMemoryOutbox() {
        this(InstantSource.system());
    }

    /** Creates an outbox that takes its times from the given clock. */
    public InMemoryOutbox(InstantSource clock) {
        memory = new OutboxMemory(requireNonNull(clock, "clock"));
    }

    /** Returns a store for workers. Every call returns another store over the same entries, as in another process. */
    public OutboxStore store() {
        return new MemoryStore(memory);
    }

    public Outbox<Transaction> outbox() {
        return new MemoryEnqueuer(memory);
    }

    public IdempotencyLedger<Transaction> ledger() {
        return new MemoryLedger(memory);
    }

    public OutboxOperations operations() {
        return new MemoryOperations(memory);
    }

    public OutboxMemory memory() {
        return memory;
    }

    /** Begins a transaction, which the caller commits or closes. */
    public Transaction begin() {
        return new Transaction(memory);
    }

    /** A transaction in memory: its writes until it commits. Used by one thread at a time. */
    public static final class Transaction implements AutoCloseable {
        /** The written generations, by key. Guarded by the memory, as are all fields. */
        final Map<String, List<LedgerEntry>> ledger = new HashMap<>();

        final List<StoredEntry> enqueued = new ArrayList<>();

        /** The key whose writer this transaction waits for. */
        @Nullable
        String waitsFor;

        private final OutboxMemory memory;
        private @Nullable String state;

        private Transaction(OutboxMemory memory) {
            this.memory = memory;
        }

        /**
         * Makes its writes visible to other transactions.
         *
         * @throws StorageException if it has ended or failed; a failed one must still be rolled back
         */
        public void commit() {
            memory.locked(() -> {
                requireOpen(memory);
                state = "was committed";
                memory.commit(this);
            });
        }

        /** Discards its writes. Harmless if it has ended. */
        public void rollback() {
            memory.locked(() -> {
                state = state == null || isFailed() ? "was rolled back" : state;
                memory.rollback(this);
            });
        }

        /** Rolls back uncommitted writes. */
        @Override
        public void close() {
            rollback();
        }

        /** Marks it as failed, after which it can only be rolled back. */
        void fail() {
            state = FAILED;
        }

        private static final String FAILED = "has failed; roll it back";

        private boolean isFailed() {
            return FAILED.equals(state);
        }

        void requireOpen(OutboxMemory where) {
            if (where != memory) {
                throw new StorageException("the transaction belongs to another outbox", false, null);
            }
            if (state != null) {
                throw new StorageException("the transaction " + state, false, null);
            }
        }
    }
}

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
 * <p>Safe for use by many threads, and by several workers of one process. Everything is gone when the process ends.
 */
public final class InMemoryOutbox {
    private final OutboxMemory memory;

    public InMemoryOutbox() {
        this(InstantSource.system());
    }

    /** An outbox whose times are those of that clock. */
    public InMemoryOutbox(InstantSource clock) {
        memory = new OutboxMemory(requireNonNull(clock, "clock"));
    }

    /** What workers use. Every call gives another store over the same entries, as another process would have it. */
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

    /** Begins a transaction, to be committed or closed by the caller. */
    public Transaction begin() {
        return new Transaction(memory);
    }

    /** A transaction in memory: what it wrote, until it commits. Used by one thread at a time. */
    public static final class Transaction implements AutoCloseable {
        /** Guarded by the memory, as are all fields. */
        final Map<String, List<LedgerEntry>> ledger = new HashMap<>();

        final List<StoredEntry> enqueued = new ArrayList<>();

        /** The key for whose writer this waits. */
        @Nullable
        String waitsFor;

        private final OutboxMemory memory;
        private @Nullable String state;

        private Transaction(OutboxMemory memory) {
            this.memory = memory;
        }

        /**
         * Makes what it wrote visible to everybody.
         *
         * @throws StorageException if it has ended before or failed; a failed one is still to be rolled back
         */
        public void commit() {
            memory.locked(() -> {
                requireOpen(memory);
                state = "was committed";
                memory.commit(this);
            });
        }

        /** Undoes what it wrote. Of one that has ended it changes nothing. */
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

        /** From here on it can be rolled back alone. */
        void fail() {
            state = FAILED;
        }

        private static final String FAILED = "has failed; roll it back";

        private boolean isFailed() {
            return FAILED.equals(state);
        }

        void requireOpen(OutboxMemory where) {
            if (where != memory) {
                throw new StorageException("the transaction is one of another outbox", false, null);
            }
            if (state != null) {
                throw new StorageException("the transaction " + state, false, null);
            }
        }
    }
}

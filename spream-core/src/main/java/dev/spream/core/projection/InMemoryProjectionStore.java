package dev.spream.core.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.event.EventEnvelope;
import dev.spream.core.event.FeedItem;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;

/**
 * A database in memory with read models and the states of their projections, for tests and demos: the reference for what
 * stores do. A transaction's rows are seen by others when it has committed; who writes a row, or an aggregate's state, that
 * another open transaction has written waits for that one.
 *
 * <p>Safe for use by many threads, and by several engines of one process. Everything is gone when the process ends.
 */
public final class InMemoryProjectionStore implements ProjectionStore<InMemoryProjectionStore.Transaction> {
    private final ProjectionMemory memory;

    public InMemoryProjectionStore() {
        this(InstantSource.system());
    }

    /** A database whose times are those of that clock. */
    public InMemoryProjectionStore(InstantSource clock) {
        this(new ProjectionMemory(requireNonNull(clock, "clock")));
    }

    private InMemoryProjectionStore(ProjectionMemory memory) {
        this.memory = memory;
    }

    /** Another store over the same database, as another process would have it. */
    public InMemoryProjectionStore store() {
        return new InMemoryProjectionStore(memory);
    }

    public ProjectionOperations operations() {
        return new MemoryProjectionOperations(memory);
    }

    /** The rows of a table of the read models, as they are committed, by their keys; empty if nothing was ever written to it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // a table has the type that its writers give it
    public <V> Map<String, V> table(String name) {
        return memory.locked(() -> (Map<String, V>) new TreeMap<>(memory.rows.table(name)));
    }

    ProjectionMemory memory() {
        return memory;
    }

    /**
     * A transaction in which a projection reads and writes rows. Used by one thread at a time, as long as the work lasts that
     * it was handed to.
     */
    public static final class Transaction {
        private final ProjectionMemory memory;

        /** Guarded by the memory. */
        final OpenTransaction open = new OpenTransaction();

        Transaction(ProjectionMemory memory) {
            this.memory = memory;
        }

        /** A table of the read models, which is there without being created. Its rows should all be of the same type. */
        public <V> Table<V> table(String name) {
            return new Table<>(this, requireNonNull(name, "name"));
        }
    }

    /**
     * A table as a transaction sees it: as it is committed, with the transaction's own writes.
     *
     * @param <V> its rows, which nobody changes
     */
    public static final class Table<V> {
        private final Transaction transaction;
        private final String name;

        private Table(Transaction transaction, String name) {
            this.transaction = transaction;
            this.name = name;
        }

        /** The row with that key. It stays as it is only if this transaction has written or {@linkplain #lock locked} it. */
        @SuppressWarnings("unchecked")
        public Optional<V> get(String key) {
            return transaction.memory.lockedIn(
                    transaction,
                    () -> transaction.memory.rows.get(transaction, name, key).map(row -> (V) row));
        }

        /**
         * The same row, which nobody else writes before this transaction ends. Waits for those who do.
         *
         * @throws StorageException if they wait for this transaction, too, or the thread was interrupted; it can only be rolled
         *     back then
         */
        public Optional<V> lock(String key) {
            return transaction.memory.lockedIn(transaction, () -> {
                transaction.memory.locks.acquire(transaction, new RowLocks.Row(name, key));
                return get(key);
            });
        }

        /** Writes a row. Waits as {@link #lock} does, and fails as it does. */
        public void put(String key, V row) {
            write(key, Optional.of(row));
        }

        /** Removes a row; harmless if there is none. Waits as {@link #lock} does, and fails as it does. */
        public void remove(String key) {
            write(key, Optional.empty());
        }

        private void write(String key, Optional<V> row) {
            transaction.memory.lockedIn(transaction, () -> {
                transaction.memory.locks.acquire(transaction, new RowLocks.Row(name, key));
                transaction.memory.rows.write(transaction, name, key, row);
                return row;
            });
        }
    }

    @Override
    public Class<Transaction> transactionType() {
        return Transaction.class;
    }

    @Override
    public ProjectionState register(String projection, int segments) {
        return memory.locked(() -> memory.register(projection, segments).state());
    }

    @Override
    public Optional<ProjectionState> state(String projection) {
        return memory.locked(() -> memory.find(projection).map(StoredProjection::state));
    }

    @Override
    public SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease) {
        return memory.locked(() -> memory.require(projection).segments.hold(owner, giveUp, memory.now(), lease));
    }

    @Override
    public void leave(String projection, ProjectionOwner owner) {
        memory.locked(() -> memory.find(projection).ifPresent(found -> found.segments.leave(owner)));
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
        Optional<StoredProjection> entered = memory.enter(fence);
        if (entered.isEmpty()) {
            return false;
        }
        StoredProjection projection = entered.get();
        Transaction transaction = new Transaction(memory);
        try {
            Map<String, KeyState> states = memory.lockedIn(transaction, () -> {
                Map<String, KeyState> found = new TreeMap<>();
                for (String key : new TreeSet<>(keys)) {
                    memory.locks.acquire(transaction, projection.row(key));
                    found.put(key, projection.keyState(key));
                }
                return found;
            });
            Progress progress = work.apply(transaction, states);
            memory.commit(transaction, () -> projection.record(fence, states.keySet(), progress, memory.now()));
            return true;
        } finally {
            memory.leave(fence, projection, transaction);
        }
    }

    @Override
    public FailureKind failureKind(Exception failure) {
        return switch (failure) {
            case ProjectionFailure told -> told.kind();
            case StorageException storage -> storage.retryable() ? FailureKind.TRANSIENT : FailureKind.POISON;
            case InterruptedException interrupted -> FailureKind.TRANSIENT;
            case TimeoutException late -> FailureKind.TRANSIENT;
            default -> FailureKind.POISON;
        };
    }

    @Override
    public List<ParkedKey> due(Fence fence, int limit) {
        return memory.locked(() -> memory.find(fence.projection())
                .map(projection -> projection.due(fence, memory.now(), limit))
                .orElse(List.of()));
    }

    @Override
    public Optional<KeyState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work) throws Exception {
        Optional<StoredProjection> entered = memory.enter(fence);
        if (entered.isEmpty()) {
            return Optional.empty();
        }
        StoredProjection projection = entered.get();
        Transaction transaction = new Transaction(memory);
        try {
            List<EventEnvelope> events = memory.lockedIn(
                    transaction,
                    () -> memory.locks.tryAcquire(transaction, projection.row(key))
                            ? projection.setAside(key, limit)
                            : List.of());
            if (events.isEmpty()) {
                return Optional.empty();
            }
            long last = memory.locked(() -> projection.keyState(key)).lastVersion();
            long now = work.apply(transaction, last, events);
            return Optional.of(memory.commit(transaction, () -> projection.retried(key, now, memory.now())));
        } finally {
            memory.leave(fence, projection, transaction);
        }
    }

    @Override
    public boolean postpone(Fence fence, String key, Tried tried, Parking parking) {
        return memory.locked(() -> memory.find(fence.projection())
                .filter(projection -> {
                    memory.locks.awaitFree(projection.row(key));
                    return projection.isHeld(fence);
                })
                .map(projection -> projection.postpone(key, tried, parking, memory.now()))
                .orElse(false));
    }

    @Override
    public void deadLetter(String projection, FeedItem.Undecodable item) {
        memory.locked(() -> memory.require(projection).deadLetter(item));
    }

    @Override
    public void report(String projection, long errors, Optional<String> lastError) {
        memory.locked(() -> memory.require(projection).report(errors, lastError, memory.now()));
    }

    @Override
    public boolean fail(Fence fence, String error) {
        return memory.locked(() -> memory.find(fence.projection())
                .filter(projection -> projection.isHeld(fence))
                .map(projection -> projection.fail(error, memory.now()))
                .orElse(false));
    }

    @Override
    public void close() {}
}

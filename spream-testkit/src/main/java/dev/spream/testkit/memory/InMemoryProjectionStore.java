package dev.spream.testkit.memory;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
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
 * A database in memory with read models and the states of their projections, for tests and demos: the reference for the
 * behaviour of stores. The rows of a transaction become visible when it commits; a write of a row, or of an aggregate's
 * state, that another open transaction has written waits for that transaction.
 *
 * <p>Safe for use by many threads, and by several engines of one process. All data is lost when the process ends.
 */
public final class InMemoryProjectionStore implements ProjectionStore<InMemoryProjectionStore.Transaction> {
    private final ProjectionMemory memory;

    public InMemoryProjectionStore() {
        this(InstantSource.system());
    }

    /** Creates a database that takes its times from the given clock. */
    public InMemoryProjectionStore(InstantSource clock) {
        this(clock, MonotonicTime.SYSTEM);
    }

    /** Creates a database for tests that control the time: all waits use the given clock. */
    public InMemoryProjectionStore(InstantSource clock, MonotonicTime time) {
        this(new ProjectionMemory(requireNonNull(clock, "clock"), time));
    }

    private InMemoryProjectionStore(ProjectionMemory memory) {
        this.memory = memory;
    }

    /** Returns another store over the same database, as in another process. */
    public InMemoryProjectionStore store() {
        return new InMemoryProjectionStore(memory);
    }

    public ProjectionOperations operations() {
        return new MemoryProjectionOperations(memory);
    }

    /** Returns the committed rows of a table of the read models, by key; empty if nothing was ever written to it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the type of a table is chosen by its writers
    public <V> Map<String, V> table(String name) {
        return memory.locked(() -> (Map<String, V>) new TreeMap<>(memory.rows.table(name)));
    }

    /**
     * Returns the committed rows of a table in a version of a projection, live or not; empty if the version does not
     * exist or is not prepared.
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the type of a table is chosen by its writers
    public <V> Map<String, V> table(ProjectionVersion version, String name) {
        return memory.locked(() -> memory.find(version.stateName())
                .filter(found -> found.version().prepared())
                .map(found -> (Map<String, V>) new TreeMap<>(memory.rows.table(found.place(name))))
                .orElseGet(TreeMap::new));
    }

    public ProjectionMemory memory() {
        return memory;
    }

    /**
     * A transaction in which a projection reads and writes rows. Used by one thread at a time, and only during the work
     * that received it.
     */
    public static final class Transaction {
        private final ProjectionMemory memory;
        private final StoredProjection projection;

        /** Guarded by the memory. */
        final OpenTransaction open = new OpenTransaction();

        Transaction(ProjectionMemory memory, StoredProjection projection) {
            this.memory = memory;
            this.projection = projection;
        }

        /**
         * Returns a table of the read models, in the version of this transaction; it need not be created. Its rows
         * should all be of the same type.
         */
        public <V> Table<V> table(String name) {
            requireNonNull(name, "name");
            return new Table<>(this, memory.locked(() -> projection.place(name)));
        }
    }

    /**
     * A table as seen by a transaction: the committed rows with the transaction's own writes.
     *
     * @param <V> its rows, which are not modified
     */
    public static final class Table<V> {
        private final Transaction transaction;
        private final String name;

        private Table(Transaction transaction, String name) {
            this.transaction = transaction;
            this.name = name;
        }

        /**
         * Returns the row with that key. Only a row that this transaction has written or {@linkplain #lock locked} is
         * protected from later changes.
         */
        @SuppressWarnings("unchecked")
        public Optional<V> get(String key) {
            return transaction.memory.lockedIn(
                    transaction,
                    () -> transaction.memory.rows.get(transaction, name, key).map(row -> (V) row));
        }

        /**
         * Returns the row with that key, locked against other writers until this transaction ends. Waits for
         * transactions that have written it.
         *
         * @throws StorageException on a deadlock with those transactions, or if the thread was interrupted; this
         * transaction can then only be rolled back
         */
        public Optional<V> lock(String key) {
            return transaction.memory.lockedIn(transaction, () -> {
                transaction.memory.locks.acquire(transaction, new RowLocks.Row(name, key));
                return get(key);
            });
        }

        /** Writes a row. Waits and fails as {@link #lock} does. */
        public void put(String key, V row) {
            write(key, Optional.of(row));
        }

        /** Removes a row; harmless if there is none. Waits and fails as {@link #lock} does. */
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
    public ProjectionState register(String projection, int segments, ProjectionCode code) {
        return memory.locked(() -> {
            StoredProjection live = memory.register(projection, segments, code);
            if (live.version().revision() == code.revision()) {
                live.code(code);
            }
            return live.state();
        });
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return memory.locked(() -> memory.versions(projection).stream()
                .map(StoredProjection::version)
                .toList());
    }

    @Override
    public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Transaction> create)
            throws Exception {
        Optional<StoredProjection> found = memory.locked(() -> toPrepare(version));
        if (found.isEmpty() || found.get().version().prepared()) {
            return found.isPresent();
        }
        StoredProjection projection = found.get();
        Transaction transaction = new Transaction(memory, projection);
        try {
            memory.locked(() -> projection.code(code));
            create.create(transaction);
            return memory.commit(transaction, projection::prepared);
        } finally {
            memory.locked(() -> {
                projection.preparing(false);
                memory.end(transaction);
            });
        }
    }

    /** Returns the version and keeps others from preparing it meanwhile; empty if it no longer exists. */
    private Optional<StoredProjection> toPrepare(ProjectionVersion version) {
        awaitPrepared(version);
        Optional<StoredProjection> found = memory.find(version.stateName());
        found.ifPresent(projection -> projection.preparing(!projection.version().prepared()));
        return found;
    }

    @Override
    public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
        Optional<StoredProjection> found = memory.locked(() -> toBegin(version));
        if (found.isEmpty() || found.get().outside().isPresent()) {
            return found.flatMap(StoredProjection::outside);
        }
        StoredProjection projection = found.get();
        try {
            String id = beginning.begin();
            memory.locked(() -> projection.outside(id));
            return Optional.of(id);
        } finally {
            memory.locked(() -> {
                projection.preparing(false);
                memory.statusChanged();
            });
        }
    }

    /** Returns the version and keeps others from beginning its read model meanwhile. */
    private Optional<StoredProjection> toBegin(ProjectionVersion version) {
        awaitPrepared(version);
        Optional<StoredProjection> found = memory.find(version.stateName());
        found.filter(projection -> projection.outside().isEmpty()).ifPresent(projection -> {
            projection.requireNothingProcessed();
            projection.preparing(true);
        });
        return found;
    }

    private void awaitPrepared(ProjectionVersion version) {
        memory.await(
                () -> memory.find(version.stateName())
                        .filter(StoredProjection::isPreparing)
                        .isEmpty(),
                Long.MAX_VALUE,
                "while projection '%s' was prepared".formatted(version.stateName()));
    }

    @Override
    public long limit(ProjectionVersion version, int segment) {
        return memory.locked(() -> memory.limit(memory.require(version.stateName()), segment));
    }

    @Override
    public Map<String, Set<Long>> skipped(String projection) {
        return memory.locked(() ->
                memory.find(projection).map(StoredProjection::skippedVersions).orElse(Map.of()));
    }

    @Override
    public Optional<RebuildProgress> built(ProjectionVersion version) {
        return memory.locked(() -> memory.find(version.stateName())
                .filter(found -> !found.version().isLive())
                .map(found -> {
                    found.measure(memory.now());
                    return memory.progress(found);
                }));
    }

    @Override
    public ProjectionProgress progress(String projection, Set<String> aggregates) {
        return memory.locked(() -> memory.requireLive(projection).progress(aggregates));
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
        Transaction transaction = new Transaction(memory, projection);
        try {
            Map<String, AggregateState> states = memory.lockedIn(transaction, () -> {
                Map<String, AggregateState> found = new TreeMap<>();
                for (String key : new TreeSet<>(keys)) {
                    memory.locks.acquire(transaction, projection.row(key));
                    found.put(key, projection.keyState(key));
                }
                return found;
            });
            BatchCheckpoint progress = work.apply(transaction, states);
            memory.commit(transaction, () -> {
                memory.requireNotAhead(projection, fence, progress.position());
                return projection.record(fence, states.keySet(), progress, memory.now());
            });
            return true;
        } finally {
            memory.leave(fence, projection, transaction);
        }
    }

    @Override
    public FailureKind failureKind(Exception failure) {
        return switch (failure) {
            case ProjectionException told -> told.kind();
            case StorageException storage when storage.getCause() instanceof ProjectionException told -> told.kind();
            case StorageException storage -> storage.retryable() ? FailureKind.TRANSIENT : FailureKind.POISON;
            case InterruptedException interrupted -> FailureKind.TRANSIENT;
            case TimeoutException late -> FailureKind.TRANSIENT;
            default -> FailureKind.POISON;
        };
    }

    @Override
    public List<ParkedAggregate> due(Fence fence, int limit) {
        return memory.locked(() -> memory.find(fence.projection())
                .map(projection -> projection.due(fence, memory.now(), limit))
                .orElse(List.of()));
    }

    @Override
    public Set<Integer> dueSegments(String projection) {
        return memory.locked(() -> memory.find(projection)
                .map(found -> found.dueSegments(memory.now()))
                .orElse(Set.of()));
    }

    @Override
    public ParkedSummary parkedSummary(String projection) {
        return memory.locked(() -> memory.find(projection)
                .map(found -> found.parkedSummary(memory.now()))
                .orElse(ParkedSummary.NONE));
    }

    @Override
    public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
            throws Exception {
        Optional<StoredProjection> entered = memory.enter(fence);
        if (entered.isEmpty()) {
            return Optional.empty();
        }
        StoredProjection projection = entered.get();
        Transaction transaction = new Transaction(memory, projection);
        try {
            List<EventEnvelope> events = memory.lockedIn(
                    transaction,
                    () -> memory.locks.tryAcquire(transaction, projection.row(key))
                            ? projection.parkedEvents(key, limit)
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
    public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
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
        memory.locked(() -> memory.require(projection).deadLetter(item, memory.now()));
    }

    @Override
    public void report(String projection, long errors, Optional<String> lastError) {
        memory.locked(() -> memory.require(projection).report(errors, lastError, memory.now()));
    }

    @Override
    public boolean fail(Fence fence, long epoch, String error) {
        return memory.locked(() -> memory.find(fence.projection())
                .filter(projection -> projection.isHeld(fence) && projection.epoch() == epoch)
                .map(projection -> projection.fail(error, memory.now()))
                .orElse(false));
    }

    @Override
    public void close() {}
}

package dev.spream.testkit.memory;

import static java.util.Objects.requireNonNull;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTurns;
import dev.spream.lock.PlannedLock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locks in memory, for tests of code that locks, and for applications with one process. Waiters are served in order;
 * deadlocks are detected at once, and the transaction that would close the cycle fails.
 *
 * <p>Safe for use by many threads. All locks end with the process.
 */
public final class InMemoryLockStore implements LockStore<InMemoryLockStore.Transaction> {
    private static final Duration HOLDER_TIMEOUT = Duration.ofSeconds(30);

    private final BucketSpace space;
    private final LockTable table;
    private final Duration holderTimeout;
    private final LockTurns turns = LockTurns.unlimited();
    private volatile boolean closed;

    private InMemoryLockStore(BucketSpace space, LockTable table, Duration holderTimeout) {
        this.space = space;
        this.table = table;
        this.holderTimeout = holderTimeout;
    }

    /** Creates a store with locks of its own, for targets of any depth, in which no two targets share a bucket. */
    public static InMemoryLockStore create() {
        return create(new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, LockTarget.MAX_LEVELS));
    }

    public static InMemoryLockStore create(BucketSpace space) {
        return create(space, HOLDER_TIMEOUT);
    }

    public static InMemoryLockStore create(BucketSpace space, Duration holderTimeout) {
        return new InMemoryLockStore(requireNonNull(space, "space"), new LockTable(), holderTimeout);
    }

    /** Returns another store over the same locks, as in another process. */
    public InMemoryLockStore sibling() {
        return new InMemoryLockStore(space, table, holderTimeout);
    }

    /** A transaction in memory, which only holds locks. Fields are guarded by the table. */
    public static final class Transaction {
        static final String BROKEN = "was broken from outside";

        final Set<LockKey> held = new HashSet<>();
        LockTable.@Nullable Wait wait;

        private final InMemoryLockStore store;
        private final String session;
        private @Nullable String state;

        Transaction(InMemoryLockStore store, String session) {
            this.store = store;
            this.session = session;
        }

        /** Returns the id of its session, as in {@link AcquiredLocks#session}. */
        public String session() {
            return session;
        }

        InMemoryLockStore store() {
            return store;
        }

        boolean isOpen() {
            return state == null;
        }

        /** Marks it as failed: it keeps its locks until it is rolled back, and takes no more. */
        void fail() {
            finish("failed");
        }

        void finish(String reason) {
            if (state == null || !state.equals(BROKEN)) {
                state = reason;
            }
        }

        void requireOpen() {
            if (BROKEN.equals(state)) {
                throw new LockConnectionException("transaction %s %s".formatted(session, state), null);
            }
            if (state != null) {
                throw new LockStoreException("transaction %s %s; begin another one".formatted(session, state), null);
            }
        }
    }

    @Override
    public BucketSpace space() {
        return space;
    }

    @Override
    public Class<Transaction> transactionType() {
        return Transaction.class;
    }

    /** Begins a transaction in which locks can be {@linkplain HierarchicalLocks#in taken}. */
    public Transaction begin() {
        if (closed) {
            throw new LockStoreException("the store is closed", null);
        }
        return table.begin(this);
    }

    /** Begins a transaction without waiting, as there is no pool. */
    @Override
    public Transaction begin(LockDeadline deadline) {
        return begin();
    }

    @Override
    public LockTurns turns() {
        return turns;
    }

    @Override
    public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
        return table.tryLock(transaction, locks);
    }

    @Override
    public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
            throws InterruptedException {
        table.lock(transaction, locks, deadline);
    }

    @Override
    public boolean isAlive(Transaction transaction) {
        return table.isOpen(transaction);
    }

    /** Does nothing: there are no limits to set, and no connection that could be lost. */
    @Override
    public void lend(Transaction transaction) {}

    @Override
    public void commit(Transaction transaction) {
        table.commit(transaction);
    }

    @Override
    public boolean isCurrent(Transaction transaction, String mark) {
        return isAlive(transaction);
    }

    @Override
    public Object connectionOf(Transaction transaction) {
        return transaction;
    }

    @Override
    public void rollback(Transaction transaction) {
        table.finish(transaction, "was rolled back");
    }

    @Override
    public void end(Transaction transaction) {
        table.finish(transaction, "is over");
    }

    @Override
    public boolean isDeadlock(Exception failure) {
        return failure instanceof LockDeadlockException;
    }

    @Override
    public long nextEpoch() {
        return table.nextEpoch();
    }

    @Override
    public Duration holderTimeout() {
        return holderTimeout;
    }

    @Override
    public void report(LockReport report) {
        table.report(report);
    }

    /** Returns the last report of each process. */
    public List<LockReport> reports() {
        return table.reports();
    }

    /** Returns the sessions that a session waits for; empty if it does not wait. */
    public Set<String> blockersOf(String session) {
        return table.blockersOf(session);
    }

    /** Revokes the locks of one transaction, as the loss of a connection to a database would. */
    public void kill(String session) {
        table.kill(session);
    }

    @Override
    public void close() {
        closed = true;
        table.breakAll(this);
    }
}

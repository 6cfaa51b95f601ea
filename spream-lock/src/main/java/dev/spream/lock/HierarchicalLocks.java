package dev.spream.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Locks targets of a hierarchy, their ancestors shared and themselves exclusive, for as long as a transaction lasts.
 *
 * <p>The safest form is one transaction for the locks and the work: the work is committed while the locks are held,
 * or not at all.
 *
 * <pre>{@code
 * LockRequest accounts = LockRequest.exclusive(LockTarget.account("u1", "a1"), LockTarget.account("u2", "a7"));
 * locks.transactWithoutResult(accounts, connection -> {
 *     move(connection, 100);
 * });
 * }</pre>
 *
 * <p>Where the work is elsewhere, a handle holds the locks on a connection of its own.
 *
 * <pre>{@code
 * try (LockHandle handle = locks.acquire(LockRequest.exclusive(LockTarget.user("u1")))) {
 *     rebuild("u1", handle.epoch());
 * }
 * }</pre>
 *
 * <p>Calls that wait for locks by a handle or a transaction of their own have at most half of the store's connections
 * for that. Others are queued in this process, in the order of arrival for each lock, and begin again when it is their
 * turn. A transaction that is run again keeps its place.
 *
 * <p>Safe for use by many threads. While something is held or waited for, one thread checks the handles, so that a
 * lost connection is noticed, and reports the holders to the database.
 *
 * @param <T> a transaction of the store
 */
public final class HierarchicalLocks<T> implements AutoCloseable {
    private final LockEngine<T> engine;
    private final LockTransactions<T> transactions;
    private final TaskLock.Runs tasks = new TaskLock.Runs();

    private HierarchicalLocks(LockStore<T> store, LockOptions options) {
        this.engine = new LockEngine<>(store, options);
        this.transactions = new LockTransactions<>(engine);
    }

    /** Returns locks of that store, which the caller closes. */
    public static <T> HierarchicalLocks<T> over(LockStore<T> store) {
        return builder(store).build();
    }

    /** Returns a builder of locks of that store, which the caller closes. */
    public static <T> Builder<T> builder(LockStore<T> store) {
        return new Builder<>(requireNonNull(store, "store"));
    }

    /**
     * Returns the scope of a transaction of the caller, in which locks are held until it ends. Locks taken by earlier
     * calls in the same transaction, on the same connection, are remembered, so that any later call refuses a lock out
     * of the locking order; the connection's next transaction starts anew. In the work of {@link #transact} it is the
     * scope that already has the locks.
     *
     * <p>If a call fails, the whole transaction is rolled back, and the connection accepts no change until the caller
     * has ended the transaction by a rollback: nothing after the failure can be committed.
     */
    public LockScope in(T transaction) {
        engine.requireOpen();
        requireNonNull(transaction, "transaction");
        return engine.ownerOf(transaction).orElseGet(() -> engine.join(transaction));
    }

    /** Acquires with the {@linkplain Builder#defaultWait default wait}. */
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return acquire(request, engine.options().defaultWait());
    }

    /**
     * Acquires locks on a connection of their own.
     *
     * @throws LockException if the locks could not be taken; nothing is held
     */
    public LockHandle acquire(LockRequest request, LockWait wait) throws InterruptedException {
        engine.requireOpen();
        return transactions.open(request, wait, transactions.caller());
    }

    /**
     * Acquires locks on a connection of their own if all of them are free. Returns empty if another owner holds one of
     * them, or if the store has no connection for another handle; {@link #acquire(LockRequest, LockWait)} with {@link
     * LockWait#NONE} tells the two apart. Does not wait for either, except for a connection that the store has to open.
     *
     * @throws LockException if the locks could not be taken for another reason; nothing is held
     */
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        try {
            return Optional.of(acquire(request, LockWait.NONE));
        } catch (LockBusyException | LockTimeoutException e) {
            return Optional.empty();
        }
    }

    /** Acquires with the {@linkplain Builder#defaultWait default wait}, without blocking the calling thread. */
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return acquireAsync(request, engine.options().defaultWait());
    }

    /**
     * Acquires locks on a connection of their own, by a virtual thread. The future fails with what {@link #acquire(LockRequest,
     * LockWait)} throws. If other code completes it, as {@code cancel} and {@code orTimeout} do, the call ends:
     * nothing is held, and a handle that was just acquired is closed. Cancelling a future that depends on it ends
     * nothing.
     *
     * <p>No thread is taken to be the one that closes the handle, so a thread that waits for what it holds itself is not
     * refused.
     */
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request, LockWait wait) {
        requireNonNull(request, "request");
        requireNonNull(wait, "wait");
        return transactions.openAsync(request, wait);
    }

    /** Returns a {@link java.util.concurrent.locks.Lock} of these locks, each time another one. Takes none yet. */
    public HandleLock asLock(LockRequest request) {
        return new HandleLock(this, request);
    }

    /**
     * Runs a scheduled task if no other process runs it; for tasks that are scheduled at the same times in several
     * processes. The lock is a handle, so the task can run elsewhere once the
     * database has noticed that a process died: at once, or after {@link LockStore#holderTimeout}.
     *
     * <ul>
     *   <li>A run that lasts longer than {@code atMostFor} is interrupted and loses its lock: another process may run the
     *       task, and this call throws {@link LockLostException}.
     *   <li>After a run shorter than {@code atLeastFor} the lock is kept for the rest of that time, with its connection,
     *       while this call returns: a process whose clock is late does not run the task again. {@link #close} and the
     *       end of the process release it.
     * </ul>
     *
     * @return whether the task was run; false if another process holds the lock, or this thread was interrupted before,
     *     which its interrupt status tells
     * @throws LockTimeoutException if all connections for handles are in use; the task was not run
     * @throws LockLostException if the lock was lost during the run: another process may have run the task, too
     */
    public <E extends Exception> boolean runOnce(TaskLock lock, Task<E> task) throws E {
        engine.requireOpen();
        OpenHandle<T> handle;
        try {
            handle = transactions.open(LockRequest.exclusive(lock.target()), LockWait.NONE, transactions.caller());
        } catch (LockBusyException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        tasks.run(handle, lock, task);
        return true;
    }

    /**
     * Does work that has no result in a transaction that holds the locks, as {@link #transact(LockRequest, Work)} does.
     */
    public <E extends Exception> void transactWithoutResult(LockRequest request, Action<T, E> work)
            throws E, InterruptedException {
        transactWithoutResult(request, engine.options().defaultWait(), work);
    }

    /**
     * Does work that has no result in a transaction that holds the locks, as {@link #transact(LockRequest, LockWait, Work)}
     * does.
     */
    public <E extends Exception> void transactWithoutResult(LockRequest request, LockWait wait, Action<T, E> work)
            throws E, InterruptedException {
        boolean ignored = transact(request, wait, transaction -> {
            work.run(transaction);
            return true;
        });
    }

    /** Does the work in a transaction that holds the locks, with the {@linkplain Builder#defaultWait default wait}. */
    public <R, E extends Exception> R transact(LockRequest request, Work<T, R, E> work) throws E, InterruptedException {
        return transact(request, engine.options().defaultWait(), work);
    }

    /**
     * Begins a transaction, takes the locks, does the work and commits. A transaction that the database rolled back
     * because of a deadlock, or that could not be serialized, is run again from its beginning, a few times; the wait
     * counts for all of that together. This includes the work's own statements, if it throws the exception of the
     * database. If the work throws anything else, the transaction is rolled back.
     *
     * @throws LockConnectionException if the connection broke; if it did in the commit, whether the work is committed is not
     *     known
     * @throws LockLostException if the work continued after it lost the locks: locking more failed, which rolled
     *     everything back, and nothing was done; or a statement of the work such as {@code COMMIT} ended the
     *     transaction, and what was done since is rolled back
     * @throws LockException if the locks could not be taken, or the transaction not committed; nothing was done
     */
    public <R, E extends Exception> R transact(LockRequest request, LockWait wait, Work<T, R, E> work)
            throws E, InterruptedException {
        engine.requireOpen();
        return transactions.run(request, wait, work);
    }

    /**
     * Refuses new calls, and ends the open handles, whose owners find that the locks were lost. Calls of {@link
     * #acquire} and {@link #transact} that wait for locks fail as well, except for those of a thread that holds other
     * locks; calls that wait for a connection fail when they get it, and work is not run again. Closing again is
     * harmless.
     */
    @Override
    public void close() {
        tasks.close();
        engine.close();
    }

    /**
     * Work that is done in the transaction that holds the locks, and committed with it. It may be run again from its
     * beginning, in another transaction, so what it does elsewhere it may do twice.
     *
     * @param <T> a transaction of the store
     * @param <R> the result of the work, which may be null
     * @param <E> the exception of the work; the transaction is rolled back then
     */
    @FunctionalInterface
    public interface Work<T, R, E extends Exception> {
        /**
         * Does the work. It must neither commit nor roll back the whole transaction: the connection refuses that, and a
         * statement that did so is detected before the commit. It may use savepoints, but a lock that it took after a
         * savepoint may be free after a rollback to that savepoint. The scope and the transaction cannot be used after
         * it has returned.
         */
        @Nullable
        R run(T transaction) throws E;
    }

    /**
     * {@link Work} that has no result.
     *
     * @param <T> a transaction of the store
     * @param <E> the exception of the work; the transaction is rolled back then
     */
    @FunctionalInterface
    public interface Action<T, E extends Exception> {
        /** Does the work, as {@link Work#run} does. */
        void run(T transaction) throws E;
    }

    /**
     * A scheduled task.
     *
     * @param <E> the exception of the task, which {@link #runOnce} throws
     */
    @FunctionalInterface
    public interface Task<E extends Exception> {
        /**
         * Runs the task under its lock.
         *
         * @param lock for its epoch and to ask whether it is held; not to be closed
         */
        void run(LockHandle lock) throws E;
    }

    /** Collects options. {@link #build()} checks them. Confined to one thread. */
    public static final class Builder<T> {
        private final LockStore<T> store;
        private final List<LockListener> listeners = new ArrayList<>();
        private LockWait defaultWait = LockWait.FOREVER;
        private int attempts = 3;
        private String process = nextProcessName();
        private String label = "";
        private Duration reportInterval = Duration.ofSeconds(1);
        private Duration warnAfter = Duration.ofMinutes(1);
        private InstantSource clock = InstantSource.system();

        private Builder(LockStore<T> store) {
            this.store = store;
        }

        /**
         * Returns another name for each engine; the random number distinguishes processes in containers, which often
         * have equal ids.
         */
        private static String nextProcessName() {
            String host = Objects.requireNonNullElse(System.getenv("HOSTNAME"), "process");
            String number =
                    HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
            return "%.100s/%d/%s".formatted(host, ProcessHandle.current().pid(), number);
        }

        /** Sets the wait of calls that name none; {@link LockWait#FOREVER} by default. */
        public Builder<T> defaultWait(LockWait wait) {
            this.defaultWait = wait;
            return this;
        }

        /** Sets the maximum number of times that {@link #transact} runs a transaction, 1 to 100; 3 by default. */
        public Builder<T> attempts(int attempts) {
            this.attempts = attempts;
            return this;
        }

        /** Adds a listener; may be called several times. */
        public Builder<T> listener(LockListener listener) {
            listeners.add(requireNonNull(listener, "listener"));
            return this;
        }

        /** Sets the unique name of this process in reports; by default composed of host, process id and a number. */
        public Builder<T> process(String name) {
            this.process = name;
            return this;
        }

        /** Sets the label of the work in reports; empty by default. */
        public Builder<T> label(String label) {
            this.label = label;
            return this;
        }

        /**
         * Sets the interval of reports, 1 ms to 1 h; a second by default. Locks held or waited for longer than this are
         * reported.
         */
        public Builder<T> reportInterval(Duration interval) {
            this.reportInterval = interval;
            return this;
        }

        /**
         * Sets the time after which an open handle is logged as a warning, once; a minute by default, zero for never.
         */
        public Builder<T> warnAfter(Duration time) {
            this.warnAfter = time;
            return this;
        }

        /** Sets the clock of {@link LockWait#until}; the system's clock by default. */
        public Builder<T> clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        public HierarchicalLocks<T> build() {
            return new HierarchicalLocks<>(
                    store,
                    new LockOptions(
                            defaultWait, attempts, listeners, process, label, reportInterval, warnAfter, clock));
        }
    }
}

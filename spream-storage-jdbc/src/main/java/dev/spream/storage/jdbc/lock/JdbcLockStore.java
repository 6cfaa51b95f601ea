package dev.spream.storage.jdbc.lock;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockTurns;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link LockStore} in PostgreSQL 14, MySQL 8.0.1 or MariaDB 10.6, or newer, for any number of processes at once. Locks
 * are taken in the caller's transactions, or in those of handles.
 *
 * <p>Safe for use by many threads. The caller owns the data source and closes it after the store. The store keeps one
 * of its connections while it is open, so that a holder can get an epoch even if waiters use all the others, and takes
 * one for each handle, {@code handles + 1} in all.
 *
 * <p>Transactions have to be READ COMMITTED. On MySQL and MariaDB set it before the transaction begins, by
 * {@code setTransactionIsolation}: there the session shows the isolation of its next transactions, but not that of the
 * running one.
 */
public final class JdbcLockStore implements LockStore<Connection> {
    private static final Logger log = LoggerFactory.getLogger(JdbcLockStore.class);

    /** The maximum number of locks of a call; the server keeps each in memory that all its sessions share. */
    private static final int MAX_LOCKS = 10_000;

    /** The time that a server has to report the end of a statement, before the connection counts as dead. */
    static final Duration ANSWER_TIME = Duration.ofSeconds(2);

    /** The time for waits to be cancelled before their connections are closed. */
    private static final Duration CANCELLING = Duration.ofSeconds(1);

    private static final int MAX_CAUSES = 20;

    private final LockSql sql;
    private final BucketSpace space;
    private final Duration holderTimeout;
    private final HandleConnections handles;
    private final ServiceConnection service;
    private final LockReports reports;
    private final DatabaseWaits waits;

    private JdbcLockStore(
            LockSql sql,
            BucketSpace space,
            Duration holderTimeout,
            HandleConnections handles,
            DatabaseWaits waits,
            ServiceConnection service,
            LockReports reports) {
        this.sql = sql;
        this.space = space;
        this.holderTimeout = holderTimeout;
        this.handles = handles;
        this.service = service;
        this.reports = reports;
        this.waits = waits;
    }

    private JdbcLockStore checked() {
        try {
            service.run(connection -> {
                sql.requirePrimary(connection);
                return true;
            });
            return this;
        } catch (SQLException e) {
            close();
            throw sql.exception("opening the lock store", e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    @Override
    public BucketSpace space() {
        return space;
    }

    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public Connection begin(LockDeadline deadline) throws InterruptedException {
        return handles.begin(deadline);
    }

    @Override
    public LockTurns turns() {
        return handles.turns();
    }

    @Override
    public AcquiredLocks tryLock(Connection transaction, List<PlannedLock> locks) {
        requireFew(locks);
        try {
            requireTransaction(transaction);
            return handles.take(
                    transaction,
                    first -> sql.tryInHandle(first, locks, holderTimeout),
                    other -> sql.tryLock(other, locks));
        } catch (SQLException e) {
            throw failure("taking %d locks, the first of them %s,".formatted(locks.size(), locks.getFirst()), e);
        }
    }

    /** Returns the exception for an error; an interrupt of a virtual thread closes the connection that it waits for. */
    private LockException failure(String failed, SQLException cause) {
        LockException failure = sql.exception(failed, cause);
        return failure instanceof LockConnectionException
                        && Thread.currentThread().isInterrupted()
                ? new LockCancelledException(
                        failed + " failed: the thread was interrupted, which closed the connection", cause)
                : failure;
    }

    private static void requireFew(List<PlannedLock> locks) {
        if (locks.size() > MAX_LOCKS) {
            throw new LockStoreException(
                    "taking %d locks failed: a call can take %d; lock a common parent instead of so many targets"
                            .formatted(locks.size(), MAX_LOCKS),
                    null);
        }
    }

    private static void requireTransaction(Connection transaction) throws SQLException {
        if (transaction.getAutoCommit()) {
            throw new LockStoreException(
                    "taking locks failed: the connection is in auto-commit mode, where they would be released at once; call"
                            + " setAutoCommit(false) first",
                    null);
        }
    }

    @Override
    public void lock(Connection transaction, List<PlannedLock> locks, LockDeadline deadline)
            throws InterruptedException {
        int taken = 0;
        while (taken < locks.size()) {
            taken += lockSome(transaction, locks, taken, deadline);
        }
    }

    /** Waits for the first lock that is not acquired yet. The first statement of a handle does not wait. */
    private int lockSome(Connection transaction, List<PlannedLock> locks, int taken, LockDeadline deadline)
            throws InterruptedException {
        List<PlannedLock> rest = locks.subList(taken, locks.size());
        if (handles.isUnused(transaction)) {
            return tryLock(transaction, rest).count();
        }
        String what = "waiting for lock %s, number %d of %d,".formatted(rest.getFirst(), taken + 1, locks.size());
        Optional<Duration> left = deadline.left();
        if (deadline.isOver()) {
            throw new LockTimeoutException(what + " failed: it timed out", null);
        }
        try {
            requireTransaction(transaction);
            return waits.lock(handles.behind(transaction), rest, left);
        } catch (CancellableWait.TimeOverException e) {
            throw new LockTimeoutException(what + " failed: " + e.getMessage(), e);
        } catch (SQLException e) {
            throw sql.exception(what, e);
        }
    }

    @Override
    public boolean isAlive(Connection transaction) {
        try {
            return !handles.behind(transaction).isClosed() && handles.ask(transaction, sql::isAlive);
        } catch (SQLException e) {
            log.debug("a transaction that held locks has ended: {}", LoggedFailure.message(e));
            return false;
        }
    }

    @Override
    public void lend(Connection transaction) {
        try {
            handles.lend(transaction);
        } catch (SQLException e) {
            throw sql.exception("preparing a transaction that holds locks for its work", e);
        }
    }

    @Override
    public void commit(Connection transaction) {
        try {
            handles.commit(transaction);
        } catch (SQLException e) {
            String what = "committing a transaction that holds locks";
            LockException failure = sql.exception(what, e);
            throw failure instanceof LockConnectionException
                    ? sql.exception(what + ", which may have taken effect,", e)
                    : failure;
        }
    }

    /** Returns false on a connection that has failed, too. */
    @Override
    public boolean isCurrent(Connection transaction, String mark) {
        try {
            Connection connection = handles.behind(transaction);
            return !connection.isClosed() && !connection.getAutoCommit() && sql.isNamed(connection, mark);
        } catch (SQLException e) {
            log.debug(
                    "the transaction of a connection that holds locks could not be identified: {}",
                    LoggedFailure.message(e));
            return false;
        }
    }

    /**
     * Returns the driver's connection, for which a pool returns a new wrapper each time, or that wrapper if it cannot
     * be unwrapped.
     */
    @Override
    public Object connectionOf(Connection transaction) {
        try {
            return transaction.unwrap(Connection.class);
        } catch (SQLException e) {
            log.debug("a connection could not be unwrapped: {}", LoggedFailure.message(e));
            return transaction;
        }
    }

    @Override
    public void rollback(Connection transaction) {
        handles.rollback(transaction);
    }

    @Override
    public void end(Connection transaction) {
        handles.end(transaction);
    }

    @Override
    public boolean isDeadlock(Exception failure) {
        return failure instanceof LockDeadlockException
                || Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                        .limit(MAX_CAUSES)
                        .anyMatch(cause -> cause instanceof SQLException error
                                && sql.exception("work", error) instanceof LockDeadlockException);
    }

    @Override
    public long nextEpoch() {
        try {
            return service.run(sql::nextEpoch);
        } catch (SQLException e) {
            throw sql.exception("taking the next epoch", e);
        }
    }

    @Override
    public Duration holderTimeout() {
        return holderTimeout;
    }

    @Override
    public void report(LockReport report) {
        try {
            service.run(connection -> {
                reports.write(connection, report);
                return true;
            });
        } catch (SQLException e) {
            throw sql.exception("reporting the locks of process %s".formatted(report.process()), e);
        }
    }

    /** {@inheritDoc} Returns within ten seconds, also if the server does not answer. */
    @Override
    public void close() {
        handles.refuse();
        List<BoundedCall> ends = new ArrayList<>(waits.startClosing());
        BoundedCall.awaitAll(ends, CANCELLING);
        ends.addAll(handles.startClosing());
        ends.add(BoundedCall.start("closing the connection kept for epochs", service::close));
        BoundedCall.awaitAll(ends, CancellableWait.LONGEST_CANCELLATION);
        if (ends.stream().anyMatch(BoundedCall::isRunning)) {
            log.warn(
                    "the lock store is closed, but the server does not answer; it releases the locks when it detects the closed connections");
        }
    }

    /** Options of a lock store. Confined to one thread. */
    public static final class Builder {
        static final int DEFAULT_HANDLES = 4;
        static final Duration DEFAULT_HOLDER_TIMEOUT = Duration.ofSeconds(60);
        static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

        private final DataSource dataSource;
        private Optional<String> schema = Optional.empty();
        private AskedLayout asked = AskedLayout.ANY;
        private boolean migrate = true;
        private int handles = DEFAULT_HANDLES;
        private Duration holderTimeout = DEFAULT_HOLDER_TIMEOUT;
        private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;

        private Builder(DataSource dataSource) {
            this.dataSource = requireNonNull(dataSource, "dataSource");
        }

        /**
         * Sets the schema of the tables, which is the namespace of the locks. By default {@code spream} on PostgreSQL;
         * on MySQL and MariaDB, where a schema is a database, that of the connections.
         */
        public Builder schema(String name) {
            this.schema = Optional.of(name);
            return this;
        }

        /**
         * Sets the strategy; by default the recorded one, or else advisory locks where the database has them, and rows
         * elsewhere.
         */
        public Builder strategy(LockStrategy chosen) {
            this.asked = asked.with(requireNonNull(chosen, "strategy"));
            return this;
        }

        /**
         * Sets the bucket space; by default the recorded one, or else the {@linkplain LockStrategy#defaultSpace
         * strategy's}.
         */
        public Builder space(BucketSpace keys) {
            this.asked = asked.with(requireNonNull(keys, "space"));
            return this;
        }

        Builder layout(AskedLayout layout) {
            this.asked = layout;
            return this;
        }

        /** Sets whether to create or migrate the schema and the tables where needed; true by default. */
        public Builder migrate(boolean create) {
            this.migrate = create;
            return this;
        }

        /**
         * Sets the number of handles that can be open at a time, together with transactions of {@link
         * dev.spream.lock.HierarchicalLocks#transact}; each holds a connection. Calls that wait for locks use at most
         * half of the connections, at least one, and further calls are queued without one. 1 to 1000, by default 4.
         */
        public Builder handles(int atMost) {
            if (atMost < 1 || atMost > 1000) {
                throw new IllegalArgumentException("handles is %d, must be 1 to 1000".formatted(atMost));
            }
            this.handles = atMost;
            return this;
        }

        /**
         * Sets how long a process that holds a handle may be suspended before the database releases its locks. Whole
         * seconds from one second to a day, by default a minute.
         */
        public Builder holderTimeout(Duration timeout) {
            if (timeout.compareTo(Duration.ofSeconds(1)) < 0
                    || timeout.compareTo(Duration.ofDays(1)) > 0
                    || timeout.toNanosPart() != 0) {
                throw new IllegalArgumentException("holderTimeout is %s, must be whole seconds from PT1S to PT24H"
                        .formatted(DurationText.of(timeout)));
            }
            this.holderTimeout = timeout;
            return this;
        }

        /**
         * Sets the time limit of statements that do not wait for locks. Whole seconds up to an hour, by default five
         * seconds. A commit without an answer two seconds later fails with a {@link LockConnectionException}; it is
         * unknown whether it took effect.
         */
        public Builder statementTimeout(Duration timeout) {
            this.statementTimeout = TablesBuilder.requireStatementTimeout(timeout);
            return this;
        }

        /**
         * Opens the store.
         *
         * @throws IllegalArgumentException if the data source is a HikariCP pool of too few connections
         * @throws dev.spream.lock.LockException if the database cannot be used; the message has the remedy
         */
        public JdbcLockStore build() {
            requireEnoughConnections();
            LockTables tables = BucketSpaceTable.tables(dataSource, schema);
            tables.ensure(migrate);
            BucketLayout layout = new BucketSpaceTable(tables, dataSource).settle(asked);
            LockSql sql = BucketLayouts.strategy(layout).in(tables);
            Duration answerTime = statementTimeout.plus(ANSWER_TIME);
            DatabaseWaits waits = new DatabaseWaits(sql);
            return new JdbcLockStore(
                            sql,
                            layout.space(),
                            holderTimeout,
                            new HandleConnections(dataSource, sql, waits, handles, holderTimeout, answerTime),
                            waits,
                            new ServiceConnection(dataSource, answerTime),
                            new LockReports(tables))
                    .checked();
        }

        /** Requires a pool that is large enough; a smaller one deadlocks once all handles are open. */
        private void requireEnoughConnections() {
            OptionalInt connections = PoolSize.of(dataSource);
            if (connections.isPresent() && connections.getAsInt() <= handles) {
                throw new IllegalArgumentException(
                        "the pool has %d connections, but %d handles need %d; enlarge the pool, or lower the number with handles(n)"
                                .formatted(connections.getAsInt(), handles, handles + 1));
            }
        }

        /**
         * Returns the provisioning of the rows that this store would lock, in chunks of {@value
         * JdbcBucketProvisioning#DEFAULT_CHUNK}. The caller closes it.
         */
        public BucketProvisioning provisioning() {
            return JdbcBucketProvisioning.of(dataSource, schema, migrate, asked, JdbcBucketProvisioning.DEFAULT_CHUNK);
        }
    }
}

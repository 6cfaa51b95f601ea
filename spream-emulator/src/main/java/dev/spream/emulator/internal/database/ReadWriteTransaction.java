package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import com.google.spanner.v1.Mutation;
import dev.spream.emulator.internal.engine.Engine.SqlWork;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.engine.WriterView;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Translation;
import dev.spream.emulator.internal.sql.Values;
import dev.spream.emulator.internal.stream.CommitClock;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read-write transaction. From its first read or write on it sees the rows of one moment and its own writes, and does
 * not wait for others that only read, or that write other rows. Two that write one row wait for each other. A commit is
 * ABORTED if a row or a table that the transaction has read was changed meanwhile; one that has not read before, as a
 * commit of mutations alone, is repeated instead. Calls may come on any thread and run one at a time.
 *
 * <p>A commit timestamp is not known before the commit: rows contain {@link Values#PENDING} until then.
 */
public final class ReadWriteTransaction {
    /** The longest idle time of a transaction that blocks others; Spanner's own limit. */
    static final Duration MAX_IDLE = Duration.ofSeconds(10);

    private static final int MAX_ATTEMPTS = 100;

    private enum State {
        ACTIVE,
        COMMITTED,
        ROLLED_BACK,
        ABORTED
    }

    private final EmulatedDatabase database;
    private final ByteString id;
    private final Attributes attributes;
    private final RowChanges changes = new RowChanges();
    private final Reads reads = Reads.none();

    /** Guards the fields below. */
    private final ReentrantLock use = new ReentrantLock();

    private State state = State.ACTIVE;
    private volatile @Nullable WriterView view;
    private @Nullable CommitResult committed;
    private int precommitSequence;
    private volatile long lastUsed = System.nanoTime();

    /**
     * The outcome of a commit, as the response to the client states it.
     *
     * @param timestamp the commit timestamp
     * @param mutationCount Spanner's count of changed cells
     */
    public record CommitResult(Instant timestamp, long mutationCount) {}

    /**
     * The attributes of a transaction that its begin determines.
     *
     * @param tag the tag that its client set, or empty
     * @param excludedFromChangeStreams whether its client requested exclusion from the streams that allow it
     * @param partitioned whether it is for one partitioned DML statement
     * @param system whether Spanner itself began it
     */
    record Attributes(String tag, boolean excludedFromChangeStreams, boolean partitioned, boolean system) {}

    ReadWriteTransaction(EmulatedDatabase database, ByteString id, Attributes attributes) {
        this.database = database;
        this.id = id;
        this.attributes = attributes;
    }

    public ByteString id() {
        return id;
    }

    /** Returns whether the transaction is for one partitioned DML statement, which commits by itself. */
    public boolean isPartitioned() {
        return attributes.partitioned();
    }

    public int nextPrecommitSequence() {
        return onlyOne(() -> ++precommitSequence);
    }

    QueryResult query(SqlWork<QueryResult> query, Supplier<Reads> read) {
        return run(open -> {
            reads.add(read.get());
            return query.run(open.connection());
        });
    }

    QueryResult dml(Translation dml, Supplier<Reads> read) {
        return run(open -> {
            Schema schema = database.schema();
            reads.add(read.get());
            try {
                QueryResult result = database.statements().dml(open.connection(), dml, schema, changes);
                checkCurrent(open);
                return result;
            } catch (SQLException | RuntimeException e) {
                schema.findTable(dml.table()).ifPresent(table -> reads.addTablesNear(table, schema));
                throw e;
            }
        });
    }

    /** Commits. A repeated call returns the first outcome, since the client may not have received it. */
    public CommitResult commit(List<Mutation> mutations, String requestTag) {
        return onlyOne(() -> {
            CommitResult known = committed;
            if (known != null) {
                return known;
            }
            try {
                boolean first = view == null;
                String tag = attributes.tag().isEmpty() ? requestTag : attributes.tag();
                return run(open ->
                        commit(open, first ? database.commits().begin() : CommitClock.afterReading(), mutations, tag));
            } catch (RuntimeException e) {
                end(State.ROLLED_BACK);
                throw e;
            }
        });
    }

    private CommitResult commit(WriterView open, long begun, List<Mutation> mutations, String tag) throws SQLException {
        Schema schema = database.schema();
        long cells;
        try {
            cells = database.statements()
                    .inScope(() -> MutationWriter.apply(open.connection(), schema, changes, reads, mutations));
        } catch (SQLException | RuntimeException e) {
            MutationWriter.tables(mutations)
                    .flatMap(name -> schema.findTable(name).stream())
                    .forEach(table -> reads.addTablesNear(table, schema));
            throw e;
        }
        Commits commits = database.commits();
        changes.refuseFutureTimestamps(commits.latestTime());
        List<RowChange> net = changes.net();
        RowDependencies.add(net, schema, reads);
        Instant timestamp = commits.publish(begun, changes.rowKeys(), at -> publish(open, net, tag, at));
        CommitResult result = new CommitResult(timestamp, Math.max(cells, changes.cellCount()));
        committed = result;
        end(State.COMMITTED);
        return result;
    }

    /** Makes the rows visible and hands them to the change streams; runs under the clock's lock. */
    private Instant publish(WriterView open, List<RowChange> net, String tag, Instant timestamp) {
        try {
            if (changes.areAny()) {
                checkCurrent(open);
            }
            List<RowChange> written = new CommitTimestamps(open.connection(), database.schema()).write(net, timestamp);
            open.connection().commit();
            if (!written.isEmpty()) {
                database.commits()
                        .add(new Commit(
                                timestamp, tag, attributes.excludedFromChangeStreams(), attributes.system(), written));
            }
            return timestamp;
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    /** Ends the transaction without a change. Harmless when it has ended. */
    public void rollback() {
        onlyOne(() -> {
            end(State.ROLLED_BACK);
            return true;
        });
    }

    /** Aborts the transaction, unless a call is running or ended recently. */
    void abortIfIdle() {
        if (idleFor().compareTo(MAX_IDLE) < 0 || !use.tryLock()) {
            return;
        }
        try {
            end(State.ABORTED);
        } finally {
            use.unlock();
        }
    }

    Duration idleFor() {
        return Duration.ofNanos(System.nanoTime() - lastUsed);
    }

    boolean isOver() {
        return onlyOne(() -> state != State.ACTIVE);
    }

    /** Returns the number of its connection, or 0 if it has none. */
    int session() {
        WriterView open = view;
        return open == null ? 0 : open.session();
    }

    /** Returns the number of the connection of the transaction whose row it waits for, or 0. */
    int blocker() {
        WriterView open = view;
        return open == null ? 0 : open.blocker();
    }

    /** A call of the transaction, on its view. */
    @FunctionalInterface
    private interface Step<T> {
        T run(WriterView open) throws SQLException;
    }

    /** Runs a step; the first one is repeated if another transaction was in its way, and a later one aborts this one. */
    private <T> T run(Step<T> step) {
        return onlyOne(() -> {
            checkActive();
            boolean first = view == null;
            long end = System.nanoTime() + TransactionGate.MAX_WAIT.toNanos();
            for (int attempt = 1; ; attempt++) {
                WriterView open = openView();
                StatusRuntimeException failure;
                try {
                    return step.run(open);
                } catch (SQLException e) {
                    failure = EngineErrors.toStatus(e);
                } catch (StatusRuntimeException e) {
                    failure = e;
                }
                if (failure.getStatus().getCode() != Status.Code.ABORTED) {
                    if (isCurrent(open)) {
                        throw failure;
                    }
                    failure = conflict();
                }
                if (!first || attempt == MAX_ATTEMPTS || System.nanoTime() > end) {
                    end(State.ABORTED);
                    throw failure;
                }
                closeView(open);
            }
        });
    }

    private void checkCurrent(WriterView open) {
        if (!isCurrent(open)) {
            throw conflict();
        }
    }

    /** Returns whether what the transaction has read and written is as it was when its view was taken. */
    private boolean isCurrent(WriterView open) {
        changes.rowKeys().forEach(reads::add);
        return !database.commits().changedSince(open.position(), reads);
    }

    private static StatusRuntimeException conflict() {
        return Errors.aborted("Transaction was aborted: another one changed what it had read or written");
    }

    private <T> T onlyOne(Supplier<T> action) {
        use.lock();
        try {
            return action.get();
        } finally {
            lastUsed = System.nanoTime();
            use.unlock();
        }
    }

    private void checkActive() {
        switch (state) {
            case ACTIVE -> {}
            case ABORTED ->
                throw Errors.aborted("Transaction was aborted: it was idle while others waited for its locks");
            case COMMITTED -> throw Errors.failedPrecondition("This transaction has already been committed.");
            case ROLLED_BACK -> throw Errors.failedPrecondition("This transaction has been rolled back.");
        }
    }

    private WriterView openView() {
        WriterView open = view;
        if (open != null) {
            return open;
        }
        database.gate().enter();
        try {
            open = database.commits().writerView(database.engine());
        } catch (SQLException e) {
            database.gate().leave();
            throw EngineErrors.toStatus(e);
        }
        view = open;
        return open;
    }

    private void closeView(WriterView open) {
        view = null;
        changes.clear();
        reads.clear();
        try {
            open.connection().rollback();
            database.engine().release(open.connection());
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            database.gate().leave();
        }
    }

    private void end(State outcome) {
        if (state != State.ACTIVE) {
            return;
        }
        state = outcome;
        WriterView open = view;
        if (open != null) {
            closeView(open);
        }
    }
}

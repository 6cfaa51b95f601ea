package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import com.google.spanner.v1.Mutation;
import dev.spream.emulator.internal.engine.Engine.SqlWork;
import dev.spream.emulator.internal.engine.EngineErrors;
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
 * not wait for others that only read, or that write other rows. Of two that write one row or one unique key, the later waits for the other's end. A commit is
 * ABORTED if a row or a table that the transaction has read was changed meanwhile; one that has not read before, as a
 * commit of mutations alone, is repeated instead. Calls may come on any thread and run one at a time.
 *
 * <p>A commit timestamp is not known before the commit: rows contain {@link Values#PENDING} until then.
 */
public final class ReadWriteTransaction {
    /** The longest idle time of a transaction that blocks others; Spanner's own limit. */
    static final Duration MAX_IDLE = Duration.ofSeconds(10);

    private static final int MAX_OVERLAPPING = 5;
    private static final int MAX_FIRST_STEPS = 100;

    private enum State {
        ACTIVE,
        COMMITTED,
        ROLLED_BACK,
        ABORTED
    }

    private final EmulatedDatabase database;
    private final ByteString id;
    private final Attributes attributes;

    /** Guards the fields below. */
    private final ReentrantLock use = new ReentrantLock();

    private volatile State state = State.ACTIVE;
    private volatile @Nullable Attempt current;
    private @Nullable CommitResult committed;
    private int precommitSequence;
    private volatile boolean closing;
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
     * @param number 1, or more if it repeats aborted ones
     */
    record Attributes(String tag, boolean excludedFromChangeStreams, boolean partitioned, boolean system, int number) {

        /** Returns whether the transaction runs alone, since others were in its way again and again. */
        boolean alone() {
            return number > MAX_OVERLAPPING;
        }
    }

    ReadWriteTransaction(EmulatedDatabase database, ByteString id, Attributes attributes) {
        this.database = database;
        this.id = id;
        this.attributes = attributes;
    }

    /** Returns whether the transaction is for one partitioned DML statement, which commits by itself. */
    public boolean isPartitioned() {
        return attributes.partitioned();
    }

    /** Returns how often it was begun, with the aborted ones that it repeats. */
    int number() {
        return attributes.number();
    }

    public ByteString id() {
        return id;
    }

    public int nextPrecommitSequence() {
        return onlyOne(() -> ++precommitSequence);
    }

    QueryResult query(SqlWork<QueryResult> query, Supplier<Reads> read) {
        return run(attempt -> attempt.query(query, read));
    }

    /** Runs a DML statement; the one of a partitioned transaction commits by itself. */
    QueryResult dml(Translation dml, Supplier<Reads> read) {
        return run(attempt -> {
            QueryResult result = attempt.dml(dml, read);
            if (attributes.partitioned()) {
                committed(attempt.commit(List.of(), CommitClock.afterReading(), attributes.tag()));
            }
            return result;
        });
    }

    /** Commits. A repeated call returns the first outcome, since the client may not have received it. */
    public CommitResult commit(List<Mutation> mutations, String requestTag) {
        return onlyOne(() -> {
            CommitResult known = committed;
            if (known != null) {
                return known;
            }
            boolean first = current == null;
            String tag = attributes.tag().isEmpty() ? requestTag : attributes.tag();
            try {
                return run(attempt -> committed(attempt.commit(
                        mutations, first ? database.commits().begin() : CommitClock.afterReading(), tag)));
            } catch (RuntimeException e) {
                end(State.ROLLED_BACK);
                throw e;
            }
        });
    }

    private CommitResult committed(CommitResult result) {
        committed = result;
        end(State.COMMITTED);
        return result;
    }

    /** Ends the transaction without a change. Harmless when it has ended. */
    public void rollback() {
        onlyOne(() -> {
            end(State.ROLLED_BACK);
            return true;
        });
    }

    /** Rolls back for good, unless a call is running; returns whether the transaction is over. */
    boolean rollbackUnused() {
        closing = true;
        if (!use.tryLock()) {
            return false;
        }
        try {
            end(State.ROLLED_BACK);
            return true;
        } finally {
            use.unlock();
        }
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

    boolean isAborted() {
        return state == State.ABORTED;
    }

    boolean isOver() {
        return state != State.ACTIVE;
    }

    /** Returns the number of its connection, or 0 if it has none. */
    int session() {
        Attempt attempt = current;
        return attempt == null ? 0 : attempt.session();
    }

    /** Returns the number of the connection of the transaction whose key or row it waits for, or 0. */
    int blocker() {
        Attempt attempt = current;
        return attempt == null ? 0 : attempt.blocker();
    }

    @FunctionalInterface
    private interface Step<T> {
        T run(Attempt attempt) throws SQLException;
    }

    /** Runs a step; the first one is repeated if another transaction was in its way, and a later one aborts this one. */
    private <T> T run(Step<T> step) {
        return onlyOne(() -> {
            checkActive();
            boolean first = current == null;
            long end = System.nanoTime() + TransactionGate.MAX_WAIT.toNanos();
            for (int times = 1; ; times++) {
                Attempt attempt = attempt();
                StatusRuntimeException failure;
                try {
                    return step.run(attempt);
                } catch (SQLException e) {
                    failure = EngineErrors.toStatus(e);
                } catch (StatusRuntimeException e) {
                    failure = e;
                }
                if (failure.getStatus().getCode() != Status.Code.ABORTED) {
                    if (attempt.isCurrent()) {
                        throw failure;
                    }
                    failure = Attempt.conflict();
                }
                if (!first || closing || times == MAX_FIRST_STEPS || System.nanoTime() > end) {
                    end(State.ABORTED);
                    throw failure;
                }
                discard(attempt);
            }
        });
    }

    private Attempt attempt() {
        Attempt attempt = current;
        if (attempt == null) {
            attempt = new Attempt(database, attributes);
            current = attempt;
        }
        return attempt;
    }

    private void discard(Attempt attempt) {
        current = null;
        attempt.close();
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
                throw Errors.aborted(
                        "Transaction was aborted: another one changed what it had read or written, or waited"
                                + " for it while its client was idle");
            case COMMITTED -> throw Errors.failedPrecondition("This transaction has already been committed.");
            case ROLLED_BACK -> throw Errors.failedPrecondition("This transaction has been rolled back.");
        }
    }

    private void end(State outcome) {
        if (state != State.ACTIVE) {
            return;
        }
        state = outcome;
        Attempt attempt = current;
        if (attempt != null) {
            discard(attempt);
        }
    }
}

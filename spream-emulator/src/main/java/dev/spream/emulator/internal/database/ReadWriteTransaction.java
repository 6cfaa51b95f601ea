package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.database.Engine.SqlWork;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Translation;
import dev.spream.emulator.internal.sql.Values;
import dev.spream.emulator.internal.stream.CommitClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read-write transaction. It takes the database's writer lock at its first read or write and keeps it to its end,
 * which isolates it completely from other transactions. Calls may come on any thread and run one at a time.
 *
 * <p>A commit timestamp is not known before the commit: rows contain {@link Values#PENDING} until then.
 */
public final class ReadWriteTransaction {
    /** The longest idle time of a transaction that blocks others; Spanner's own limit. */
    static final Duration MAX_IDLE = Duration.ofSeconds(10);

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

    /** Guards the fields below. */
    private final ReentrantLock use = new ReentrantLock();

    private State state = State.ACTIVE;
    private @Nullable Connection connection;
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

    QueryResult query(SqlWork<QueryResult> query) {
        return use(query);
    }

    QueryResult dml(Translation dml) {
        return use(open -> database.statements().dml(open, dml, database.schema(), changes));
    }

    /** Commits. A repeated call returns the first outcome, since the client may not have received it. */
    public CommitResult commit(List<Mutation> mutations, String requestTag) {
        long begun = database.beginCommit();
        return onlyOne(() -> {
            CommitResult known = committed;
            if (known != null) {
                return known;
            }
            try {
                long overlap = connection == null ? begun : CommitClock.afterReading();
                String tag = attributes.tag().isEmpty() ? requestTag : attributes.tag();
                return use(open -> commit(open, overlap, mutations, tag));
            } catch (RuntimeException e) {
                end(State.ROLLED_BACK);
                throw e;
            }
        });
    }

    private CommitResult commit(Connection open, long begun, List<Mutation> mutations, String commitTag)
            throws SQLException {
        long cells =
                database.statements().inScope(() -> MutationWriter.apply(open, database.schema(), changes, mutations));
        changes.refuseFutureTimestamps(database.latestTime());
        Instant timestamp = database.publish(begun, changes.rowKeys(), at -> publish(open, commitTag, at));
        CommitResult result = new CommitResult(timestamp, Math.max(cells, changes.cellCount()));
        committed = result;
        end(State.COMMITTED);
        return result;
    }

    /** Makes the rows visible and hands them to the change streams; runs under the clock's lock. */
    private Instant publish(Connection open, String commitTag, Instant timestamp) {
        try {
            List<RowChange> net = new ArrayList<>();
            for (RowChange change : changes.net()) {
                net.add(withCommitTimestamp(open, change, timestamp));
            }
            open.commit();
            if (!net.isEmpty()) {
                database.committed(new Commit(
                        timestamp, commitTag, attributes.excludedFromChangeStreams(), attributes.system(), net));
            }
            return timestamp;
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    private RowChange withCommitTimestamp(Connection open, RowChange change, Instant timestamp) throws SQLException {
        List<Column> pending = change.table().columns().stream()
                .filter(column -> column.type().getCode() == TypeCode.TIMESTAMP)
                .filter(column -> change.after()
                        .getOrDefault(column.name(), Values.NULL)
                        .getStringValue()
                        .equals(Values.COMMIT_TIMESTAMP_PLACEHOLDER))
                .toList();
        if (pending.isEmpty()) {
            return change;
        }
        Map<String, Value> after = new LinkedHashMap<>(change.after());
        StoredTable table = database.schema().table(change.table().name());
        List<@Nullable Object> key = new ArrayList<>();
        table.keyColumns()
                .forEach(column ->
                        key.add(Values.toEngine(after.getOrDefault(column.name(), Values.NULL), column.type())));
        String assignments = String.join(
                ", ",
                pending.stream().map(column -> quoted(column.name()) + " = ?").toList());
        List<@Nullable Object> binds = new ArrayList<>();
        for (Column column : pending) {
            binds.add(timestamp.atOffset(ZoneOffset.UTC));
            after.put(column.name(), Values.string(timestamp.toString()));
        }
        binds.addAll(MutationWriter.present(key));
        String sql = "UPDATE %s SET %s WHERE %s"
                .formatted(table.quotedName(), assignments, MutationWriter.sameKey(table, key));
        try (PreparedStatement statement = Statements.prepare(open, sql, binds)) {
            statement.executeUpdate();
        }
        return new RowChange(change.table(), change.kind(), change.before(), after, change.writtenColumns());
    }

    /** Releases the lock and the connection. Harmless when the transaction has ended. */
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

    private <T> T use(SqlWork<T> work) {
        return onlyOne(() -> {
            checkActive();
            try {
                return work.run(openConnection());
            } catch (SQLException e) {
                throw EngineErrors.toStatus(e);
            }
        });
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

    private Connection openConnection() {
        Connection open = connection;
        if (open != null) {
            return open;
        }
        database.writerLock().acquire(this);
        open = database.engine().writer();
        connection = open;
        return open;
    }

    private void end(State outcome) {
        if (state != State.ACTIVE) {
            return;
        }
        state = outcome;
        changes.clear();
        Connection open = connection;
        connection = null;
        if (open == null) {
            return;
        }
        try {
            open.rollback();
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            database.writerLock().release();
        }
    }
}

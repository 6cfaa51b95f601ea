package dev.spream.emulator.internal.database;

import com.google.spanner.v1.Mutation;
import dev.spream.emulator.internal.database.ReadWriteTransaction.Attributes;
import dev.spream.emulator.internal.database.ReadWriteTransaction.CommitResult;
import dev.spream.emulator.internal.engine.Engine.SqlWork;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.engine.WriterView;
import dev.spream.emulator.internal.function.StatementScope;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Translation;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * The work of a read-write transaction on one view of the rows: what it has read and written so far. Its owner closes
 * it. Calls come one at a time, except of {@link #session} and {@link #blocker}.
 */
final class Attempt implements AutoCloseable {
    private final EmulatedDatabase database;
    private final Attributes attributes;
    private final WriterView view;
    private final RowChanges changes = new RowChanges();
    private final Reads reads = Reads.none();
    private boolean committed;

    /** Passes the gate of the transactions and takes the view. */
    Attempt(EmulatedDatabase database, Attributes attributes) {
        this.database = database;
        this.attributes = attributes;
        database.gate().enter(attributes.alone());
        try {
            this.view = database.commits().writerView(database.engine());
        } catch (SQLException e) {
            database.gate().leave(attributes.alone());
            throw EngineErrors.toStatus(e);
        } catch (RuntimeException e) {
            database.gate().leave(attributes.alone());
            throw e;
        }
        database.keyLocks().begin(view);
    }

    QueryResult query(SqlWork<QueryResult> query, Supplier<Reads> read) throws SQLException {
        boolean first = reads.areNone() && !changes.areAny();
        Reads added = read.get();
        reads.add(added);
        QueryResult result = query.run(view.connection());
        if (first && result.rows().isEmpty()) {
            added.onlyRow().ifPresent(this::claim);
        }
        return result;
    }

    /**
     * Waits for another transaction that looked for the row in vain as well: it usually adds the row soon, and this one
     * would be aborted. Runs before this one has a lock, so that none waits for it.
     */
    private void claim(RowKey missing) {
        if (database.missingRows().tryLock(view, missing)
                && database.commits().changedSince(view.position(), missing::equals)) {
            throw conflict();
        }
    }

    QueryResult dml(Translation dml, Supplier<Reads> read) throws SQLException {
        Schema schema = database.schema();
        reads.add(read.get());
        try {
            QueryResult result =
                    withKeyLocks(schema, () -> database.statements().dml(view.connection(), dml, schema, changes));
            checkCurrent();
            return result;
        } catch (SQLException | RuntimeException e) {
            schema.findTable(dml.table()).ifPresent(table -> reads.addTablesNear(table, schema));
            throw e;
        }
    }

    /** @param begun the begin time of the commit, see {@link Commits#begin} */
    CommitResult commit(List<Mutation> mutations, long begun, String tag) throws SQLException {
        long cells = apply(mutations);
        Commits commits = database.commits();
        changes.refuseFutureTimestamps(commits.latestTime());
        List<RowChange> net = changes.net();
        RowDependencies.add(net, database.schema(), reads);
        Instant timestamp = commits.publish(begun, changes.rowKeys(), at -> publish(net, tag, at));
        return new CommitResult(timestamp, Math.max(cells, changes.cellCount()));
    }

    private long apply(List<Mutation> mutations) throws SQLException {
        Schema schema = database.schema();
        try {
            return withKeyLocks(
                    schema,
                    () -> database.statements()
                            .inScope(() -> MutationWriter.apply(view.connection(), schema, changes, reads, mutations)));
        } catch (SQLException | RuntimeException e) {
            MutationWriter.tables(mutations)
                    .flatMap(name -> schema.findTable(name).stream())
                    .forEach(table -> reads.addTablesNear(table, schema));
            throw e;
        }
    }

    /** Runs work that locks each unique key that it adds or removes. */
    private <T> T withKeyLocks(Schema schema, StatementScope.Work<T, SQLException> work) throws SQLException {
        return RowCapture.guarded(
                change -> RowChanges.uniqueKeys(change, schema).forEach(this::lock), work);
    }

    private void lock(RowKey key) {
        database.keyLocks().lock(view, key);
        if (database.commits().changedSince(view.position(), key::equals)) {
            throw conflict();
        }
    }

    /** Makes the rows visible and hands them to the change streams; runs under the clock's lock. */
    private Instant publish(List<RowChange> net, String tag, Instant timestamp) {
        try {
            if (changes.areAny()) {
                checkCurrent();
            }
            List<RowChange> written = new CommitTimestamps(view.connection(), database.schema()).write(net, timestamp);
            Runnable addition = database.commits()
                    .addition(new Commit(
                            timestamp, tag, attributes.excludedFromChangeStreams(), attributes.system(), written));
            view.connection().commit();
            committed = true;
            if (!written.isEmpty()) {
                addition.run();
            }
            return timestamp;
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    private void checkCurrent() {
        if (!isCurrent()) {
            throw conflict();
        }
    }

    /** Returns whether what was read and written is, in the latest commit, as it was when the view was taken. */
    boolean isCurrent() {
        return !database.commits()
                .changedSince(
                        view.position(),
                        row -> reads.include(row) || changes.rowKeys().contains(row));
    }

    static StatusRuntimeException conflict() {
        return Errors.aborted("Transaction was aborted: another one changed what it had read or written");
    }

    /** Returns the number of its connection. */
    int session() {
        return view.session();
    }

    /** Returns the number of the connection of the transaction whose key or row it waits for, or 0. */
    int blocker() {
        return database.keyLocks().blocker(session());
    }

    /** Discards what was written and is not committed. */
    @Override
    public void close() {
        try {
            if (!committed) {
                view.connection().rollback();
            }
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            database.keyLocks().end(view);
            database.missingRows().end(view);
            database.gate().leave(attributes.alone());
        }
        database.engine().release(view.connection());
    }
}

package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * An {@link EventStore} in PostgreSQL 14 or newer. Any number of instances, in any number of processes, share a table,
 * and programs that do not use spream may insert into it.
 *
 * <p>Times of events are kept to the microsecond. Their data are kept as {@code jsonb}, whose text differs in blanks
 * and the order of members. Ids of aggregates may have {@value AppendRequest#AGGREGATE_ID_BYTES} bytes in UTF-8.
 *
 * <p>With {@linkplain JdbcEventStoreBuilder#inline inline projections} an append also writes their read models; it
 * fails with a {@link dev.spream.projection.ProjectionException} or a {@link StorageException} if one of them does, and
 * nothing is appended. In a caller's transaction, lock other rows before the append all the same.
 *
 * <p>Readers in the order of positions stop at the first event of a transaction that is still open; {@link #blockers}
 * names it. Set {@code idle_in_transaction_session_timeout} to end abandoned transactions. Read on the primary server,
 * never on a standby.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end; another one is held while
 * feeds of {@link #source} are open. The caller owns the data source and closes it after the store.
 */
public final class JdbcEventStore implements EventStore {
    private final EventDatabase database;
    private final EventReads reads;
    private final EventTail tail;
    private final InlineProjections inline;

    JdbcEventStore(EventDatabase database, InlineProjections inline) {
        RecentEvents recent = new RecentEvents();
        HighWaterMark mark = new HighWaterMark(database, recent);
        this.database = database;
        this.reads = new EventReads(database, mark);
        this.tail = new EventTail(database, mark, recent);
        this.inline = inline;
    }

    /**
     * Opens the store of the table {@code events} in the schema {@code spream}. Creates both where needed, which takes
     * three connections at the same time.
     *
     * @throws StorageException if the database cannot be reached, or its table is not as expected
     */
    public static JdbcEventStore create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static JdbcEventStoreBuilder builder(DataSource dataSource) {
        return new JdbcEventStoreBuilder(dataSource);
    }

    @Override
    public List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        AppendRequest request = AppendRequest.of(aggregateId, expected, events);
        try {
            List<RecordedEvent> appended = inline.isEmpty() ? appendAtOnce(request) : List.of();
            return appended.isEmpty() ? appendInTransaction(request) : appended;
        } catch (SQLException e) {
            throw AppendErrors.failure(request, e);
        }
    }

    /** Appends by one statement, which nearly always suffices; empty if the reason of a refusal has to be queried. */
    private List<RecordedEvent> appendAtOnce(AppendRequest request) throws SQLException {
        try {
            return AppendStatement.inOrder(database.rows(
                    "appending " + request,
                    AppendStatement.sql(request),
                    p -> AppendStatement.bind(p, request),
                    StoredEvent::read));
        } catch (StorageException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private List<RecordedEvent> appendInTransaction(AppendRequest request) throws SQLException {
        return database.transactions().run(connection -> {
            Statements.execute(connection, database.transactions().begin());
            return append(new Statements(connection, database.table()::in), request);
        });
    }

    private List<RecordedEvent> append(Statements transaction, AppendRequest request) throws SQLException {
        return inline.isEmpty()
                ? new AppendStatement(transaction).append(request)
                : new InlineAppend(transaction, inline).append(request);
    }

    /**
     * Appends events as {@link #append(String, ExpectedVersion, List)} does, in the transaction that the connection is
     * in: they are visible once the caller has committed. Append last in the transaction: lock rows before it, and
     * commit soon. From the append to the commit, readers wait for this transaction; if it waits for a row, other
     * inserts are delayed too, by some 20 ms at a time.
     *
     * <p>A {@link VersionConflictException} leaves the transaction as it was. After any other failure it has to be rolled
     * back. Transactions are best READ COMMITTED, the default; at a higher level, events that another transaction has
     * appended since this one began make it fail, to be repeated as a whole.
     *
     * @param connection not in auto-commit mode
     */
    public List<RecordedEvent> append(
            Connection connection, String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        AppendRequest request = AppendRequest.of(aggregateId, expected, events);
        try {
            return append(
                    Statements.ofCaller(
                            connection,
                            database.table()::in,
                            "appending " + request,
                            "the events would not be committed together with the change that they describe"),
                    request);
        } catch (SQLException e) {
            throw AppendErrors.failure(request, e);
        }
    }

    @Override
    public List<RecordedEvent> read(String aggregateId, long afterVersion, int limit) {
        return reads.ofAggregate(aggregateId, afterVersion, limit);
    }

    @Override
    public List<RecordedEvent> readAll(long afterPosition, int limit) {
        return reads.ofAll(afterPosition, limit);
    }

    /**
     * Builds the read model of an inline projection again: deletes the rows of its tables, and applies all events in the
     * order of their positions, in one transaction. Readers see the old rows until it commits. Appends in all processes
     * wait meanwhile, and fail after their statement timeout.
     *
     * @param projection the name of an inline projection that is a {@link RebuildableProjection}
     * @return the number of events
     * @throws IllegalArgumentException if there is no such projection
     * @throws dev.spream.projection.ProjectionException if it cannot apply an event; nothing was changed
     */
    public long rebuildInline(String projection) {
        RebuildableProjection<? super Connection> rebuilt = inline.rebuildable(projection);
        String what = "rebuilding the inline projection '%s'".formatted(projection);
        try {
            return database.transactions().run(connection -> {
                Statements.execute(connection, database.transactions().begin());
                return new InlineRebuild(new Statements(connection, database.table()::in)).run(rebuilt);
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    @Override
    public EventSource source() {
        return new JdbcEventSource(reads, tail);
    }

    /**
     * Returns the open transactions that have inserted events, for which readers wait, the longest open first.
     *
     * @throws StorageException if the database cannot be queried
     */
    public List<AppendBlocker> blockers() {
        return OpenAppendTransactions.find(database);
    }

    @Override
    public void close() {
        tail.close();
        database.close();
    }
}

package dev.spream.storage.jdbc.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.AggregateState;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.FeedItem;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.version.VersionPreparation;
import dev.spream.storage.jdbc.projection.version.VersionTable;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * {@link ProjectionStore} in PostgreSQL 14 or newer, in the database of the read models. Projections receive the
 * transaction's connection, at READ COMMITTED. They may execute any statement and set savepoints; a call that would end
 * the transaction, or change the connection beyond it, is refused and makes the projection fail. They change settings
 * by {@code SET LOCAL}; only the {@code search_path} is restored. They must not use the connection after they have
 * returned. Each statement has the statement timeout.
 *
 * <p>Safe for use by many threads. Each call takes one connection and returns it; none is held between calls. The
 * caller owns the data sources and closes them afterwards; a {@code lock_timeout} of their connections is respected.
 */
public final class JdbcProjectionStore implements ProjectionStore<Connection> {
    private final ProjectionDatabase database;
    private final ProjectionDatabase keeping;
    private final StateTable states;

    private JdbcProjectionStore(ProjectionDatabase database, ProjectionDatabase keeping) {
        this.database = database;
        this.keeping = keeping;
        this.states = new StateTable(keeping);
    }

    /** Opens the store in the schema {@code spream}, which is created where needed. */
    public static JdbcProjectionStore create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Returns a builder with one data source for all work. Leases are renewed by the same connections that apply
     * batches, so it needs enough connections: one for each segment of all projections that a process runs, or one for
     * a projection without segments; two more for each projection, which renew its leases and read its state; and one
     * more if the events are read with it as well. A batch that waits too long for a connection is retried; a lease
     * whose renewal waits too long is lost.
     */
    public static ProjectionBuilder<JdbcProjectionStore> builder(DataSource dataSource) {
        return new ProjectionBuilder<>(dataSource, database -> new JdbcProjectionStore(database, database));
    }

    /**
     * Returns a builder with a separate data source for work that must not wait for batches: renewing leases, and
     * reading and reporting states. Two connections suffice for it; the other data source needs one connection for each
     * batch that may be applied at the same time.
     *
     * @param keeping the separate data source, of the same database and user
     */
    public static ProjectionBuilder<JdbcProjectionStore> builder(DataSource dataSource, DataSource keeping) {
        requireNonNull(keeping, "keeping");
        return new ProjectionBuilder<>(
                dataSource, database -> new JdbcProjectionStore(database, database.over(keeping)));
    }

    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public ProjectionState register(String projection, int segments, ProjectionCode code) {
        return states.register(projection, segments, code);
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return new VersionTable(keeping).list(projection);
    }

    /**
     * The version's tables are in a schema of its own, which is created beside that of the live ones: {@code
     * LIVE__PROJECTION_vN}, shortened where that is too long. It comes first in the {@code search_path} of the transaction,
     * and of all later ones of the version while it is not live.
     */
    @Override
    public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Connection> create)
            throws Exception {
        return new VersionPreparation(database).prepare(version, code, create);
    }

    @Override
    public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
        return new ExternalModelTable(database).of(version, beginning);
    }

    @Override
    public long limit(ProjectionVersion version, int segment) {
        return new VersionTable(keeping).limit(version, segment);
    }

    @Override
    public Map<String, Set<Long>> skipped(String projection) {
        return new DeadLetterTable(database).skipped(projection);
    }

    @Override
    public Optional<RebuildProgress> built(ProjectionVersion version) {
        return new VersionTable(keeping).built(version);
    }

    @Override
    public ProjectionProgress progress(String projection, Set<String> aggregates) {
        return new ProgressQuery(keeping).of(projection, aggregates);
    }

    @Override
    public Optional<ProjectionState> state(String projection) {
        return states.find(projection);
    }

    @Override
    public SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease) {
        return new SegmentLeases(keeping).hold(projection, owner, giveUp, lease);
    }

    @Override
    public void leave(String projection, ProjectionOwner owner) {
        new SegmentLeases(keeping).leave(projection, owner);
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<Connection> work) throws Exception {
        return new BatchApply(database, states).apply(fence, keys, work);
    }

    /**
     * Returns the kind by the SQLSTATE of the first {@link java.sql.SQLException} among the failure and its causes, if
     * there is one:
     *
     * <table>
     * <caption>Kinds of the server's errors</caption>
     * <tr><th>kind</th><th>states</th></tr>
     * <tr><td>conflict</td><td>40001, a serialization failure; 40P01, a deadlock</td></tr>
     * <tr><td>transient</td><td>08 and 57P01 to 57P05, lost connections and servers that stop; other states of 40; 53,
     * resources; 55P03, a lock that was not available; 57014, a statement that was cancelled; 25006, a standby; 25P03,
     * a transaction that was idle too long; 58, system errors; 26000 and plans that an altered table invalidated</td></tr>
     * <tr><td>fatal</td><td>42, such as a table that is missing or not permitted; 3D, 3F; 28; 0A</td></tr>
     * <tr><td>poison</td><td>all others, such as 22, invalid data; 23, constraints; P0001, raised exceptions</td></tr>
     * </table>
     *
     * A {@link dev.spream.projection.ProjectionException} among them has a kind of its own; interrupts, timeouts and
     * retryable {@linkplain dev.spream.core.StorageException failures of storage} are transient; everything else is
     * poison.
     */
    @Override
    public FailureKind failureKind(Exception failure) {
        return FailureKinds.of(failure);
    }

    /**
     * Returns its type and the line of the projection, and the same of its causes. For an error of the server this
     * includes its SQLSTATE and the constraint, table and column that it names. The first line of its message is
     * included only for the classes 0A, 28, 3F and 42, which are about statements, tables and users; all other messages
     * may contain values of rows.
     */
    @Override
    public String describe(Exception failure) {
        return FailureTexts.of(failure);
    }

    @Override
    public List<ParkedAggregate> due(Fence fence, int limit) {
        return new ParkedAggregateTable(database).due(fence, limit);
    }

    @Override
    public Set<Integer> dueSegments(String projection) {
        return new ParkedAggregateTable(database).dueSegments(projection);
    }

    @Override
    public ParkedSummary parkedSummary(String projection) {
        return new ParkedAggregateTable(keeping).summary(projection);
    }

    @Override
    public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Connection> work)
            throws Exception {
        return new ParkedRetry(database).retry(fence, key, limit, work);
    }

    @Override
    public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
        return new ParkedAggregateTable(database).postpone(fence, key, tried, parking);
    }

    @Override
    public void deadLetter(String projection, FeedItem.Undecodable item) {
        new DeadLetterTable(database).keep(projection, item);
    }

    @Override
    public void report(String projection, long errors, Optional<String> lastError) {
        states.report(projection, errors, lastError);
    }

    @Override
    public boolean fail(Fence fence, long epoch, String error) {
        return new StatusChanges(database).fail(fence, epoch, error);
    }

    @Override
    public void close() {
        database.close();
        keeping.close();
    }
}

package dev.spream.storage.jdbc.projection;

import dev.spream.projection.AuditedAction;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.storage.jdbc.projection.internal.NamedVersions;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.version.JdbcProjectionRebuilds;
import dev.spream.storage.jdbc.projection.version.SegmentSplit;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * {@link ProjectionOperations} in PostgreSQL 14 or newer, concurrently with any number of processes that run
 * projections. A pause waits for the batches that are being applied, up to the statement timeout; if they take longer,
 * it fails, names their sessions, and changes nothing. Other changes wait equally long for a cutover that has quiesced
 * the projection, and then apply to the version that is live afterwards.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it. The caller owns the data source and
 * closes it afterwards.
 */
public final class JdbcProjectionOperations implements ProjectionOperations {
    private final ProjectionDatabase database;

    private JdbcProjectionOperations(ProjectionDatabase database) {
        this.database = database;
    }

    /** Opens the operations in the schema {@code spream}, which is created where needed. */
    public static JdbcProjectionOperations create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static ProjectionBuilder<JdbcProjectionOperations> builder(DataSource dataSource) {
        return new ProjectionBuilder<>(dataSource, JdbcProjectionOperations::new);
    }

    @Override
    public List<ProjectionState> list() {
        return new StateTable(database).list();
    }

    @Override
    public Optional<ProjectionDetails> show(String projection) {
        return new NamedVersions(database).find(projection).flatMap(new ProjectionReport(database)::of);
    }

    @Override
    public boolean pause(String projection, Act act) {
        return new StatusChanges(database).pause(projection, act);
    }

    @Override
    public boolean resume(String projection, Act act) {
        return new StatusChanges(database).resume(projection, act);
    }

    @Override
    public int retry(String projection, Optional<String> key, Act act) {
        return new ParkedChanges(database).retry(projection, key, act);
    }

    @Override
    public boolean skip(String projection, String key, long version, Act act) {
        return new ParkedChanges(database).skip(projection, key, version, act);
    }

    @Override
    public boolean split(String projection, int segments, Act act) {
        return new SegmentSplit(database).run(projection, segments, act);
    }

    @Override
    public List<ParkedAggregate> parked(String projection, int limit) {
        return new NamedVersions(database)
                .find(projection)
                .map(state -> new ParkedAggregateTable(database).list(state, limit))
                .orElse(List.of());
    }

    @Override
    public ProjectionRebuilds rebuilds() {
        return new JdbcProjectionRebuilds(database);
    }

    @Override
    public List<ProjectionDeadLetter> deadLetters(String projection, int limit) {
        return new NamedVersions(database)
                .find(projection)
                .map(state -> new DeadLetterTable(database).list(state, limit))
                .orElse(List.of());
    }

    @Override
    public List<AuditedAction> audit(String projection, int limit) {
        return ProjectionAuditTable.list(database, projection, limit);
    }

    @Override
    public void close() {
        database.close();
    }
}

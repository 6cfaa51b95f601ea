package dev.spream.storage.jdbc.projection;

import dev.spream.projection.AuditedAct;
import dev.spream.projection.ParkedKey;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.storage.jdbc.projection.internal.AuditTable;
import dev.spream.storage.jdbc.projection.internal.NamedVersions;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.version.JdbcProjectionRebuilds;
import dev.spream.storage.jdbc.projection.version.SegmentSplit;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * {@link ProjectionOperations} in PostgreSQL 14 or newer, beside any number of processes that run projections. A pause waits for
 * the batches that are being applied, as long as a statement may take; if they take longer, it fails and says whose they are,
 * and nothing has changed. Whatever is changed waits as long for a cut-over that holds the projection still, and is then done to
 * the version that is live by then.
 *
 * <p>Safe for use by many threads. A connection is taken for a call and given back with it. The data source stays the
 * caller's, who closes it afterwards.
 */
public final class JdbcProjectionOperations implements ProjectionOperations {
    private final ProjectionDatabase database;
    private final StateTable states;
    private final ProjectionReport report;
    private final StatusChanges statuses;
    private final ParkedTable parked;
    private final ParkedChanges changes;
    private final NamedVersions names;
    private final JdbcProjectionRebuilds rebuilds;
    private final SegmentSplit splitting;
    private final DeadLetterTable deadLetters;

    private JdbcProjectionOperations(ProjectionDatabase database) {
        this.database = database;
        this.states = new StateTable(database);
        this.report = new ProjectionReport(database);
        this.statuses = new StatusChanges(database);
        this.parked = new ParkedTable(database);
        this.changes = new ParkedChanges(database);
        this.names = new NamedVersions(database);
        this.rebuilds = new JdbcProjectionRebuilds(database);
        this.splitting = new SegmentSplit(database);
        this.deadLetters = new DeadLetterTable(database);
    }

    /** In the schema {@code spream}, which is created where needed. */
    public static JdbcProjectionOperations create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static ProjectionBuilder<JdbcProjectionOperations> builder(DataSource dataSource) {
        return new ProjectionBuilder<>(dataSource, JdbcProjectionOperations::new);
    }

    @Override
    public List<ProjectionState> list() {
        return states.list();
    }

    @Override
    public Optional<ProjectionDetails> show(String projection) {
        return names.find(projection).flatMap(report::of);
    }

    @Override
    public boolean pause(String projection, Act act) {
        return statuses.pause(projection, act);
    }

    @Override
    public boolean resume(String projection, Act act) {
        return statuses.resume(projection, act);
    }

    @Override
    public int retry(String projection, Optional<String> key, Act act) {
        return changes.retry(projection, key, act);
    }

    @Override
    public boolean skip(String projection, String key, long version, Act act) {
        return changes.skip(projection, key, version, act);
    }

    @Override
    public boolean split(String projection, int segments, Act act) {
        return splitting.run(projection, segments, act);
    }

    @Override
    public List<ParkedKey> parked(String projection, int limit) {
        return names.find(projection).map(state -> parked.list(state, limit)).orElse(List.of());
    }

    @Override
    public ProjectionRebuilds rebuilds() {
        return rebuilds;
    }

    @Override
    public List<ProjectionDeadLetter> deadLetters(String projection, int limit) {
        return names.find(projection)
                .map(state -> deadLetters.list(state, limit))
                .orElse(List.of());
    }

    @Override
    public List<AuditedAct> audit(String projection, int limit) {
        return AuditTable.list(database, projection, limit);
    }

    @Override
    public void close() {
        database.close();
    }
}

package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.CutOver;
import dev.spream.projection.Parity;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Rebuilds in PostgreSQL. Tables of versions change places by {@code ALTER TABLE … SET SCHEMA}: whoever operates them owns the
 * tables of all versions, and may create in their schemas and in the database.
 */
public final class JdbcProjectionRebuilds implements ProjectionRebuilds {
    private final VersionTable versions;
    private final RebuildStart start;
    private final ParityCheck parity;
    private final VersionSwitch exchange;
    private final VersionDrop drop;

    public JdbcProjectionRebuilds(ProjectionDatabase database) {
        this.versions = new VersionTable(database);
        this.start = new RebuildStart(database);
        this.parity = new ParityCheck(database);
        this.exchange = new VersionSwitch(database);
        this.drop = new VersionDrop(database);
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return versions.list(projection);
    }

    @Override
    public List<RebuildProgress> progress(String projection) {
        return versions.progress(projection);
    }

    @Override
    public int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act) {
        return start.run(projection, revision, from, skipped, act);
    }

    @Override
    public Parity parity(String projection, int version, Set<String> ignored, Duration patience) {
        return parity.run(projection, version, ignored, patience);
    }

    @Override
    public CutOver cutOver(String projection, int version, Duration patience, Set<CutOver.Loss> accepted, Act act) {
        return exchange.run(projection, version, patience, accepted, act);
    }

    @Override
    public void drop(String projection, int version, Act act) {
        drop.run(projection, version, act);
    }
}

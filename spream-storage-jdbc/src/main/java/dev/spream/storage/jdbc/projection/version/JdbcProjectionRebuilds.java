package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionComparison;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Rebuilds in PostgreSQL. Tables of versions are exchanged by {@code ALTER TABLE … SET SCHEMA}: the operating user must
 * own the tables of all versions, and have the privilege to create in their schemas and in the database.
 */
public record JdbcProjectionRebuilds(ProjectionDatabase database) implements ProjectionRebuilds {
    @Override
    public List<ProjectionVersion> versions(String projection) {
        return new VersionTable(database).list(projection);
    }

    @Override
    public List<RebuildProgress> progress(String projection) {
        return new VersionTable(database).progress(projection);
    }

    @Override
    public int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act) {
        return new RebuildStart(database).run(projection, revision, from, skipped, act);
    }

    @Override
    public VersionComparison compare(String projection, int version, Set<String> ignored, Duration timeout) {
        return new VersionComparer(database).run(projection, version, ignored, timeout);
    }

    @Override
    public CutoverReport cutOver(
            String projection, int version, Duration timeout, Set<CutoverReport.Loss> accepted, Act act) {
        return new VersionSwitch(database).run(projection, version, timeout, accepted, act);
    }

    @Override
    public void drop(String projection, int version, Act act) {
        new VersionDrop(database).run(projection, version, act);
    }
}

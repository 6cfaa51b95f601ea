package dev.spream.api.plugin;

import dev.spream.projection.CutOver;
import dev.spream.projection.Parity;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** What rebuilds a plug-in's projections, called in its scope. */
record ScopedProjectionRebuilds(ProjectionRebuilds target, CallScope scope) implements ProjectionRebuilds {
    @Override
    public List<ProjectionVersion> versions(String projection) {
        return scope.call(() -> target.versions(projection));
    }

    @Override
    public List<RebuildProgress> progress(String projection) {
        return scope.call(() -> target.progress(projection));
    }

    @Override
    public int rebuild(String projection, OptionalInt revision, long from, Act act) {
        return scope.call(() -> target.rebuild(projection, revision, from, act));
    }

    @Override
    public int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act) {
        return scope.call(() -> target.rebuild(projection, revision, from, skipped, act));
    }

    @Override
    public Parity parity(String projection, int version, Set<String> ignored, Duration patience) {
        return scope.call(() -> target.parity(projection, version, ignored, patience));
    }

    @Override
    public CutOver cutOver(String projection, int version, Duration patience, Set<CutOver.Loss> accepted, Act act) {
        return scope.call(() -> target.cutOver(projection, version, patience, accepted, act));
    }

    @Override
    public void drop(String projection, int version, Act act) {
        scope.run(() -> target.drop(projection, version, act));
    }

    @Override
    public String toString() {
        return target.toString();
    }
}

package dev.spream.api.plugin;

import dev.spream.projection.AuditedAct;
import dev.spream.projection.ParkedKey;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import java.util.List;
import java.util.Optional;

/** What operates a plug-in's projections, called in its scope. */
record ScopedProjectionOperations(ProjectionOperations target, CallScope scope) implements ProjectionOperations {
    @Override
    public List<ProjectionState> list() {
        return scope.call(target::list);
    }

    @Override
    public Optional<ProjectionDetails> show(String projection) {
        return scope.call(() -> target.show(projection));
    }

    @Override
    public boolean pause(String projection, Act act) {
        return scope.call(() -> target.pause(projection, act));
    }

    @Override
    public boolean resume(String projection, Act act) {
        return scope.call(() -> target.resume(projection, act));
    }

    @Override
    public int retry(String projection, Optional<String> key, Act act) {
        return scope.call(() -> target.retry(projection, key, act));
    }

    @Override
    public boolean skip(String projection, String key, long version, Act act) {
        return scope.call(() -> target.skip(projection, key, version, act));
    }

    @Override
    public boolean split(String projection, int segments, Act act) {
        return scope.call(() -> target.split(projection, segments, act));
    }

    @Override
    public List<ParkedKey> parked(String projection, int limit) {
        return scope.call(() -> target.parked(projection, limit));
    }

    @Override
    public ProjectionRebuilds rebuilds() {
        return new ScopedProjectionRebuilds(scope.call(target::rebuilds), scope);
    }

    @Override
    public List<ProjectionDeadLetter> deadLetters(String projection, int limit) {
        return scope.call(() -> target.deadLetters(projection, limit));
    }

    @Override
    public List<AuditedAct> audit(String projection, int limit) {
        return scope.call(() -> target.audit(projection, limit));
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}

package dev.spream.api.plugin;

import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.KeyState;
import dev.spream.projection.ParkedKey;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.Parking;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.Tried;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A plug-in's projection store, called in its scope; the work that it is given is called as the host was. */
record ScopedProjectionStore<T>(ProjectionStore<T> target, CallScope scope) implements ProjectionStore<T> {
    @Override
    public Class<T> transactionType() {
        return scope.call(target::transactionType);
    }

    @Override
    public ProjectionState register(String projection, int segments) {
        return scope.call(() -> target.register(projection, segments));
    }

    @Override
    public ProjectionState register(String projection, int segments, ProjectionCode code) {
        return scope.call(() -> target.register(projection, segments, code));
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return scope.call(() -> target.versions(projection));
    }

    @Override
    public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<T> create) throws Exception {
        CallScope host = CallScope.ofThisThread();
        Preparation<T> asHost = transaction -> host.run(() -> create.create(transaction));
        return scope.call(() -> target.prepare(version, code, asHost));
    }

    @Override
    public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
        CallScope host = CallScope.ofThisThread();
        Beginning asHost = () -> host.call(beginning::begin);
        return scope.call(() -> target.outsideModel(version, asHost));
    }

    @Override
    public long limit(ProjectionVersion version, int segment) {
        return scope.call(() -> target.limit(version, segment));
    }

    @Override
    public Map<String, Set<Long>> skipped(String projection) {
        return scope.call(() -> target.skipped(projection));
    }

    @Override
    public Optional<RebuildProgress> built(ProjectionVersion version) {
        return scope.call(() -> target.built(version));
    }

    @Override
    public Optional<ProjectionState> state(String projection) {
        return scope.call(() -> target.state(projection));
    }

    @Override
    public SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease) {
        return scope.call(() -> target.holdSegments(projection, owner, giveUp, lease));
    }

    @Override
    public void leave(String projection, ProjectionOwner owner) {
        scope.run(() -> target.leave(projection, owner));
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<T> work) throws Exception {
        CallScope host = CallScope.ofThisThread();
        Work<T> asHost = (transaction, states) -> host.call(() -> work.apply(transaction, states));
        return scope.call(() -> target.apply(fence, keys, asHost));
    }

    @Override
    public FailureKind failureKind(Exception failure) {
        return scope.call(() -> target.failureKind(failure));
    }

    @Override
    public String describe(Exception failure) {
        return scope.call(() -> target.describe(failure));
    }

    @Override
    public Set<Integer> dueSegments(String projection) {
        return scope.call(() -> target.dueSegments(projection));
    }

    @Override
    public List<ParkedKey> due(Fence fence, int limit) {
        return scope.call(() -> target.due(fence, limit));
    }

    @Override
    public ParkedSummary parkedSummary(String projection) {
        return scope.call(() -> target.parkedSummary(projection));
    }

    @Override
    public Optional<KeyState> retry(Fence fence, String key, int limit, RetryWork<T> work) throws Exception {
        CallScope host = CallScope.ofThisThread();
        RetryWork<T> asHost = (transaction, last, events) -> host.call(() -> work.apply(transaction, last, events));
        return scope.call(() -> target.retry(fence, key, limit, asHost));
    }

    @Override
    public boolean postpone(Fence fence, String key, Tried tried, Parking parking) {
        return scope.call(() -> target.postpone(fence, key, tried, parking));
    }

    @Override
    public void deadLetter(String projection, FeedItem.Undecodable item) {
        scope.run(() -> target.deadLetter(projection, item));
    }

    @Override
    public void report(String projection, long errors, Optional<String> lastError) {
        scope.run(() -> target.report(projection, errors, lastError));
    }

    @Override
    public boolean fail(Fence fence, long epoch, String error) {
        return scope.call(() -> target.fail(fence, epoch, error));
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

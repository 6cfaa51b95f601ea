package dev.spream.testkit.projection;

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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * A store that intercepts each call of another one.
 *
 * @param <T> a transaction
 */
public abstract class ForwardingProjectionStore<T> implements ProjectionStore<T> {
    private final ProjectionStore<T> store;

    public ForwardingProjectionStore(ProjectionStore<T> store) {
        this.store = store;
    }

    /** Makes the call, or replaces it. */
    protected abstract <V> V call(String operation, Callable<V> call) throws Exception;

    private <V> V unchecked(String operation, Callable<V> call) {
        try {
            return call(operation, call);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(operation + " throws what it must not", e);
        }
    }

    private void run(String operation, Runnable call) {
        unchecked(operation, () -> {
            call.run();
            return true;
        });
    }

    @Override
    public Class<T> transactionType() {
        return store.transactionType();
    }

    @Override
    public ProjectionState register(String projection, int segments) {
        return unchecked("register", () -> store.register(projection, segments));
    }

    @Override
    public ProjectionState register(String projection, int segments, ProjectionCode code) {
        return unchecked("register", () -> store.register(projection, segments, code));
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return unchecked("versions", () -> store.versions(projection));
    }

    @Override
    public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<T> create) throws Exception {
        return call("prepare", () -> store.prepare(version, code, create));
    }

    @Override
    public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
        return call("outsideModel", () -> store.outsideModel(version, beginning));
    }

    @Override
    public long limit(ProjectionVersion version, int segment) {
        return unchecked("limit", () -> store.limit(version, segment));
    }

    @Override
    public Map<String, Set<Long>> skipped(String projection) {
        return unchecked("skipped", () -> store.skipped(projection));
    }

    @Override
    public Optional<RebuildProgress> built(ProjectionVersion version) {
        return unchecked("built", () -> store.built(version));
    }

    @Override
    public ProjectionProgress progress(String projection, Set<String> aggregates) {
        return unchecked("progress", () -> store.progress(projection, aggregates));
    }

    @Override
    public Optional<ProjectionState> state(String projection) {
        return unchecked("state", () -> store.state(projection));
    }

    @Override
    public SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease) {
        return unchecked("holdSegments", () -> store.holdSegments(projection, owner, giveUp, lease));
    }

    @Override
    public void leave(String projection, ProjectionOwner owner) {
        run("leave", () -> store.leave(projection, owner));
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<T> work) throws Exception {
        return call("apply", () -> store.apply(fence, keys, work));
    }

    @Override
    public FailureKind failureKind(Exception failure) {
        return store.failureKind(failure);
    }

    @Override
    public String describe(Exception failure) {
        return store.describe(failure);
    }

    @Override
    public Set<Integer> dueSegments(String projection) {
        return unchecked("dueSegments", () -> store.dueSegments(projection));
    }

    @Override
    public List<ParkedAggregate> due(Fence fence, int limit) {
        return unchecked("due", () -> store.due(fence, limit));
    }

    @Override
    public ParkedSummary parkedSummary(String projection) {
        return unchecked("parkedSummary", () -> store.parkedSummary(projection));
    }

    @Override
    public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<T> work) throws Exception {
        return call("retry", () -> store.retry(fence, key, limit, work));
    }

    @Override
    public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
        return unchecked("postpone", () -> store.postpone(fence, key, tried, parking));
    }

    @Override
    public void deadLetter(String projection, FeedItem.Undecodable item) {
        run("deadLetter", () -> store.deadLetter(projection, item));
    }

    @Override
    public void report(String projection, long errors, Optional<String> lastError) {
        run("report", () -> store.report(projection, errors, lastError));
    }

    @Override
    public boolean fail(Fence fence, long epoch, String error) {
        return unchecked("fail", () -> store.fail(fence, epoch, error));
    }

    @Override
    public void close() {
        store.close();
    }
}

package dev.spream.testkit.memory;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.runner.ProjectionSimulation;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;

/** Stores that break a promise, which a simulation has to find. */
public final class ProjectionSabotage extends ForwardingProjectionStore<Transaction> {
    private final ProjectionSimulation.Sabotage sabotage;
    private final InMemoryProjectionStore database;

    private ProjectionSabotage(ProjectionSimulation.Sabotage sabotage, InMemoryProjectionStore database) {
        super(database);
        this.sabotage = sabotage;
        this.database = database;
    }

    public static ProjectionStore<Transaction> of(
            ProjectionSimulation.Sabotage sabotage, InMemoryProjectionStore store) {
        return new ProjectionSabotage(sabotage, store);
    }

    @Override
    protected <V> V call(String operation, Callable<V> call) throws Exception {
        return call.call();
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
        return switch (sabotage) {
            case NONE, LOSSY_RETRY, CANDIDATE_EFFECTS, FORGOTTEN_EFFECTS -> super.apply(fence, keys, work);
            case POSITION_BACK ->
                super.apply(fence, keys, (transaction, states) -> back(work.apply(transaction, states)));
            case FORGETFUL ->
                super.apply(fence, keys, (transaction, states) -> {
                    Map<String, AggregateState> forgotten = new HashMap<>(states);
                    forgotten.replaceAll((key, state) -> new AggregateState(0, state.parked()));
                    return work.apply(transaction, forgotten);
                });
            case AHEAD ->
                super.apply(fence, keys, (transaction, states) -> held(fence, work.apply(transaction, states)));
            case STALE_EPOCHS -> super.apply(renewed(fence), keys, work);
        };
    }

    /** No further than the live version, though its effects are. */
    private BatchCheckpoint held(Fence fence, BatchCheckpoint progress) {
        ProjectionMemory memory = database.memory();
        if (!(fence instanceof Fence.Segment segment) || progress.position().isEmpty()) {
            return progress;
        }
        long limit = memory.locked(() -> memory.limit(memory.require(fence.projection()), segment.segment()));
        return at(progress, OptionalLong.of(Math.min(limit, progress.position().getAsLong())));
    }

    /** The fence that the owner has by now, if the segment is still its own. */
    private Fence renewed(Fence fence) {
        ProjectionMemory memory = database.memory();
        if (!(fence instanceof Fence.Segment stale)) {
            return fence;
        }
        return memory.locked(() -> memory.find(stale.projection()).stream())
                .flatMap(found -> found.segments.details(memory.now()).stream())
                .filter(segment -> segment.segment() == stale.segment()
                        && segment.owner().equals(Optional.of(stale.owner().toString())))
                .findFirst()
                .<Fence>map(segment ->
                        new Fence.Segment(stale.projection(), stale.owner(), stale.segment(), segment.epoch()))
                .orElse(fence);
    }

    @Override
    public long limit(ProjectionVersion version, int segment) {
        return sabotage == ProjectionSimulation.Sabotage.AHEAD ? Long.MAX_VALUE : super.limit(version, segment);
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        List<ProjectionVersion> versions = super.versions(projection);
        return sabotage == ProjectionSimulation.Sabotage.CANDIDATE_EFFECTS
                ? versions.stream().map(ProjectionSabotage::asLive).toList()
                : versions;
    }

    private static ProjectionVersion asLive(ProjectionVersion version) {
        return new ProjectionVersion(
                version.projection(),
                version.version(),
                version.revision(),
                VersionRole.LIVE,
                version.from(),
                version.prepared());
    }

    @Override
    public List<ParkedAggregate> due(Fence fence, int limit) {
        List<ParkedAggregate> due = super.due(fence, limit);
        return sabotage == ProjectionSimulation.Sabotage.FORGOTTEN_EFFECTS
                ? due.stream().map(ProjectionSabotage::forgotten).toList()
                : due;
    }

    private static ParkedAggregate forgotten(ParkedAggregate key) {
        return new ParkedAggregate(
                key.key(),
                key.reason(),
                key.lastVersion(),
                key.firstVersion(),
                key.events(),
                key.attempts(),
                key.error(),
                key.since(),
                key.nextTry(),
                0);
    }

    private static BatchCheckpoint back(BatchCheckpoint progress) {
        OptionalLong half = progress.position().isPresent()
                ? OptionalLong.of(progress.position().getAsLong() / 2)
                : OptionalLong.empty();
        return at(progress, half);
    }

    private static BatchCheckpoint at(BatchCheckpoint progress, OptionalLong position) {
        return new BatchCheckpoint(
                progress.versions(), progress.parked(), progress.setAside(), position, progress.last());
    }

    @Override
    public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
            throws Exception {
        if (sabotage != ProjectionSimulation.Sabotage.LOSSY_RETRY) {
            return super.retry(fence, key, limit, work);
        }
        return super.retry(fence, key, limit, (transaction, last, events) -> {
            List<EventEnvelope> lost = events.size() > 1 ? events.subList(1, events.size()) : events;
            return work.apply(transaction, lost.getFirst().eventVersion() - 1, lost);
        });
    }
}

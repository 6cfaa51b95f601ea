package dev.spream.core.projection;

import dev.spream.core.event.EventEnvelope;
import dev.spream.core.projection.InMemoryProjectionStore.Transaction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;

/** Stores that break a promise, which a simulation has to find. */
final class ProjectionSabotage extends ForwardingProjectionStore<Transaction> {
    private final ProjectionSimulation.Sabotage sabotage;

    private ProjectionSabotage(ProjectionSimulation.Sabotage sabotage, ProjectionStore<Transaction> store) {
        super(store);
        this.sabotage = sabotage;
    }

    static ProjectionStore<Transaction> of(ProjectionSimulation.Sabotage sabotage, ProjectionStore<Transaction> store) {
        return new ProjectionSabotage(sabotage, store);
    }

    @Override
    <V> V call(String operation, Callable<V> call) throws Exception {
        return call.call();
    }

    @Override
    public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
        return switch (sabotage) {
            case NONE, LOSSY_RETRY -> super.apply(fence, keys, work);
            case POSITION_BACK ->
                super.apply(fence, keys, (transaction, states) -> back(work.apply(transaction, states)));
            case FORGETFUL ->
                super.apply(fence, keys, (transaction, states) -> {
                    Map<String, KeyState> forgotten = new HashMap<>(states);
                    forgotten.replaceAll((key, state) -> new KeyState(0, state.parked()));
                    return work.apply(transaction, forgotten);
                });
        };
    }

    private static Progress back(Progress progress) {
        OptionalLong half = progress.position().isPresent()
                ? OptionalLong.of(progress.position().getAsLong() / 2)
                : OptionalLong.empty();
        return new Progress(progress.versions(), progress.parked(), progress.setAside(), half, progress.last());
    }

    @Override
    public Optional<KeyState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work) throws Exception {
        if (sabotage != ProjectionSimulation.Sabotage.LOSSY_RETRY) {
            return super.retry(fence, key, limit, work);
        }
        return super.retry(fence, key, limit, (transaction, last, events) -> {
            List<EventEnvelope> lost = events.size() > 1 ? events.subList(1, events.size()) : events;
            return work.apply(transaction, lost.getFirst().eventVersion() - 1, lost);
        });
    }
}

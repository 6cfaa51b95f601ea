package dev.spream.projection.runner;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One transaction for some events, and the information about its failure. Confined to a loop's thread. */
final class BatchAttempt<T> implements ProjectionStore.Work<T> {
    /** Rolls back a transaction that did not fail. */
    private static final class Rehearsed extends Exception {
        private static final long serialVersionUID = 1L;

        Rehearsed() {
            super("rolled back: the transaction only tested whether an event can be applied", null, false, false);
        }
    }

    private final BatchPlanner planner;
    private final EventWriter<T> writer;
    private final List<EventEnvelope> events;
    private final Map<String, BatchPlan.Verdict> verdicts;
    private final OptionalLong position;
    private final boolean rehearsal;
    private boolean rehearsed;
    private @Nullable BatchPlan plan;
    private @Nullable EventEnvelope current;
    private @Nullable Throwable thrown;

    /** @param rehearsal whether the transaction is rolled back if an event could be applied */
    BatchAttempt(
            BatchPlanner planner,
            EventWriter<T> writer,
            List<EventEnvelope> events,
            Map<String, BatchPlan.Verdict> verdicts,
            OptionalLong position,
            boolean rehearsal) {
        this.planner = planner;
        this.writer = writer;
        this.events = events;
        this.verdicts = verdicts;
        this.position = position;
        this.rehearsal = rehearsal;
    }

    @Override
    public BatchCheckpoint apply(T transaction, Map<String, AggregateState> states) throws Exception {
        BatchPlan planned = planner.plan(events, states, verdicts);
        plan = planned;
        try {
            writer.write(transaction, planned.handle(), event -> current = event);
        } catch (Throwable t) {
            thrown = t;
            throw t;
        }
        current = null;
        if (rehearsal && !planned.handle().isEmpty()) {
            rehearsed = true;
            throw new Rehearsed();
        }
        return planned.progress(position);
    }

    Set<String> aggregates() {
        return events.stream().map(EventEnvelope::aggregateId).collect(Collectors.toSet());
    }

    /** Returns whether an event could be applied, and the transaction was rolled back for that reason. */
    boolean wasProbed() {
        return rehearsed;
    }

    /** Returns whether the failure was thrown by the projection. */
    boolean threw(Throwable failure) {
        return failure.equals(thrown);
    }

    /** Returns whether the store aborted it after events were applied. */
    boolean wasAborted(Throwable failure) {
        return StoreAbortTracker.isOfStore(failure)
                && !threw(failure)
                && plan().filter(planned -> !planned.handle().isEmpty()).isPresent();
    }

    /**
     * Returns the event that failed; null if it may be any, or none was to be applied.
     *
     * @param several whether more than one event was tried
     */
    @Nullable
    EventEnvelope failedEvent(boolean several) {
        if (current != null) {
            return current;
        }
        return plan == null
                        || plan.handle().isEmpty()
                        || (several && plan.handle().size() > 1)
                ? null
                : plan.handle().getFirst();
    }

    /** Returns the number of events that would have been applied before that one. */
    int before(EventEnvelope event) {
        return plan == null ? 0 : Math.max(0, plan.handle().indexOf(event));
    }

    /** Returns the plan; empty before the store has called. */
    Optional<BatchPlan> plan() {
        return Optional.ofNullable(plan);
    }
}

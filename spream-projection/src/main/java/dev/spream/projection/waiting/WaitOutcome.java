package dev.spream.projection.waiting;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.ProjectionStatus;

/** The outcome of a wait for a projection. */
public sealed interface WaitOutcome {

    /**
     * The projection has the event or the position: transactions that begin from now on read its effects. An event that
     * was skipped, or whose type the projection does not handle, counts as well.
     */
    record Reached() implements WaitOutcome {}

    /**
     * The limit has passed, or the projection is paused or has failed, so that waiting is useless.
     *
     * @param status the status of the live version
     * @param position the position of its segment that is furthest behind; 0 if its source has no positions
     */
    record Behind(ProjectionStatus status, long position) implements WaitOutcome {
        public Behind {
            requireNonNull(status, "status");
        }
    }

    /**
     * The aggregate is parked, and the event is not applied: at once if the aggregate waits for an operator, and after
     * the limit if it is retried.
     */
    record Parked(String aggregateId) implements WaitOutcome {
        public Parked {
            requireNonNull(aggregateId, "aggregateId");
        }
    }

    default boolean isReached() {
        return this instanceof Reached;
    }
}

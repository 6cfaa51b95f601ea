package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStore;

/** Classifies failures in a transaction. Safe for use by many threads. */
record FailureClassifier(ProjectionStore<?> store) {

    /**
     * Returns the kind of a failure, for the event that failed.
     *
     * @param byProjection whether the projection threw it, rather than the store
     * @throws LoopExit if the store cannot be reached, or violates its contract
     */
    FailureKind kind(Throwable failure, boolean byProjection) throws LoopExit {
        return switch (failure) {
            case StackOverflowError overflow
            when byProjection -> FailureKind.POISON; // caused by too deeply nested data
            case Error error -> FailureKind.FATAL;
            case ProjectionException said when byProjection -> said.kind();
            case StorageException storage
            when storage.retryable() && !isConflict(storage) -> throw LoopExit.outage(storage);
            case InterruptedException interrupted -> FailureKind.TRANSIENT;
            case StorageException storage -> store.failureKind(storage);
            case Exception exception when byProjection -> store.failureKind(exception);
            case Exception exception -> throw LoopExit.outage(exception);
            default -> FailureKind.FATAL;
        };
    }

    /**
     * Returns whether its transaction conflicted with another; it was rolled back then, even if it was being committed.
     */
    boolean isConflict(Throwable failure) {
        return failure instanceof Exception exception && store.failureKind(exception) == FailureKind.CONFLICT;
    }

    /** Returns the failure in the form that listeners receive. */
    static Exception asException(Throwable failure) {
        return failure instanceof Exception exception
                ? exception
                : new ProjectionException(
                        failure instanceof StackOverflowError ? FailureKind.POISON : FailureKind.FATAL,
                        ErrorText.of(failure),
                        failure);
    }
}

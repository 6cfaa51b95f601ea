package dev.spream.core.subscription;

/** A promise was broken in a simulated history. */
final class SimulationViolation extends AssertionError {
    private static final long serialVersionUID = 1L;

    /** The violated guarantee. */
    enum Promise {
        AT_LEAST_ONCE,
        ORDER,
        WHOLE,
        COMMIT_ORDER,
        BOUNDS,
        PROVEN_END,
        LOW_WATERMARK,
        ONE_OWNER,
        FAIR_SHARE,
        ONCE_TOLD,
        PROGRESS
    }

    private final Promise promise;

    SimulationViolation(Promise promise, String message) {
        super(promise + ": " + message);
        this.promise = promise;
    }

    Promise promise() {
        return promise;
    }
}

package dev.spream.outbox;

/** How far a worker has been told to stop. Only ever goes on. Safe for use by many threads. */
final class StopSignal {
    enum Stage {
        /** Not at all. */
        RUNNING,
        /** Claims nothing and starts nothing; what has started finishes. */
        DRAINING,
        /** Interrupts what has started. */
        CANCELLED
    }

    private volatile Stage stage = Stage.RUNNING;

    boolean isRunning() {
        return stage == Stage.RUNNING;
    }

    boolean isCancelled() {
        return stage == Stage.CANCELLED;
    }

    synchronized void escalate(Stage to) {
        if (to.compareTo(stage) > 0) {
            stage = to;
        }
    }
}

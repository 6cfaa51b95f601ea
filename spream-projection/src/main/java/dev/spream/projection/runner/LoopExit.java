package dev.spream.projection.runner;

import dev.spream.projection.FailureKind;

/** Ends a loop that cannot continue. Its unprocessed events are delivered again. */
final class LoopExit extends Exception {
    private static final long serialVersionUID = 1L;

    enum Reason {
        /** The store rejected the write: another owner has the segment, or the projection does not run. */
        FENCED,
        /** A store or a source fails. Another loop tries again. */
        OUTAGE,
        /** No event can be applied by this process. */
        LOCAL,
        /** No event can be applied. */
        FATAL
    }

    private final Reason reason;
    private final Exception failure;

    private LoopExit(Reason reason, Exception failure) {
        super(reason.name(), failure, false, false);
        this.reason = reason;
        this.failure = failure;
    }

    static LoopExit fenced(String label) {
        return new LoopExit(Reason.FENCED, new IllegalStateException(label + " may not write"));
    }

    static LoopExit outage(Exception failure) {
        return new LoopExit(Reason.OUTAGE, failure);
    }

    static LoopExit fatal(Exception failure) {
        return new LoopExit(Reason.FATAL, failure);
    }

    /** Ends the loop if every other event would fail as well. */
    static void ifOfEveryEvent(FailureKind kind, Exception failure) throws LoopExit {
        switch (kind) {
            case FATAL -> throw fatal(failure);
            case LOCAL -> throw new LoopExit(Reason.LOCAL, failure);
            case TRANSIENT, CONFLICT, POISON -> {}
        }
    }

    Reason reason() {
        return reason;
    }

    Exception failure() {
        return failure;
    }
}

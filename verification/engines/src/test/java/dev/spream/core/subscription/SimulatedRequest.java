package dev.spream.core.subscription;

import org.jspecify.annotations.Nullable;

/** A request to a server that is not part of any process: what it does there, and what comes of it. */
final class SimulatedRequest {

    /** The work of the server. */
    interface Effect {
        Object take() throws Throwable;
    }

    private final Effect effect;
    private @Nullable Object result;
    private @Nullable Throwable thrown;
    private boolean answered;

    SimulatedRequest(Effect effect) {
        this.effect = effect;
    }

    /** The server takes it. */
    void arrive() {
        try {
            result = effect.take();
        } catch (Throwable t) {
            thrown = t;
        }
        answered = true;
    }

    boolean isAnswered() {
        return answered;
    }

    /** Of one that is answered; or throws what the server did. */
    @Nullable
    Object result() throws Throwable {
        if (thrown != null) {
            throw thrown;
        }
        return result;
    }
}

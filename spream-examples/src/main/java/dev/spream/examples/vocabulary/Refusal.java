package dev.spream.examples.vocabulary;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;

/** A refused command, with the reason. No event was stored. */
final class Refusal extends SpreamException {
    private static final long serialVersionUID = 1L;

    enum Reason {
        NOT_FOUND,
        /** The entry has changed since the user has seen it. */
        VERSION_CONFLICT,
        /** Another request has used the idempotency key. */
        IDEMPOTENCY_CONFLICT
    }

    private final Reason reason;

    /** @param message for the sender of the command */
    Refusal(Reason reason, String message) {
        super(message, null);
        this.reason = requireNonNull(reason, "reason");
    }

    Reason reason() {
        return reason;
    }
}

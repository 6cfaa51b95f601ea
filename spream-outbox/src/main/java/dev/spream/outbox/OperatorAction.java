package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

/**
 * The author of a manual change and the reason for it; both are recorded in the audit.
 *
 * @param actor the name of the operator, 1 to 200 characters
 * @param reason the reason for the change, at most 1,000 characters
 */
public record OperatorAction(String actor, String reason) {
    private static final int MAX_ACTOR = 200;
    private static final int MAX_REASON = 1_000;

    public OperatorAction {
        requireNonNull(reason, "reason");
        if (actor.isBlank() || actor.length() > MAX_ACTOR) {
            throw new IllegalArgumentException(
                    "actor has %d characters, must have 1 to %d".formatted(actor.length(), MAX_ACTOR));
        }
        if (reason.length() > MAX_REASON) {
            throw new IllegalArgumentException(
                    "reason has %d characters, must have at most %d".formatted(reason.length(), MAX_REASON));
        }
    }
}

package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

/**
 * The author of a change by hand, and the reason for it; the audit keeps both.
 *
 * @param actor the operator, 1 to 200 characters
 * @param reason why, at most 1,000 characters
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

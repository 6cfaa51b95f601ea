package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

/**
 * The actor and the reason of a {@link Correction}, for the audit.
 *
 * @param actor the operator, usually user@host
 * @param reason the reason, in the operator's words
 */
public record CorrectionAct(String actor, String reason) {
    public CorrectionAct {
        requireText("actor", actor);
        requireText("reason", reason);
    }

    private static void requireText(String name, String text) {
        if (requireNonNull(text, name).isBlank()) {
            throw new IllegalArgumentException("the %s of a correction is blank: the audit needs it".formatted(name));
        }
    }
}

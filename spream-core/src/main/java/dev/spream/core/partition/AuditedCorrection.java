package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * The audit line of a {@link Correction}, stored with the subscription in the same step.
 *
 * @param at when it was stored, on the storage's clock
 * @param act the actor and the reason
 * @param change the change that was made; one line
 */
public record AuditedCorrection(Instant at, CorrectionAct act, String change) {
    public AuditedCorrection {
        requireNonNull(at, "at");
        requireNonNull(act, "act");
        requireNonNull(change, "change");
    }
}

package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * An entry of the audit: one change of a projection by hand.
 *
 * @param at by the store's clock
 * @param action {@code pause}, {@code resume}, {@code retry}, {@code skip}, {@code rebuild}, {@code cutover}, {@code rollback}
 *     or {@code drop}
 * @param outcome what became of it, for people
 */
public record AuditedAction(Instant at, String action, String outcome, ProjectionOperations.Act act) {
    public AuditedAction {
        requireNonNull(at, "at");
        requireNonNull(action, "action");
        requireNonNull(outcome, "outcome");
        requireNonNull(act, "act");
    }
}

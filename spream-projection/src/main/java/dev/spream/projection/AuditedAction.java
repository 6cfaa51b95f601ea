package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * An entry of the audit: one operator action on a projection.
 *
 * @param at the time of the action, by the store's clock
 * @param action {@code pause}, {@code resume}, {@code retry}, {@code skip}, {@code rebuild}, {@code cutover}, {@code rollback}
 *     or {@code drop}
 * @param outcome a description of the outcome
 */
public record AuditedAction(Instant at, String action, String outcome, ProjectionOperations.Act act) {
    public AuditedAction {
        requireNonNull(at, "at");
        requireNonNull(action, "action");
        requireNonNull(outcome, "outcome");
        requireNonNull(act, "act");
    }
}

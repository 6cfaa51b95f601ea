package dev.spream.outbox;

import java.time.Instant;

/**
 * An entry of the audit: one manual change by an operator.
 *
 * @param action such as {@code requeue}
 * @param outcome a short description of the change, such as {@code aborted -> pending, generation 2}
 */
public record AuditEntry(
        Instant at, String actor, String action, long entryId, String idempotencyKey, String outcome, String reason) {}

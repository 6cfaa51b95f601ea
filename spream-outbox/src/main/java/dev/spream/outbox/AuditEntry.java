package dev.spream.outbox;

import java.time.Instant;

/**
 * An entry of the audit: one change by hand.
 *
 * @param action such as {@code requeue}
 * @param outcome what it changed, in a few words, such as {@code aborted -> pending, generation 2}
 */
public record AuditEntry(
        Instant at, String actor, String action, long entryId, String idempotencyKey, String outcome, String reason) {}

package dev.spream.projection;

/**
 * Identifies the attempt whose outcome is stored: the outcome has no effect if the parked events were retried, skipped or reset
 * meanwhile.
 *
 * @param firstVersion of the events that were tried
 * @param attempts at it before, as the store said
 */
public record RetryGuard(long firstVersion, int attempts) {}

package dev.spream.projection;

/**
 * Identifies the attempt whose outcome is stored: the outcome has no effect if the parked events were retried, skipped
 * or reset meanwhile.
 *
 * @param firstVersion the first version that was tried
 * @param attempts the number of earlier attempts at it, as read from the store
 */
public record RetryGuard(long firstVersion, int attempts) {}

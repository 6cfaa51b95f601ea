package dev.spream.projection;

/**
 * The events of a parked aggregate that were tried, so that the outcome changes nothing if others tried, skipped or
 * reset them meanwhile.
 *
 * @param firstVersion of the events that were tried
 * @param attempts at it before, as the store said
 */
public record RetryGuard(long firstVersion, int attempts) {}

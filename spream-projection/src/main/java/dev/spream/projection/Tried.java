package dev.spream.projection;

/**
 * What of a parked aggregate was tried, so that what came of it changes nothing if somebody has tried, skipped or reset it
 * meanwhile.
 *
 * @param firstVersion of the events that were tried
 * @param attempts at it before, as the store said
 */
public record Tried(long firstVersion, int attempts) {}

package dev.spream.outbox;

import java.time.Duration;

/**
 * An unsettled entry with an ordering key, as the planner of claims reads it.
 *
 * @param dueIn how long until it may be claimed, by the store's clock: zero if it may be now; until its lease expires, if it is
 *     being sent
 * @param parked whether it waits for an operator
 */
public record OrderedEntry(long id, int segment, String orderingKey, Duration dueIn, boolean parked) {}

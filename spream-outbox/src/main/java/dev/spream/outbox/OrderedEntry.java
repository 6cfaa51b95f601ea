package dev.spream.outbox;

import java.time.Duration;

/**
 * An unsettled entry with an ordering key, as the planner of claims reads it.
 *
 * @param dueIn the time until it may be claimed, by the store's clock: zero if it is due now; if it is being sent, the
 *     time until its lease expires
 * @param parked whether it is parked for an operator
 */
public record OrderedEntry(long id, int segment, String orderingKey, Duration dueIn, boolean parked) {}

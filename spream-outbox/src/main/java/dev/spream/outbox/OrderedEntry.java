package dev.spream.outbox;

import java.time.Duration;

/**
 * An entry with an ordering key that is not settled, as somebody who plans sees it.
 *
 * @param dueIn how long until it may be claimed, by the store's clock: zero if it may be now; until its lease runs out, if
 *     somebody is sending it
 * @param parked whether it waits for somebody to decide
 */
public record OrderedEntry(long id, int lane, String orderingKey, Duration dueIn, boolean parked) {}

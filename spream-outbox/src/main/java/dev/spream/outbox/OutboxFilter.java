package dev.spream.outbox;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.Set;

/**
 * The criteria of a list of entries, all of which an entry must meet, and the page of the list.
 *
 * @param statuses only entries with one of these statuses; empty for all
 * @param parkedOnly whether only parked entries are listed
 * @param destination only entries of this destination; empty for all
 * @param orderingKey only entries of this key
 * @param reason only entries with this last error
 * @param afterId only entries with a greater id; 0 for all
 * @param limit the maximum number of entries, 1 to {@value #MAX_LIMIT}
 */
public record OutboxFilter(
        Set<OutboxStatus> statuses,
        boolean parkedOnly,
        String destination,
        Optional<String> orderingKey,
        Optional<ReasonCode> reason,
        long afterId,
        int limit) {
    public static final int MAX_LIMIT = 10_000;

    public OutboxFilter {
        statuses = Set.copyOf(statuses);
        requireNonNull(destination, "destination");
        requireNonNull(orderingKey, "orderingKey");
        requireNonNull(reason, "reason");
        requireBetween("limit", limit, 1, MAX_LIMIT);
    }
}

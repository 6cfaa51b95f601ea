package dev.spream.outbox;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.Set;

/**
 * A choice of entries to list.
 *
 * @param statuses of any of these; empty for all
 * @param parkedOnly only those that wait until an operator decides
 * @param orderingKey only those of this key
 * @param reason only those with this last error
 * @param afterId only those after this one; 0 for all
 * @param limit how many at most, 1 to {@value #MAX_LIMIT}
 */
public record OutboxFilter(
        Set<OutboxStatus> statuses,
        boolean parkedOnly,
        Optional<String> orderingKey,
        Optional<ReasonCode> reason,
        long afterId,
        int limit) {
    public static final int MAX_LIMIT = 10_000;

    public OutboxFilter {
        statuses = Set.copyOf(statuses);
        requireNonNull(orderingKey, "orderingKey");
        requireNonNull(reason, "reason");
        requireBetween("limit", limit, 1, MAX_LIMIT);
    }
}

package dev.spream.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The numbers of entries of an outbox at one moment, for operators and metrics.
 *
 * @param at the time of the statistics, by the store's clock
 * @param entries the number of entries of each status; all statuses are present
 * @param due the number of entries that could be claimed now
 * @param oldestDue the time since which the oldest of them has been due
 * @param leasesExpired the number of claimed entries whose lease has expired
 * @param parked the number of parked entries
 * @param parkedUnknown the number of parked entries that may have reached the receiver
 * @param estimated the statuses whose number of entries is an estimate
 * @param atLeast the figures that are lower bounds, since not all relevant entries were read
 */
public record OutboxStats(
        Instant at,
        Map<OutboxStatus, Long> entries,
        long due,
        Optional<Instant> oldestDue,
        long leasesExpired,
        long parked,
        long parkedUnknown,
        Set<OutboxStatus> estimated,
        Set<Figure> atLeast) {

    /** A figure for which a store may have read only a part of the entries. */
    public enum Figure {
        DUE,
        /** The time since which the oldest entry has been due, which may be longer ago. */
        LAG,
        LEASES_EXPIRED,
        /** The number of parked entries, and of those that may have reached the receiver. */
        PARKED
    }

    public OutboxStats {
        Map<OutboxStatus, Long> all = new EnumMap<>(OutboxStatus.class);
        for (OutboxStatus status : OutboxStatus.values()) {
            all.put(status, entries.getOrDefault(status, 0L));
        }
        entries = Map.copyOf(all);
        estimated = Set.copyOf(estimated);
        atLeast = Set.copyOf(atLeast);
    }

    /** Returns how long the oldest due entry has waited, at least; zero if there is none. */
    public Duration lag() {
        return oldestDue.map(since -> Duration.between(since, at)).orElse(Duration.ZERO);
    }
}

package dev.spream.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Statistics of an outbox.
 *
 * @param at the store's time
 * @param entries how many there are of each status; all are there
 * @param due how many could be claimed now
 * @param oldestDue since when the oldest of them has been due
 * @param leasesExpired how many are being sent under an expired lease
 * @param parked how many wait until an operator decides
 * @param parkedUnknown how many of those may have reached the receiver
 * @param estimated statuses that have only about as many entries
 * @param atLeast numbers that may be greater, since not all that counts for them was read
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

    /** A number that a store may have read in part. */
    public enum Figure {
        DUE,
        /** And since when the oldest of them has been due: that may be longer ago. */
        LAG,
        LEASES_EXPIRED,
        /** And how many of them may have reached the receiver. */
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

    /** Returns the time that the oldest due entry has waited, as far as is known; zero if there is none. */
    public Duration lag() {
        return oldestDue.map(since -> Duration.between(since, at)).orElse(Duration.ZERO);
    }
}

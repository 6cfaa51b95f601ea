package dev.spream.core.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * An outbox in numbers.
 *
 * @param at the store's time
 * @param entries how many there are of each status; all are there. Of those that are settled a store may know only about how
 *     many, once there are millions
 * @param due how many could be claimed now
 * @param oldestDue since when the oldest of them has been due
 * @param leasesExpired how many are being sent by somebody whose lease has run out
 * @param parked how many wait for somebody to decide
 * @param parkedUnknown how many of those may have reached the receiver
 */
public record OutboxStats(
        Instant at,
        Map<OutboxStatus, Long> entries,
        long due,
        Optional<Instant> oldestDue,
        long leasesExpired,
        long parked,
        long parkedUnknown) {
    public OutboxStats {
        Map<OutboxStatus, Long> all = new EnumMap<>(OutboxStatus.class);
        for (OutboxStatus status : OutboxStatus.values()) {
            all.put(status, entries.getOrDefault(status, 0L));
        }
        entries = Map.copyOf(all);
    }

    /** How long the oldest entry that is due has waited; zero if there is none. */
    public Duration lag() {
        return oldestDue.map(since -> Duration.between(since, at)).orElse(Duration.ZERO);
    }
}

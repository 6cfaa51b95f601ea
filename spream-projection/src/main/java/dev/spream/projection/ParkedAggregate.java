package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A parked aggregate: its events are stored and not applied.
 *
 * @param key the aggregate's id
 * @param lastVersion the last version that was applied
 * @param firstVersion the first version that is stored unapplied
 * @param events the number of stored events
 * @param attempts the number of attempts at the first of them, including those before it was parked
 * @param error the description of the last failure, without contents of events
 * @param since the time when it was parked
 * @param nextTry the time until the next attempt, 0 if it is due; empty if it waits for an operator
 * @param followed the last version whose {@linkplain SideEffectingProjection side effects} another, previously live
 *     version of the projection has produced; 0 if there was none
 */
public record ParkedAggregate(
        String key,
        ParkReason reason,
        long lastVersion,
        long firstVersion,
        long events,
        int attempts,
        String error,
        Instant since,
        Optional<Duration> nextTry,
        long followed) {
    public ParkedAggregate {
        requireNonNull(key, "key");
        requireNonNull(reason, "reason");
        requireNonNull(error, "error");
        requireNonNull(since, "since");
        requireNonNull(nextTry, "nextTry");
    }

    /**
     * Checks that its first stored event is the next one, so that skipping it skips no other event: it follows the last
     * version, or was tried, which never happens to an event after a gap that is waited for.
     *
     * @throws IllegalStateException if an event is missing before it
     */
    public void requireNothingMissing(String projection) {
        long missing = lastVersion + 1;
        if (firstVersion > missing && attempts == 0) {
            throw new IllegalStateException(
                    "version %d of aggregate '%s' of projection '%s' has not arrived, and skipping version %d would lose it; nothing was changed: wait for version %d, or deliver it, first"
                            .formatted(missing, key, projection, firstVersion, missing));
        }
    }
}

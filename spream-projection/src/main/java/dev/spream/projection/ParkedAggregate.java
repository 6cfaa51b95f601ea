package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A parked aggregate: its events are kept and not applied.
 *
 * @param key the aggregate's id
 * @param lastVersion that was applied
 * @param firstVersion that is kept unapplied
 * @param events how many are
 * @param attempts at the first of them, those that failed in the stream included
 * @param error what failed last; without what events contain
 * @param since when it was parked
 * @param nextTry the time until the next attempt, 0 if that is due; empty if it waits for an operator
 * @param followed the version up to which another version of the projection, which was live before, has done what {@linkplain
 *     SideEffectingProjection follows}; 0 if there was none
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
     * Checks that its first event is the next one, so that passing over it passes over no other: it follows the last version, or
     * was tried, which happens to none behind a gap that is waited for.
     *
     * @throws IllegalStateException if an event is missing before it
     */
    public void requireNothingMissing(String projection) {
        long missing = lastVersion + 1;
        if (firstVersion > missing && attempts == 0) {
            throw new IllegalStateException(
                    "version %d of aggregate '%s' of projection '%s' has not come, and skipping version %d would lose it; nothing was changed: have version %d delivered first"
                            .formatted(missing, key, projection, firstVersion, missing));
        }
    }
}

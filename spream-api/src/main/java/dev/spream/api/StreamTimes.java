package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.ConfigException;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The configured start and end. A time of the calendar is what it is, and a stored subscription with another one
 * is refused. A time relative to now is that of the first run: a subscription that is stored keeps it, whenever the process
 * starts again, and of several that run for the first time together one decides for all. Immutable.
 */
public record StreamTimes(Optional<StreamTime> start, Optional<StreamTime> end) {
    public StreamTimes {
        requireNonNull(start, "start");
        requireNonNull(end, "end");
    }

    /**
     * The options with the range of the subscription in that storage, or with the range that it would have if it began now.
     * Stores nothing: that is done when the server has accepted the start.
     *
     * @param now what relative times count from, unless something is stored
     * @throws ConfigException if the subscription would end before it starts
     */
    public SubscriberOptions resolve(SubscriberOptions options, PartitionStorage storage, Instant now) {
        SubscriberOptions.Builder resolved = options.toBuilder();
        Optional<Instant> from = start.map(time -> time.at(now));
        Optional<Instant> until = end.map(time -> time.at(now));
        from.ifPresent(resolved::startAt);
        until.ifPresent(resolved::endAt);
        if (hasRelative()) {
            Optional<SubscriptionRecord> stored = storage.subscription();
            if (isRelative(start)) {
                stored.map(SubscriptionRecord::startTimestamp).ifPresent(resolved::startAt);
            }
            if (isRelative(end)) {
                stored.flatMap(SubscriptionRecord::endTimestamp).ifPresent(resolved::endAt);
            }
            resolved.storedRange(stored.isEmpty());
        }
        try {
            return resolved.build();
        } catch (IllegalArgumentException e) {
            throw new ConfigException(List.of(
                    "start and end contradict each other, or what is stored of the subscription: " + e.getMessage()));
        }
    }

    /** Returns the problem of the times in themselves: two of the calendar, or two relative ones, can be compared. */
    Optional<String> problem() {
        Instant anyTime = Instant.EPOCH;
        return start.flatMap(from -> end.filter(until ->
                        until.getClass() == from.getClass() && until.at(anyTime).isBefore(from.at(anyTime)))
                .map(until -> "end %s is before start %s".formatted(until, from)));
    }

    /** Returns whether one of them depends on when the subscription runs for the first time. */
    public boolean hasRelative() {
        return isRelative(start) || isRelative(end);
    }

    private static boolean isRelative(Optional<StreamTime> time) {
        return time.filter(StreamTime.Relative.class::isInstance).isPresent();
    }
}

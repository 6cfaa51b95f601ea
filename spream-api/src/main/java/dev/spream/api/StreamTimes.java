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
 * The configured start and end of a subscription. A fixed time must match that of the stored subscription, if there is
 * one. A relative time is resolved at the first run and stored: later runs use the stored time, and of several workers
 * that run for the first time together one decides for all. Immutable.
 */
public record StreamTimes(Optional<StreamTime> start, Optional<StreamTime> end) {
    public StreamTimes {
        requireNonNull(start, "start");
        requireNonNull(end, "end");
    }

    /**
     * Returns the options with the time range of the stored subscription, or else the range as of now. Stores nothing:
     * the range is stored once the server has accepted the start.
     *
     * @param now the base of relative times, unless a range is stored
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
            throw new ConfigException(
                    List.of("start and end contradict each other, or the stored subscription: " + e.getMessage()));
        }
    }

    /** Returns the problem of the times alone: two fixed or two relative times can be compared. */
    Optional<String> problem() {
        Instant anyTime = Instant.EPOCH;
        return start.flatMap(from -> end.filter(until ->
                        until.getClass() == from.getClass() && until.at(anyTime).isBefore(from.at(anyTime)))
                .map(until -> "end %s is before start %s".formatted(until, from)));
    }

    /** Returns whether one of the times is relative to the first run. */
    public boolean hasRelative() {
        return isRelative(start) || isRelative(end);
    }

    private static boolean isRelative(Optional<StreamTime> time) {
        return time.filter(StreamTime.Relative.class::isInstance).isPresent();
    }
}

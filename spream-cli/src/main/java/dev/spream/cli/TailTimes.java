package dev.spream.cli;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What {@code --start} and {@code --end} mean. A time of the calendar is what it is, and a stored subscription with another
 * one is refused. A time relative to now is that of the first run: a subscription that is stored keeps it, whenever the
 * command runs again, and of several that run for the first time together one decides for all.
 */
final class TailTimes {
    private final Optional<TimeArgument> start;
    private final Optional<TimeArgument> end;
    private final Instant now;

    TailTimes(@Nullable TimeArgument start, @Nullable TimeArgument end, Instant now) {
        this.start = Optional.ofNullable(start);
        this.end = Optional.ofNullable(end);
        this.now = now;
    }

    /** What to ask of a subscriber. */
    record Range(Optional<Instant> start, Optional<Instant> end) {}

    /** The start, if nothing is stored. */
    Optional<Instant> start() {
        return start.map(time -> time.at(now));
    }

    /** The end, if nothing is stored. */
    Optional<Instant> end() {
        return end.map(time -> time.at(now));
    }

    boolean hasRelative() {
        return isRelative(start) || isRelative(end);
    }

    /** The range of the subscription in that storage, which is opened if the range depends on when that happens. */
    Range resolve(PartitionStorage storage, ChangeStreamSource source, Duration heartbeatInterval) {
        if (!hasRelative() || source.partitionMode() != PartitionMode.IMMUTABLE_KEY_RANGE) {
            return new Range(start(), end());
        }
        SubscriptionRecord stored = storage.subscription().orElseGet(() -> open(storage, source, heartbeatInterval));
        return new Range(
                isRelative(start) ? Optional.of(stored.startTimestamp()) : start(),
                isRelative(end) ? stored.endTimestamp().or(this::end) : end());
    }

    private SubscriptionRecord open(PartitionStorage storage, ChangeStreamSource source, Duration heartbeatInterval) {
        Instant from = start().orElseGet(source::serverTime);
        end().filter(until -> until.isBefore(from)).ifPresent(until -> {
            throw new CommandFailure(
                    "the subscription would end at %s, before it starts at %s; give a start before the end"
                            .formatted(until, from));
        });
        return storage.open(new SubscriptionRecord(
                source.streamName(), from, end(), heartbeatInterval, source.partitionMode(), false));
    }

    private static boolean isRelative(Optional<TimeArgument> time) {
        return time.filter(TimeArgument.Relative.class::isInstance).isPresent();
    }
}

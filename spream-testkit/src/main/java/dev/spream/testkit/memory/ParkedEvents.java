package dev.spream.testkit.memory;

import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.event.EventEnvelope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A parked aggregate with its events. Guarded by the projection's memory. */
final class ParkedEvents {
    private final String key;
    private final Instant since;
    private final TreeMap<Long, EventEnvelope> events = new TreeMap<>();
    private OptionalInt segment = OptionalInt.empty();
    private ParkReason reason = ParkReason.TRANSIENT;
    private int attempts;
    private String error = "";
    private @Nullable Instant nextTry;
    private long followed;

    ParkedEvents(String key, Instant since) {
        this.key = key;
        this.since = since;
    }

    void park(ParkDecision parking, Instant now) {
        reason = parking.reason();
        attempts = parking.attempts();
        error = parking.error();
        nextTry = parking.nextTry().map(now::plus).orElse(null);
    }

    /** Returns whether the aggregate is unchanged since the attempt. */
    boolean isAs(RetryGuard tried) {
        return attempts == tried.attempts() && events.firstKey() == tried.firstVersion();
    }

    void parkedBy(OptionalInt by) {
        segment = by;
    }

    /** Moves it to its segment after a split, in proportion to its present one. */
    void split(int before, int now) {
        segment = segment.isPresent() ? OptionalInt.of(segment.getAsInt() * now / before) : segment;
    }

    /** Records that side effects of events up to that version were produced. */
    void followedUpTo(long version) {
        followed = version;
    }

    long followed() {
        return followed;
    }

    /** Parks an event, unless it is parked already. */
    void add(EventEnvelope event, long lastVersion, Instant now) {
        boolean added = events.putIfAbsent(event.eventVersion(), event) == null;
        if (added && reason == ParkReason.GAP && events.firstKey() == lastVersion + 1) {
            tryAt(now);
        }
    }

    private void tryAt(Instant time) {
        nextTry = nextTry == null || time.isBefore(nextTry) ? time : nextTry;
    }

    /** Makes it due now, with its attempts counted from 0 again. */
    void tryAgain(Instant now) {
        attempts = 0;
        tryAt(now);
    }

    /** Removes the events up to that version. */
    void forget(long version, Instant now) {
        boolean moved = !events.headMap(version, true).isEmpty();
        events.headMap(version, true).clear();
        if (moved) {
            tryAgain(now);
        }
    }

    boolean has(long version) {
        return events.containsKey(version);
    }

    /** Returns the versions of the parked events after that version. */
    Set<Long> behind(long version) {
        return events.tailMap(version, false).keySet();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    int size() {
        return events.size();
    }

    EventEnvelope first() {
        return events.firstEntry().getValue();
    }

    List<EventEnvelope> first(int limit) {
        return new ArrayList<>(events.values()).subList(0, Math.min(limit, events.size()));
    }

    OptionalInt segment() {
        return segment;
    }

    boolean isOf(Fence fence) {
        return switch (fence) {
            case Fence.Segment held -> segment.isPresent() && segment.getAsInt() == held.segment();
            case Fence.Whole whole -> true;
        };
    }

    /** Returns when it is due; empty if it waits for an operator. */
    Optional<Instant> nextTry() {
        return Optional.ofNullable(nextTry);
    }

    /** Returns whether it waits for an operator. */
    boolean isStuck() {
        return nextTry == null && reason != ParkReason.GAP;
    }

    ParkedAggregate view(long lastVersion, Instant now) {
        Optional<Duration> left = nextTry()
                .map(time -> Duration.between(now, time))
                .map(time -> time.isNegative() ? Duration.ZERO : time);
        return new ParkedAggregate(
                key, reason, lastVersion, events.firstKey(), events.size(), attempts, error, since, left, followed);
    }
}

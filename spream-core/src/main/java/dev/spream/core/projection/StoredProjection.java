package dev.spream.core.projection;

import dev.spream.core.event.EventEnvelope;
import dev.spream.core.event.FeedItem;
import dev.spream.core.projection.ProjectionOperations.Act;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A projection in an {@link InMemoryProjectionStore}, with all that is remembered of it. Guarded by the memory. */
final class StoredProjection {
    private static final int MAX_SEGMENTS = 256;

    private final String name;
    private final Map<String, Long> versions = new HashMap<>();

    /** In the order in which they were parked. */
    private final Map<String, ParkedEvents> parked = new LinkedHashMap<>();

    final SegmentTable segments;
    final List<DeadLetter> deadLetters = new ArrayList<>();
    final List<Audited> audit = new ArrayList<>();

    private ProjectionStatus status = ProjectionStatus.RUNNING;
    private long epoch = 1;
    private long position;
    private long errorCount;
    private Optional<EventEnvelope> last = Optional.empty();
    private @Nullable EventEnvelope lastSeen;
    private Optional<String> lastError = Optional.empty();
    private Instant updatedAt;
    private int entered;

    StoredProjection(String name, int segments, Instant now) {
        if (segments < 0 || segments > MAX_SEGMENTS || Integer.bitCount(segments) > 1) {
            throw new IllegalArgumentException(
                    "%d segments: must be a power of 2 up to %d, or 0".formatted(segments, MAX_SEGMENTS));
        }
        this.name = name;
        this.segments = new SegmentTable(segments);
        this.updatedAt = now;
    }

    /** What was skipped, with its event; or was no event. */
    record DeadLetter(String origin, Optional<EventEnvelope> event, Optional<FeedItem.Undecodable> item) {}

    /** What somebody changed. */
    record Audited(Instant at, String action, Act act) {}

    String name() {
        return name;
    }

    long epoch() {
        return epoch;
    }

    ProjectionStatus status() {
        return status;
    }

    ProjectionState state() {
        return new ProjectionState(
                name,
                status,
                epoch,
                segments.count(),
                position,
                last.map(EventEnvelope::eventId),
                last.map(EventEnvelope::occurredAt),
                errorCount,
                lastError,
                updatedAt);
    }

    ProjectionDetails details(Instant now) {
        return new ProjectionDetails(
                state(),
                segments.details(now),
                parked.size(),
                parked.values().stream().mapToLong(ParkedEvents::size).sum(),
                deadLetters.size());
    }

    boolean isHeld(Fence fence) {
        return status == ProjectionStatus.RUNNING
                && switch (fence) {
                    case Fence.Segment segment -> segments.isHeld(segment);
                    case Fence.Whole whole -> whole.epoch() == epoch;
                };
    }

    void enter(Fence fence) {
        entered++;
        if (fence instanceof Fence.Segment segment) {
            segments.enter(segment);
        }
    }

    void leave(Fence fence) {
        entered--;
        if (fence instanceof Fence.Segment segment) {
            segments.exit(segment);
        }
    }

    boolean isEntered() {
        return entered > 0;
    }

    /** The state of an aggregate as something to be locked. */
    RowLocks.Row row(String key) {
        return new RowLocks.Row("keys of " + name, key);
    }

    KeyState keyState(String key) {
        return new KeyState(versions.getOrDefault(key, 0L), parked.containsKey(key));
    }

    /** Remembers a batch. Refuses one that would lose events, and changes nothing then. */
    boolean record(Fence fence, Set<String> keys, Progress progress, Instant now) {
        requireWhole(keys, progress);
        versions.putAll(progress.versions());
        progress.parked().forEach((key, parking) -> park(fence, key, parking, now));
        for (EventEnvelope event : progress.setAside()) {
            String key = event.aggregateId();
            parkedEvents(key).add(event, keyState(key).lastVersion(), now);
        }
        if (fence instanceof Fence.Segment segment) {
            progress.position().ifPresent(to -> segments.move(segment, to));
        }
        lastSeen = progress.last().orElse(lastSeen);
        return true;
    }

    private void requireWhole(Set<String> keys, Progress progress) {
        Set<String> withEvents = new HashSet<>(parked.keySet());
        progress.setAside().forEach(event -> withEvents.add(event.aggregateId()));
        Set<String> changed = new HashSet<>(progress.versions().keySet());
        changed.addAll(progress.parked().keySet());
        progress.setAside().forEach(event -> changed.add(event.aggregateId()));
        boolean kept = progress.setAside().stream()
                .map(EventEnvelope::aggregateId)
                .allMatch(key -> parked.containsKey(key) || progress.parked().containsKey(key));
        if (!keys.containsAll(changed)
                || !withEvents.containsAll(progress.parked().keySet())
                || !kept) {
            throw new IllegalArgumentException(("progress of projection '%s' has aggregates that are not of the batch, "
                            + "events without a parked aggregate, or the other way round; nothing was changed")
                    .formatted(name));
        }
    }

    private void park(Fence fence, String key, Parking parking, Instant now) {
        ParkedEvents events = parked.computeIfAbsent(key, first -> new ParkedEvents(key, now));
        events.park(parking, now);
        events.parkedBy(fence instanceof Fence.Segment held ? OptionalInt.of(held.segment()) : OptionalInt.empty());
    }

    private ParkedEvents parkedEvents(String key) {
        return find(key).orElseThrow();
    }

    private Optional<ParkedEvents> find(String key) {
        return Optional.ofNullable(parked.get(key));
    }

    List<ParkedKey> due(Fence fence, Instant now, int limit) {
        return parked.entrySet().stream()
                .filter(entry -> entry.getValue().isOf(fence))
                .filter(entry -> entry.getValue()
                        .nextTry()
                        .filter(time -> !time.isAfter(now))
                        .isPresent())
                .sorted(Comparator.comparing(entry -> entry.getValue().nextTry().orElseThrow()))
                .limit(limit)
                .map(entry -> view(entry.getKey(), entry.getValue(), now))
                .toList();
    }

    List<ParkedKey> parked(Instant now, int limit) {
        return parked.entrySet().stream()
                .limit(limit)
                .map(entry -> view(entry.getKey(), entry.getValue(), now))
                .toList();
    }

    private ParkedKey view(String key, ParkedEvents events, Instant now) {
        return events.view(keyState(key).lastVersion(), now);
    }

    /** The first events that are set aside; none if the aggregate is not parked. */
    List<EventEnvelope> setAside(String key, int limit) {
        return find(key).map(events -> events.first(limit)).orElse(List.of());
    }

    KeyState retried(String key, long version, Instant now) {
        long before = keyState(key).lastVersion();
        if (version < before) {
            throw new IllegalArgumentException("aggregate '%s' of projection '%s' goes back from version %d to %d"
                    .formatted(key, name, before, version));
        }
        versions.put(key, version);
        ParkedEvents events = parkedEvents(key);
        events.forget(version, now);
        if (events.isEmpty()) {
            parked.remove(key);
        }
        return keyState(key);
    }

    boolean postpone(String key, Tried tried, Parking parking, Instant now) {
        Optional<ParkedEvents> same = find(key).filter(events -> events.isAs(tried));
        same.ifPresent(events -> events.park(parking, now));
        return same.isPresent();
    }

    void deadLetter(FeedItem.Undecodable item) {
        boolean known = deadLetters.stream()
                .anyMatch(letter -> letter.item().isPresent() && letter.origin().equals(item.origin()));
        if (!known) {
            deadLetters.add(new DeadLetter(item.origin(), Optional.empty(), Optional.of(item)));
        }
    }

    void report(long errors, Optional<String> error, Instant now) {
        errorCount += errors;
        lastError = error.or(() -> lastError);
        last = Optional.ofNullable(lastSeen);
        position = segments.position();
        updatedAt = now;
    }

    boolean fail(String error, Instant now) {
        become(ProjectionStatus.FAILED, now);
        lastError = Optional.of(error);
        return true;
    }

    void become(ProjectionStatus next, Instant now) {
        status = next;
        epoch++;
        updatedAt = now;
    }

    /** Has parked aggregates tried again at once; how many. */
    int tryAgain(Optional<String> key, Instant now) {
        List<ParkedEvents> chosen =
                key.map(one -> find(one).stream().toList()).orElseGet(() -> List.copyOf(parked.values()));
        chosen.forEach(events -> events.tryAgain(now));
        return chosen.size();
    }

    /**
     * Passes over the first event of a parked aggregate; whether it has that version.
     *
     * @throws IllegalStateException if one before it has not come; nothing changed then
     */
    boolean skip(String key, long version, Instant now) {
        Optional<EventEnvelope> first =
                find(key).map(ParkedEvents::first).filter(event -> event.eventVersion() == version);
        first.ifPresent(event -> {
            ParkedKey seen = view(key, parkedEvents(key), now);
            seen.requireNothingMissing(name);
            deadLetters.add(new DeadLetter(event.eventId(), Optional.of(event), Optional.empty()));
            retried(key, version, now);
        });
        return first.isPresent();
    }
}

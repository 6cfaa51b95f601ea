package dev.spream.testkit.memory;

import dev.spream.projection.AggregateState;
import dev.spream.projection.AuditedAction;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A version of a projection in an {@link InMemoryProjectionStore}, with its state. Guarded by the memory. */
final class StoredProjection {
    private final String name;
    private final Map<String, Long> versions = new HashMap<>();

    /** Parked aggregates, in the order in which they were parked. */
    private final Map<String, ParkedEvents> parked = new LinkedHashMap<>();

    SegmentTable segments;
    final List<ProjectionDeadLetter> deadLetters = new ArrayList<>();
    final List<AuditedAction> audit;
    final BuildRate rate;

    private final Instant startedAt;
    private ProjectionVersion version;
    private ProjectionCode code;
    private Optional<String> outside = Optional.empty();
    private long applied;
    private ProjectionStatus status;
    private long epoch = 1;
    private long position;
    private long errorCount;
    private Optional<EventEnvelope> last = Optional.empty();
    private @Nullable EventEnvelope lastSeen;
    private Optional<String> lastError = Optional.empty();
    private Optional<Instant> lastErrorAt = Optional.empty();
    private Instant updatedAt;
    private int entered;
    private boolean alone; // it is held exclusively
    private boolean preparing;

    /**
     * Creates a version that has processed nothing after its start position.
     *
     * @param audit the audit of the projection
     */
    StoredProjection(
            ProjectionVersion version, int segments, ProjectionCode code, List<AuditedAction> audit, Instant now) {
        this.name = version.stateName();
        this.version = version;
        this.code = code;
        this.audit = audit;
        this.status = version.isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING;
        this.position = version.from();
        this.segments = new SegmentTable(segments, version.from());
        this.rate = new BuildRate(now);
        this.startedAt = now;
        this.updatedAt = now;
    }

    String name() {
        return name;
    }

    ProjectionVersion version() {
        return version;
    }

    ProjectionCode code() {
        return code;
    }

    void code(ProjectionCode now) {
        code = now;
    }

    /** Returns the place of the rows of a table of its read model. */
    String place(String table) {
        return version.isLive() || !code.tables().contains(table) ? table : ownPlace(table);
    }

    /** Returns the place of the rows of one of its tables while it is not live. */
    String ownPlace(String table) {
        return "%s@%d:%s".formatted(version.projection(), version.version(), table);
    }

    boolean isPreparing() {
        return preparing;
    }

    void preparing(boolean now) {
        preparing = now;
    }

    /** Returns the id of its read model outside the memory; empty before one is begun. */
    Optional<String> outside() {
        return outside;
    }

    void outside(String id) {
        outside = Optional.of(id);
    }

    void requireNothingProcessed() {
        if (!versions.isEmpty() || !parked.isEmpty()) {
            throw version.withoutOutsideModel();
        }
    }

    boolean prepared() {
        version = new ProjectionVersion(
                version.projection(), version.version(), version.revision(), version.role(), version.from(), true);
        return true;
    }

    /** Gives it another role; the owners of its segments claim them again. A failed version stays failed. */
    void exchange(VersionRole role, Instant now) {
        version = new ProjectionVersion(
                version.projection(), version.version(), version.revision(), role, version.from(), version.prepared());
        become(status == ProjectionStatus.FAILED ? status : activeStatus(), now);
        segments.raiseEpochs();
    }

    private ProjectionStatus activeStatus() {
        return version.isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING;
    }

    /** Splits it into another number of segments. No transaction is open in it. */
    void split(int count, Instant now) {
        int before = segments.count();
        segments = segments.split(count);
        parked.values().forEach(events -> events.split(before, count));
        epoch++;
        updatedAt = now;
    }

    boolean isAlone() {
        return alone;
    }

    void alone(boolean now) {
        alone = now;
    }

    /** Returns whether it may write events, unless it is held exclusively. */
    boolean isActive() {
        return status == ProjectionStatus.RUNNING || status == ProjectionStatus.REBUILDING;
    }

    void measure(Instant now) {
        rate.add(0, now);
    }

    RebuildProgress progress(long target, Instant now) {
        return new RebuildProgress(
                version,
                startedAt,
                applied,
                segments.position(),
                target,
                parked.size(),
                skipped().count(),
                rate.at(now));
    }

    /** Returns the last version of an aggregate whose side effects were produced, while this is live. */
    private long effectsUpTo(String key) {
        return Math.max(
                versions.getOrDefault(key, 0L),
                find(key).map(ParkedEvents::followed).orElse(0L));
    }

    /** Returns the losses of a cutover from this live version to the other at the same positions. */
    CutoverReport.Losses losses(StoredProjection other) {
        boolean effects = code.effects() || other.code.effects();
        long withoutEffects = parked.keySet().stream()
                .filter(key -> parkedEvents(key).behind(effectsUpTo(key)).stream()
                        .anyMatch(event -> !other.hasParked(key, event)))
                .count();
        long behind = other.parked.keySet().stream()
                .filter(key -> keyState(key).lastVersion() > other.keyState(key).lastVersion())
                .count();
        long skipped = other.skipped()
                .filter(event -> skipped().noneMatch(same -> isSame(same, event)))
                .filter(event -> !hasParked(event.aggregateId(), event.eventVersion()))
                .count();
        return new CutoverReport.Losses(
                effects ? withoutEffects : 0, behind, skipped, version.leftOutBy(other.version));
    }

    private boolean hasParked(String key, long event) {
        return find(key).filter(events -> events.has(event)).isPresent();
    }

    private Stream<EventEnvelope> skipped() {
        return deadLetters.stream()
                .flatMap(letter -> letter instanceof ProjectionDeadLetter.Skipped skipped
                        ? Stream.of(skipped.event())
                        : Stream.empty());
    }

    Map<String, Set<Long>> skippedVersions() {
        return skipped()
                .collect(Collectors.groupingBy(
                        EventEnvelope::aggregateId,
                        Collectors.mapping(EventEnvelope::eventVersion, Collectors.toSet())));
    }

    /** Copies the skipped events of the live version, with time and reason, and returns their number. */
    int skipAsIn(StoredProjection live) {
        live.deadLetters.stream()
                .flatMap(letter ->
                        letter instanceof ProjectionDeadLetter.Skipped skipped ? Stream.of(skipped) : Stream.empty())
                .map(skipped -> new ProjectionDeadLetter.Skipped(
                        nextLetter(), skipped.keptAt(), skipped.reason(), skipped.event()))
                .forEach(deadLetters::add);
        return deadLetters.size();
    }

    private static boolean isSame(EventEnvelope one, EventEnvelope other) {
        return one.aggregateId().equals(other.aggregateId()) && one.eventVersion() == other.eventVersion();
    }

    /** Records up to which version the live version has produced side effects. */
    void followOn(StoredProjection live) {
        parked.forEach((key, events) -> events.followedUpTo(live.effectsUpTo(key)));
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
                lastErrorAt,
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
        return isActive()
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

    /** Returns the state of an aggregate as a lockable row. */
    RowLocks.Row row(String key) {
        return new RowLocks.Row("keys of " + name, key);
    }

    AggregateState keyState(String key) {
        return new AggregateState(versions.getOrDefault(key, 0L), parked.containsKey(key));
    }

    ProjectionProgress progress(Set<String> keys) {
        Set<String> stuck = keys.stream()
                .filter(key -> find(key).filter(ParkedEvents::isStuck).isPresent())
                .collect(Collectors.toSet());
        return new ProjectionProgress(
                status,
                segments.position(),
                keys.stream().collect(Collectors.toMap(key -> key, this::keyState)),
                stuck);
    }

    /** Stores a batch. Refuses one that would lose events, without any change. */
    boolean record(Fence fence, Set<String> keys, BatchCheckpoint progress, Instant now) {
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
        applied += progress.dealt();
        rate.add(progress.dealt(), now);
        return true;
    }

    private void requireWhole(Set<String> keys, BatchCheckpoint progress) {
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

    private void park(Fence fence, String key, ParkDecision parking, Instant now) {
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

    List<ParkedAggregate> due(Fence fence, Instant now, int limit) {
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

    Set<Integer> dueSegments(Instant now) {
        return parked.values().stream()
                .filter(events ->
                        events.nextTry().filter(time -> !time.isAfter(now)).isPresent())
                .flatMap(events -> events.segment().stream().boxed())
                .collect(Collectors.toSet());
    }

    List<ParkedAggregate> parked(Instant now, int limit) {
        return parked.entrySet().stream()
                .limit(limit)
                .map(entry -> view(entry.getKey(), entry.getValue(), now))
                .toList();
    }

    ParkedSummary parkedSummary(Instant now) {
        List<ParkedAggregate> all = parked(now, Integer.MAX_VALUE);
        List<ParkedAggregate> waiting =
                all.stream().filter(key -> key.reason() == ParkReason.POISON).toList();
        return new ParkedSummary(
                all.size(),
                all.stream().mapToLong(ParkedAggregate::events).sum(),
                waiting.size(),
                waiting.stream().findFirst().map(ParkedAggregate::error),
                all.stream().findFirst().map(key -> Duration.between(key.since(), now)));
    }

    private ParkedAggregate view(String key, ParkedEvents events, Instant now) {
        return events.view(keyState(key).lastVersion(), now);
    }

    /** Returns the first parked events; none if the aggregate is not parked. */
    List<EventEnvelope> parkedEvents(String key, int limit) {
        return find(key).map(events -> events.first(limit)).orElse(List.of());
    }

    AggregateState retried(String key, long version, Instant now) {
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

    boolean postpone(String key, RetryGuard tried, ParkDecision parking, Instant now) {
        Optional<ParkedEvents> same = find(key).filter(events -> events.isAs(tried));
        same.ifPresent(events -> events.park(parking, now));
        return same.isPresent();
    }

    void deadLetter(FeedItem.Undecodable item, Instant now) {
        boolean known = deadLetters.stream()
                .anyMatch(letter -> letter instanceof ProjectionDeadLetter.Undecodable other
                        && other.item().origin().equals(item.origin()));
        if (!known) {
            deadLetters.add(new ProjectionDeadLetter.Undecodable(nextLetter(), now, item));
        }
    }

    private long nextLetter() {
        return deadLetters.size() + 1L;
    }

    void report(long errors, Optional<String> error, Instant now) {
        errorCount += errors;
        if (status != ProjectionStatus.FAILED) { // the reason of the failure is kept
            error.ifPresent(text -> failedOf(text, now));
        }
        last = Optional.ofNullable(lastSeen);
        position = segments.position();
        updatedAt = now;
    }

    boolean fail(String error, Instant now) {
        become(ProjectionStatus.FAILED, now);
        failedOf(error, now);
        return true;
    }

    private void failedOf(String error, Instant now) {
        lastError = Optional.of(error);
        lastErrorAt = Optional.of(now);
    }

    void become(ProjectionStatus next, Instant now) {
        status = next;
        epoch++;
        updatedAt = now;
    }

    /** Makes parked aggregates due now, and returns their number. */
    int tryAgain(Optional<String> key, Instant now) {
        List<ParkedEvents> chosen =
                key.map(one -> find(one).stream().toList()).orElseGet(() -> List.copyOf(parked.values()));
        chosen.forEach(events -> events.tryAgain(now));
        return chosen.size();
    }

    /**
     * Skips the first event of a parked aggregate; returns whether it has that version.
     *
     * @throws IllegalStateException if an earlier event is missing; nothing changed then
     */
    boolean skip(String key, long version, Instant now) {
        Optional<EventEnvelope> first =
                find(key).map(ParkedEvents::first).filter(event -> event.eventVersion() == version);
        first.ifPresent(event -> {
            ParkedAggregate seen = view(key, parkedEvents(key), now);
            seen.requireNothingMissing(name);
            if (skipped().noneMatch(same -> isSame(same, event))) { // as in the previous live version
                deadLetters.add(new ProjectionDeadLetter.Skipped(nextLetter(), now, seen.error(), event));
            }
            retried(key, version, now);
        });
        return first.isPresent();
    }
}

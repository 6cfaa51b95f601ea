package dev.spream.projection.runner;

import dev.spream.projection.AggregateState;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides how events are handled, based on the stored states of their aggregates: the single rule of duplicates, gaps
 * and parked aggregates. Events of an aggregate in the wrong order are sorted as far as possible. Pure; safe for use by
 * many threads.
 */
final class BatchPlanner {
    private final Predicate<String> types;
    private final ProjectionOptions.Gaps gaps;
    private final ParkPolicy policy;
    private final boolean partial;
    private final Map<String, Set<Long>> skipped;

    /**
     * @param types whether the projection handles an event type
     * @param partial whether the first events of an aggregate may be left out
     */
    BatchPlanner(Predicate<String> types, ProjectionOptions.Gaps gaps, ParkPolicy policy, boolean partial) {
        this(types, gaps, policy, partial, Map.of());
    }

    private BatchPlanner(
            Predicate<String> types,
            ProjectionOptions.Gaps gaps,
            ParkPolicy policy,
            boolean partial,
            Map<String, Set<Long>> skipped) {
        this.types = types;
        this.gaps = gaps;
        this.policy = policy;
        this.partial = partial;
        this.skipped = Map.copyOf(skipped);
    }

    /** Returns a planner that also skips these events: the versions of each aggregate. */
    BatchPlanner skipping(Map<String, Set<Long>> events) {
        return new BatchPlanner(types, gaps, policy, partial, events);
    }

    /** Returns whether an event is to be applied; otherwise it is skipped, and counts as seen. */
    boolean handles(EventEnvelope event) {
        return types.test(event.eventType())
                && (skipped.isEmpty()
                        || !skipped.getOrDefault(event.aggregateId(), Set.of()).contains(event.eventVersion()));
    }

    /** Returns whether an event can be applied after the one with that version, and is not a duplicate. */
    boolean follows(EventEnvelope event, long lastVersion) {
        return event.eventVersion() == lastVersion + 1
                || gaps == ProjectionOptions.Gaps.ACCEPT
                || (partial && lastVersion == 0);
    }

    BatchPlan plan(
            List<EventEnvelope> events, Map<String, AggregateState> states, Map<String, BatchPlan.Verdict> verdicts) {
        Planning planning = new Planning();
        Map<String, Key> keys = HashMap.newHashMap(states.size());
        for (EventEnvelope event : ordered(events)) {
            Key key = keys.computeIfAbsent(
                    event.aggregateId(),
                    id -> new Key(planning, states.getOrDefault(id, AggregateState.NEW), verdicts.get(id)));
            key.add(event);
        }
        keys.forEach((id, key) -> key.finish(id));
        return planning.plan();
    }

    /** Returns the events sorted by version, unless each already follows the one before. */
    private List<EventEnvelope> ordered(List<EventEnvelope> events) {
        return gaps == ProjectionOptions.Gaps.WAIT
                ? events
                : events.stream()
                        .sorted(Comparator.comparingLong(EventEnvelope::eventVersion))
                        .toList();
    }

    private static final class Planning {
        private final List<EventEnvelope> handle = new ArrayList<>();
        private final Map<String, Long> versions = new HashMap<>();
        private final Map<String, ParkDecision> parked = new HashMap<>();
        private final List<EventEnvelope> setAside = new ArrayList<>();
        private int passed;
        private int duplicates;

        BatchPlan plan() {
            return new BatchPlan(handle, passed, duplicates, versions, parked, setAside);
        }
    }

    private final class Key {
        private final Planning planning;
        private final boolean parkedBefore;
        private final BatchPlan.@Nullable Verdict verdict;
        private final long firstVersion;
        private final TreeMap<Long, EventEnvelope> early = new TreeMap<>();
        private long lastVersion;
        private @Nullable ParkDecision parking;

        Key(Planning planning, AggregateState state, BatchPlan.@Nullable Verdict verdict) {
            this.planning = planning;
            this.parkedBefore = state.parked();
            this.verdict = verdict;
            this.firstVersion = state.lastVersion();
            this.lastVersion = state.lastVersion();
        }

        void add(EventEnvelope event) {
            place(event);
            while (!early.isEmpty() && early.firstKey() == lastVersion + 1) {
                place(early.pollFirstEntry().getValue());
            }
        }

        private void place(EventEnvelope event) {
            if (event.eventVersion() <= lastVersion) {
                planning.duplicates++;
            } else if (parkedBefore) {
                planning.setAside.add(event);
            } else if (!follows(event, lastVersion)) {
                keepForLater(event);
            } else if (verdict != null && event.eventVersion() >= verdict.version()) {
                parking = verdict.parking();
                planning.setAside.add(event);
            } else {
                apply(event);
            }
        }

        private void keepForLater(EventEnvelope event) {
            if (early.putIfAbsent(event.eventVersion(), event) != null) {
                planning.duplicates++;
            }
        }

        private void apply(EventEnvelope event) {
            lastVersion = event.eventVersion();
            if (handles(event)) {
                planning.handle.add(event);
            } else {
                planning.passed++;
            }
        }

        void finish(String id) {
            if (lastVersion > firstVersion) {
                planning.versions.put(id, lastVersion);
            }
            planning.setAside.addAll(early.values());
            if (parking != null) {
                planning.parked.put(id, parking);
            } else if (!early.isEmpty()) {
                planning.parked.put(id, policy.gap(lastVersion + 1));
            }
        }
    }
}

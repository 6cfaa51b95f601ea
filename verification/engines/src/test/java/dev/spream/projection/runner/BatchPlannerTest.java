package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.AggregateState;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of the treatment of an event, by the stored state of its aggregate. */
final class BatchPlannerTest {
    private static final ParkDecision FAILED = new ParkDecision(ParkReason.POISON, 1, "failed", Optional.empty());

    private final ParkPolicy policy = new ParkPolicy(ProjectionOptions.DEFAULTS, new Random(1));

    private BatchPlanner planner(ProjectionOptions.Gaps gaps, String... types) {
        return new BatchPlanner(types.length == 0 ? type -> true : Set.of(types)::contains, gaps, policy, false);
    }

    @Test
    void of_a_version_that_begins_in_the_middle_an_aggregate_begins_with_whatever_comes_first() {
        BatchPlanner partial = new BatchPlanner(type -> true, ProjectionOptions.Gaps.WAIT, policy, true);
        List<EventEnvelope> events =
                List.of(TestEvents.event("a", 5), TestEvents.event("a", 6), TestEvents.event("a", 8));
        BatchPlan plan = partial.plan(events, Map.of(), Map.of());
        assertThat(plan.handle()).isEqualTo(events.subList(0, 2));
        assertThat(plan.setAside()).isEqualTo(events.subList(2, 3));
    }

    private BatchPlan plan(AggregateState state, long... versions) {
        return plan(ProjectionOptions.Gaps.WAIT, state, versions);
    }

    private BatchPlan plan(ProjectionOptions.Gaps gaps, AggregateState state, long... versions) {
        return planner(gaps).plan(events(versions), Map.of("k", state), Map.of());
    }

    private static List<EventEnvelope> events(long... versions) {
        return LongStream.of(versions)
                .mapToObj(version -> Accounts.deposit("k", version, 1))
                .toList();
    }

    private static List<Long> versions(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventVersion).toList();
    }

    @Test
    void the_next_versions_are_applied() {
        BatchPlan plan = plan(new AggregateState(3, false), 4, 5, 6);
        assertThat(versions(plan.handle())).containsExactly(4L, 5L, 6L);
        assertThat(plan.versions()).containsExactly(Map.entry("k", 6L));
        assertThat(plan.parked()).isEmpty();
        assertThat(plan.setAside()).isEmpty();
        assertThat(plan.duplicates()).isZero();
    }

    @Test
    void an_aggregate_that_is_not_known_begins_with_1() {
        BatchPlan plan = planner(ProjectionOptions.Gaps.WAIT).plan(events(1, 2), Map.of(), Map.of());
        assertThat(plan.versions()).containsExactly(Map.entry("k", 2L));
    }

    @Test
    void applied_versions_are_skipped() {
        BatchPlan plan = plan(new AggregateState(3, false), 1, 3, 4, 4, 2);
        assertThat(versions(plan.handle())).containsExactly(4L);
        assertThat(plan.duplicates()).isEqualTo(4);
    }

    @Test
    void a_batch_of_duplicates_changes_nothing() {
        BatchPlan plan = plan(new AggregateState(3, false), 1, 2, 3);
        assertThat(plan.handle()).isEmpty();
        assertThat(plan.versions()).isEmpty();
        assertThat(plan.setAside()).isEmpty();
    }

    @Test
    void a_gap_parks_the_aggregate_with_what_is_behind_it() {
        BatchPlan plan = plan(new AggregateState(3, false), 4, 6, 7);
        assertThat(versions(plan.handle())).containsExactly(4L);
        assertThat(plan.parked()).containsOnlyKeys("k");
        assertThat(plan.parked().get("k"))
                .isEqualTo(new ParkDecision(
                        ParkReason.GAP,
                        0,
                        "the event with version 5 has not arrived yet",
                        Optional.of(ProjectionOptions.DEFAULTS.maxDelay())));
        assertThat(versions(plan.setAside())).containsExactly(6L, 7L);
        assertThat(plan.versions()).containsExactly(Map.entry("k", 4L));
    }

    @Test
    void versions_out_of_order_are_sorted() {
        BatchPlan plan = plan(new AggregateState(0, false), 3, 5, 1, 2, 5, 4);
        assertThat(versions(plan.handle())).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(plan.parked()).isEmpty();
        assertThat(plan.duplicates()).isEqualTo(1);
    }

    @Test
    void a_gap_that_means_nothing_is_passed() {
        BatchPlan plan = plan(ProjectionOptions.Gaps.ACCEPT, new AggregateState(3, false), 5, 9, 7, 2);
        assertThat(versions(plan.handle())).as("in their order").containsExactly(5L, 7L, 9L);
        assertThat(plan.duplicates()).isEqualTo(1);
        assertThat(plan.parked()).isEmpty();
    }

    @Test
    void an_event_that_failed_waits_for_its_predecessor_like_any_other() {
        BatchPlan plan = planner(ProjectionOptions.Gaps.WAIT)
                .plan(
                        events(5),
                        Map.of("k", new AggregateState(3, false)),
                        Map.of("k", new BatchPlan.Verdict(5, FAILED)));
        assertThat(plan.parked())
                .hasEntrySatisfying("k", parking -> assertThat(parking.reason()).isEqualTo(ParkReason.GAP));
        assertThat(versions(plan.setAside())).containsExactly(5L);
        BatchPlan together = planner(ProjectionOptions.Gaps.WAIT)
                .plan(
                        events(5, 4),
                        Map.of("k", new AggregateState(3, false)),
                        Map.of("k", new BatchPlan.Verdict(5, FAILED)));
        assertThat(versions(together.handle())).containsExactly(4L);
        assertThat(together.parked()).containsExactly(Map.entry("k", FAILED));
    }

    @Test
    void all_later_events_of_a_parked_aggregate_are_parked() {
        BatchPlan plan = plan(new AggregateState(3, true), 2, 4, 5);
        assertThat(plan.handle()).isEmpty();
        assertThat(versions(plan.setAside())).containsExactly(4L, 5L);
        assertThat(plan.parked()).isEmpty();
        assertThat(plan.duplicates()).isEqualTo(1);
    }

    @Test
    void a_failed_event_is_parked_with_all_later_ones() {
        BatchPlan plan = planner(ProjectionOptions.Gaps.WAIT)
                .plan(
                        events(4, 5, 6, 7),
                        Map.of("k", new AggregateState(3, false)),
                        Map.of("k", new BatchPlan.Verdict(6, FAILED)));
        assertThat(versions(plan.handle())).containsExactly(4L, 5L);
        assertThat(versions(plan.setAside())).containsExactly(6L, 7L);
        assertThat(plan.parked()).containsExactly(Map.entry("k", FAILED));
        assertThat(plan.versions()).containsExactly(Map.entry("k", 5L));
    }

    @Test
    void an_aggregate_is_not_parked_before_its_event_is_there() {
        BatchPlan plan = planner(ProjectionOptions.Gaps.WAIT)
                .plan(
                        events(4, 5),
                        Map.of("k", new AggregateState(3, false)),
                        Map.of("k", new BatchPlan.Verdict(6, FAILED)));
        assertThat(plan.parked()).isEmpty();
        assertThat(plan.versions()).containsExactly(Map.entry("k", 5L));
    }

    @Test
    void types_of_no_interest_count_as_seen() {
        List<EventEnvelope> events = List.of(
                Accounts.event("Other", 1).of("k", 1),
                Accounts.event("Wanted", 1).of("k", 2),
                Accounts.event("Other", 1).of("k", 3));
        BatchPlan plan = planner(ProjectionOptions.Gaps.WAIT, "Wanted").plan(events, Map.of(), Map.of());
        assertThat(versions(plan.handle())).containsExactly(2L);
        assertThat(plan.passed()).isEqualTo(2);
        assertThat(plan.applied()).isEqualTo(3);
        assertThat(plan.versions()).containsExactly(Map.entry("k", 3L));
    }

    /** For any deliveries in any batches: each version is applied once and in order, or parked with all later ones. */
    @Test
    void any_delivery_applies_each_version_once_and_in_order() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            deliver(random, seed);
        }
    }

    private void deliver(Random random, long seed) {
        BatchPlanner planner = planner(ProjectionOptions.Gaps.WAIT);
        Map<String, AggregateState> states = new HashMap<>();
        Map<String, Long> applied = new HashMap<>();
        Map<String, TreeSet<Long>> aside = new HashMap<>();
        for (int batch = 0; batch < 6; batch++) {
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                events.add(Accounts.deposit("k" + random.nextInt(2), 1 + random.nextInt(6), 1));
            }
            Map<String, BatchPlan.Verdict> verdicts = random.nextInt(4) > 0
                    ? Map.of()
                    : Map.of("k0", new BatchPlan.Verdict(1 + random.nextInt(6), FAILED));
            BatchPlan plan = planner.plan(events, states, verdicts);
            for (EventEnvelope event : plan.handle()) {
                String key = event.aggregateId();
                assertThat(aside).as("seed %d: parked", seed).doesNotContainKey(key);
                assertThat(event.eventVersion())
                        .as("seed %d: the next version of %s", seed, key)
                        .isEqualTo(applied.getOrDefault(key, 0L) + 1);
                applied.put(key, event.eventVersion());
            }
            plan.setAside()
                    .forEach(event -> aside.computeIfAbsent(event.aggregateId(), any -> new TreeSet<>())
                            .add(event.eventVersion()));
            for (EventEnvelope event : events) {
                assertThat(event.eventVersion() <= applied.getOrDefault(event.aggregateId(), 0L)
                                || aside.getOrDefault(event.aggregateId(), new TreeSet<>())
                                        .contains(event.eventVersion()))
                        .as("seed %d: %s is applied or parked", seed, event)
                        .isTrue();
            }
            plan.parked().keySet().forEach(key -> assertThat(aside).containsKey(key));
            applied.forEach((key, version) -> states.put(key, new AggregateState(version, aside.containsKey(key))));
            aside.keySet().forEach(key -> states.put(key, new AggregateState(applied.getOrDefault(key, 0L), true)));
            assertThat(plan.handle().size()
                            + plan.duplicates()
                            + plan.setAside().size())
                    .as("seed %d: each event has one fate", seed)
                    .isEqualTo(events.size());
        }
    }
}

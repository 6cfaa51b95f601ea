package dev.spream.testkit.projection;

import static dev.spream.testkit.event.TestEvents.event;
import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.event.Threads;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of batches that run concurrently with each other, or with an operator that stops them. */
interface ApplyRaceContract<T> extends ProjectionScenario.Stage<T> {

    @Test
    default void nothing_of_an_open_batch_is_seen_by_others() {
        Fence fence = given().whole();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("a", 1));
        assertThat(given().rows()).isEmpty();
        assertThat(open.end()).isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L));
    }

    @Test
    default void a_batch_waits_for_an_open_batch_with_the_same_aggregate_and_reads_its_state() {
        Fence fence = given().whole();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("a", 1));
        Future<AggregateState> second = given().threads().start(() -> given().keyState(fence, "a"));
        Threads.assertWaits(second);
        open.end();
        assertThat(Threads.resultOf(second)).isEqualTo(new AggregateState(1, false));
    }

    @Test
    default void a_batch_waits_for_an_open_batch_with_the_same_known_aggregate() {
        Fence fence = given().whole();
        given().apply(fence, event("a", 1));
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("a", 2));
        Future<AggregateState> second = given().threads().start(() -> given().keyState(fence, "a"));
        Threads.assertWaits(second);
        open.end();
        assertThat(Threads.resultOf(second)).isEqualTo(new AggregateState(2, false));
    }

    @Test
    default void a_batch_waits_for_an_open_batch_of_its_own_segment_with_the_same_aggregate() {
        Fence fence = given().running();
        given().apply(fence, event("a", 1));
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.of(2), event("a", 2), event("b", 1));
        Future<AggregateState> known = given().threads().start(() -> given().keyState(fence, "a"));
        Future<AggregateState> added = given().threads().start(() -> given().keyState(fence, "b"));
        Threads.assertWaits(known);
        Threads.assertWaits(added);
        open.end();
        assertThat(Threads.resultOf(known)).isEqualTo(new AggregateState(2, false));
        assertThat(Threads.resultOf(added)).isEqualTo(new AggregateState(1, false));
    }

    @Test
    default void a_batch_of_other_aggregates_does_not_wait() {
        Fence fence = given().whole();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("a", 1));
        assertThat(Threads.resultOf(given().threads().start(() -> given().apply(fence, event("b", 1)))))
                .isTrue();
        assertThat(given().rows()).containsOnly(Map.entry("b", 1L));
        open.end();
    }

    @Test
    default void of_concurrent_batches_with_the_same_event_one_applies_it() {
        Fence fence = given().whole();
        for (int version = 1; version <= 10; version++) {
            long next = version;
            given().threads()
                    .together(IntStream.range(0, 6)
                            .mapToObj(i -> (Callable<Boolean>) () -> applyUnlessKnown(fence, i, Set.of("a"), next))
                            .toList());
        }
        assertThat(given().rows()).containsOnly(Map.entry("a", 10L));
        assertThat(given().keyState(fence, "a")).isEqualTo(new AggregateState(10, false));
    }

    /** Applies events with the same version of some aggregates as an engine does, unless they are known. */
    private boolean applyUnlessKnown(Fence fence, int process, Set<String> keys, long version) {
        ProjectionStore<T> store =
                process % 2 == 0 ? given().store() : given().fixture().anotherStore();
        return ProjectionScenario.run(store, fence, keys, (transaction, states) -> {
            Map<String, Long> versions = new TreeMap<>();
            for (Map.Entry<String, AggregateState> state : new TreeMap<>(states).entrySet()) {
                if (state.getValue().lastVersion() < version) {
                    given().add(transaction, state.getKey());
                    versions.put(state.getKey(), version);
                }
            }
            return new BatchCheckpoint(versions, Map.of(), List.of(), OptionalLong.empty(), Optional.empty());
        });
    }

    @Test
    default void batches_that_share_aggregates_in_whatever_order_do_not_block_each_other() {
        Fence fence = given().whole();
        List<Set<String>> batches = List.of(
                Set.of("a", "b", "c", "d"),
                Set.of("d", "a"),
                Set.of("c", "b"),
                Set.of("d", "c", "e"),
                Set.of("a", "e"));
        for (int version = 1; version <= 10; version++) {
            long next = version;
            given().threads()
                    .together(IntStream.range(0, batches.size())
                            .mapToObj(i -> (Callable<Boolean>) () -> applyUnlessKnown(fence, i, batches.get(i), next))
                            .toList());
        }
        assertThat(given().rows())
                .hasSize(5)
                .allSatisfy((row, value) -> assertThat(value).isEqualTo(10));
    }

    @Test
    default void a_pause_waits_for_open_batches_and_lets_none_begin() {
        Fence fence = given().whole();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.empty(), event("a", 1));
        Future<Boolean> pause =
                given().threads().start(() -> given().operations().pause(NAME, ACT));
        Threads.assertWaits(pause);
        Future<Boolean> late = given().threads().start(() -> given().apply(fence, event("b", 1)));
        open.end();
        assertThat(Threads.resultOf(pause)).isTrue();
        Map<String, Long> rows = given().rows();
        assertThat(rows).containsOnly(Map.entry("a", 1L));
        assertThat(Threads.resultOf(late)).isFalse();
        assertThat(given().rows()).isEqualTo(rows);
    }

    @Test
    default void a_pause_waits_for_open_batches_of_segments_and_retries() {
        Fence fence = given().running();
        given().park(fence, "p", ProjectionScenario.POISON, 1, 1);
        for (boolean retry : new boolean[] {true, false}) {
            ProjectionScenario<T>.Open open =
                    retry ? given().retrying(fence, "p") : given().applying(fence, OptionalLong.of(1), event("a", 1));
            Future<Boolean> pause =
                    given().threads().start(() -> given().operations().pause(NAME, ACT));
            Threads.assertWaits(pause);
            assertThat(open.end()).isTrue();
            assertThat(Threads.resultOf(pause)).isTrue();
            assertThat(given().operations().resume(NAME, ACT)).isTrue();
            fence = given().fence(ProjectionScenario.ANN);
        }
        assertThat(given().rows()).containsOnly(Map.entry("a", 1L), Map.entry("p", 1L));
    }

    @Test
    default void no_effect_is_written_after_a_pause_however_many_apply_meanwhile() {
        Fence fence = given().whole();
        List<Future<Integer>> appliers = IntStream.range(0, 4)
                .mapToObj(i -> given().threads().start(() -> applyUntilRefused(fence, "k" + i)))
                .toList();
        assertThat(given().operations().pause(NAME, ACT)).isTrue();
        Map<String, Long> rows = given().rows();
        for (int i = 0; i < 4; i++) {
            long applied = Threads.resultOf(appliers.get(i));
            assertThat(rows.getOrDefault("k" + i, 0L)).isEqualTo(applied);
        }
        assertThat(given().rows()).isEqualTo(rows);
    }

    private int applyUntilRefused(Fence fence, String key) {
        int applied = 0;
        long version = 1;
        while (applied < 10_000 && applyOnce(fence, key, version)) {
            applied++;
            version++;
        }
        return applied;
    }

    private boolean applyOnce(Fence fence, String key, long version) {
        return given().run(fence, Set.of(key), (transaction, states) -> {
            given().add(transaction, key);
            return upTo(key, version);
        });
    }
}

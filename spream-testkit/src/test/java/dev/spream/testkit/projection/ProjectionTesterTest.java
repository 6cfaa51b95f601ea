package dev.spream.testkit.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the tester, with projections into a map. */
final class ProjectionTesterTest {

    /** Adds up versions of events. */
    private record Versions(Set<String> eventTypes, LongBinaryOperator write)
            implements FoldableProjection<Map<String, Long>, Long> {
        @Override
        public String name() {
            return "versions";
        }

        @Override
        public Long fold(@Nullable Long folded, EventEnvelope event) {
            return (folded == null ? 0 : folded) + event.eventVersion();
        }

        @Override
        public void write(Map<String, Long> model, Map<String, Long> folded) {
            folded.forEach((key, sum) -> model.merge(key, sum, write::applyAsLong));
        }
    }

    private static Map<String, Long> readModel(Versions projection) throws Exception {
        return ProjectionTester.of(projection)
                .given("a", TestEvents.newEvents("1", "2"))
                .given("b", TestEvents.newEvents("3"))
                .given("a", TestEvents.newEvents("4"))
                .readModel(HashMap::new, TreeMap::new);
    }

    @Test
    void events_get_versions_within_their_aggregate() throws Exception {
        assertThat(readModel(new Versions(Set.of(), Long::sum))).isEqualTo(Map.of("a", 6L, "b", 1L));
    }

    @Test
    void events_of_other_types_are_not_applied() throws Exception {
        assertThat(readModel(new Versions(Set.of("ItemRemoved"), Long::sum))).isEmpty();
    }

    @Test
    void a_read_model_that_depends_on_how_batches_are_cut_fails() {
        assertThatThrownBy(() -> readModel(new Versions(Set.of(), (stored, sum) -> sum)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("'versions' after one batch");
    }
}

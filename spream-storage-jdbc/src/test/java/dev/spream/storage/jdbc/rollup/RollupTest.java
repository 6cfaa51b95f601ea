package dev.spream.storage.jdbc.rollup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class RollupTest {
    private static final EventEnvelope EVENT = TestEvents.event("a", 1);

    @Test
    void a_sum_that_does_not_fit_fails() {
        Rollup<EventEnvelope> rollup = Rollup.into("totals")
                .key("id", EventEnvelope::aggregateId)
                .sum("total", event -> Long.MAX_VALUE)
                .build();
        Map<String, Rollup.Row> rows = new TreeMap<>();
        rollup.foldInto(rows, EVENT);
        assertThat(rows).containsOnlyKeys("a");
        assertThatThrownBy(() -> rollup.foldInto(rows, EVENT)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void columns_are_checked() {
        Rollup.Builder<EventEnvelope> rollup = Rollup.into("totals").key("id", EventEnvelope::aggregateId);
        assertThatThrownBy(rollup::build).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rollup.count("id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two columns 'id'");
        assertThatThrownBy(() -> rollup.count("total\" bigint); --")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rollup.into("a.b")).isInstanceOf(IllegalArgumentException.class);
    }
}

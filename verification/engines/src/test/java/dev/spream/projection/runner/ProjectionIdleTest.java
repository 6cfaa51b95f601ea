package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.Fence;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the store calls of an idle projection. */
final class ProjectionIdleTest {
    private static final int SEGMENTS = 8;
    private static final int MANY = 256;

    private final ManagerBench bench = new ManagerBench();
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    @AfterEach
    void stop() {
        bench.close();
    }

    /** Counts calls. */
    private final class Counting extends ForwardingProjectionStore<Transaction> {
        Counting() {
            super(bench.database.store());
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            return call(keys.isEmpty() ? "position" : "apply", () -> super.apply(fence, keys, work));
        }

        @Override
        protected <V> V call(String operation, Callable<V> call) throws Exception {
            calls.merge(operation, 1, Integer::sum);
            return call.call();
        }
    }

    private int calls(String operation) {
        return calls.getOrDefault(operation, 0);
    }

    private void start(int segments) {
        bench.start(
                new Counting(),
                builder -> builder.add(
                        new Balances("balances"), bench.source, ManagerBench.OPTIONS.withSegments(segments)));
    }

    @Test
    void an_idle_segment_does_not_write_for_each_event_of_another() {
        start(SEGMENTS);
        assertPositionsWritten(SEGMENTS, Duration.ofSeconds(1), Duration.ofMillis(200));
    }

    @Test
    void many_idle_segments_write_less_often() {
        start(MANY);
        bench.await("every segment was looked at", () -> calls("due") == MANY);
        assertPositionsWritten(MANY, Duration.ofSeconds(2), Duration.ofSeconds(1));
    }

    /** While events come one by one. */
    private void assertPositionsWritten(int segments, Duration time, Duration every) {
        int before = calls("position");
        long begun = System.nanoTime();
        for (int i = 1; System.nanoTime() - begun < time.toNanos(); i++) {
            bench.events.append("account", ExpectedVersion.any(), List.of(Accounts.deposit(1)));
            int applied = i;
            bench.await("the event", () -> bench.history("balances", "account").size() == applied);
        }
        int rounds = Math.toIntExact((System.nanoTime() - begun) / every.toNanos());
        assertThat(calls("position") - before).isBetween(segments - 1, (segments - 1) * (rounds + 2));
    }

    @Test
    void due_aggregates_are_queried_for_all_segments_at_once() {
        start(SEGMENTS);
        bench.await("every segment was looked at", () -> calls("due") == SEGMENTS);
        int before = calls("dueSegments");
        bench.await("some rounds", () -> calls("dueSegments") >= before + 3);
        assertThat(calls("due")).isEqualTo(SEGMENTS);
    }
}

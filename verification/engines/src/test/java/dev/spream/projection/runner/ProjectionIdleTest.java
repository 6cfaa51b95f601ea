package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the store calls of an idle projection. */
final class ProjectionIdleTest {
    private static final int SEGMENTS = 8;

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
        protected <V> V call(String operation, Callable<V> call) throws Exception {
            calls.merge(operation, 1, Integer::sum);
            return call.call();
        }
    }

    private int calls(String operation) {
        return calls.getOrDefault(operation, 0);
    }

    @Test
    void due_aggregates_are_queried_for_all_segments_at_once() {
        bench.start(
                new Counting(),
                builder -> builder.add(
                        new Balances("balances"), bench.source, ManagerBench.OPTIONS.withSegments(SEGMENTS)));
        bench.await("every segment was looked at", () -> calls("due") == SEGMENTS);
        int before = calls("dueSegments");
        bench.await("some rounds", () -> calls("dueSegments") >= before + 3);
        assertThat(calls("due")).isEqualTo(SEGMENTS);
    }
}

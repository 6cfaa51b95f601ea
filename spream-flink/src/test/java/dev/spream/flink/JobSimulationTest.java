package dev.spream.flink;

import dev.spream.core.consume.Ordering;
import org.junit.jupiter.api.Test;

/** Runs many simulated jobs with failures: each key's changes are processed in order, once. */
final class JobSimulationTest {
    private static final int JOBS = Integer.getInteger("flink.jobs", 10);

    @Test
    void changes_of_a_key_are_processed_in_order_and_once() {
        for (int seed = 0; seed < JOBS; seed++) {
            runJob(seed, Ordering.KEY);
        }
    }

    @Test
    void without_an_order_every_change_is_processed() {
        for (int seed = 0; seed < JOBS / 5; seed++) {
            runJob(seed, Ordering.NONE);
        }
    }

    private static void runJob(int seed, Ordering ordering) {
        try {
            new JobSimulation(seed, ordering).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("the job of seed " + seed, e);
        }
    }
}

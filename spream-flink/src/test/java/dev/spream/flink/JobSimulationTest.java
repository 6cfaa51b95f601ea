package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.PartitionMode;
import dev.spream.flink.JobSimulation.Sabotage;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs many simulated jobs with failures: each key's changes are processed in order, once. */
final class JobSimulationTest {
    private static final int JOBS = Integer.getInteger("flink.jobs", 10);
    private static final int SABOTAGED_JOBS = 20;

    @ParameterizedTest
    @EnumSource
    void changes_of_a_key_are_processed_in_order_and_once(PartitionMode mode) {
        for (int seed = 0; seed < JOBS; seed++) {
            runJob(seed, mode, Ordering.KEY);
        }
    }

    @ParameterizedTest
    @EnumSource
    void without_an_order_every_change_is_processed_once(PartitionMode mode) {
        for (int seed = 0; seed < JOBS / 5; seed++) {
            runJob(seed, mode, Ordering.NONE);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void a_sabotage_is_found(Sabotage sabotage) {
        assertThat(IntStream.range(0, SABOTAGED_JOBS)).as("a job that fails").anyMatch(seed -> isFound(seed, sabotage));
    }

    private static boolean isFound(int seed, Sabotage sabotage) {
        try {
            new JobSimulation(seed, PartitionMode.MUTABLE_KEY_RANGE, Ordering.KEY, sabotage).run();
            return false;
        } catch (AssertionError e) {
            assertThat(e).hasMessageContaining(sabotage.found());
            return true;
        } catch (Exception e) {
            throw new AssertionError("the job of seed " + seed, e);
        }
    }

    private static void runJob(int seed, PartitionMode mode, Ordering ordering) {
        try {
            new JobSimulation(seed, mode, ordering, Sabotage.NONE).run();
        } catch (AssertionError | Exception e) {
            throw new AssertionError("the job of seed " + seed, e);
        }
    }
}

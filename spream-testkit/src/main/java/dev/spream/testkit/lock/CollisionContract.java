package dev.spream.testkit.lock;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random sets of locks by many threads of two processes, over so few buckets that most targets share one with others.
 * The system property {@code locks.sets} is the number of sets to run, {@code locks.seed} repeats a run.
 */
interface CollisionContract<T> extends LockScenario.Stage<T> {

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    default void random_sets_over_two_buckets_exclude_each_other_and_never_deadlock() throws Exception {
        new RandomLockSets<>(given(), 2).run();
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    default void random_sets_over_three_buckets_exclude_each_other_and_never_deadlock() throws Exception {
        new RandomLockSets<>(given(), 3).run();
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    default void random_sets_over_five_buckets_exclude_each_other_and_never_deadlock() throws Exception {
        new RandomLockSets<>(given(), 5).run();
    }
}

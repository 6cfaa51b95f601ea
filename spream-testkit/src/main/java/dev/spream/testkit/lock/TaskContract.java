package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.DurationText;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.TaskLock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of scheduled tasks that several processes run once. */
interface TaskContract<T> extends LockScenario.Stage<T> {
    Duration HOUR = Duration.ofHours(1);
    TaskLock REPORT = TaskLock.named("report", HOUR, Duration.ZERO);

    @Test
    default void of_several_processes_one_runs_a_task() throws Exception {
        CountDownLatch tried = new CountDownLatch(3);
        AtomicInteger runs = new AtomicInteger();
        List<LockAttempt<Boolean>> processes = new ArrayList<>();
        for (int index = 0; index < 4; index++) {
            HierarchicalLocks<T> process = given().process(index, LockScenario.WIDE);
            processes.add(given().attempt(() -> {
                boolean run = process.runOnce(REPORT, handle -> {
                    runs.incrementAndGet();
                    tried.await(); // until all others have returned
                });
                tried.countDown();
                return run;
            }));
        }
        int ran = 0;
        for (LockAttempt<Boolean> process : processes) {
            ran += process.result() ? 1 : 0;
        }
        assertThat(ran).isEqualTo(1);
        assertThat(runs).hasValue(1);
        assertThat(runs(given().others(), REPORT)).isTrue();
    }

    @Test
    default void the_task_of_a_killed_process_is_run_by_another_at_once() {
        AtomicInteger runs = new AtomicInteger();
        TaskLock lock = TaskLock.named("report", HOUR, Duration.ofMinutes(30));
        assertThatThrownBy(() -> given().locks().runOnce(lock, handle -> {
                    String session = given().session();
                    assertThat(runs(given().others(), lock)).isFalse();
                    fixture().kill(session);
                    assertThat(given().others().runOnce(lock, other -> runs.incrementAndGet()))
                            .isTrue();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(runs).hasValue(1);
    }

    @Test
    default void a_short_run_keeps_its_lock_until_its_process_closes() {
        TaskLock lock = TaskLock.named("report", HOUR, Duration.ofMinutes(30));
        assertThat(runs(given().locks(), lock)).isTrue();
        assertThat(runs(given().locks(), lock)).isFalse();
        assertThat(runs(given().others(), lock)).isFalse();
        given().locks().close();
        assertThat(runs(given().others(), REPORT)).isTrue();
    }

    @Test
    default void a_kept_lock_is_released_when_its_minimum_time_is_over() throws Exception {
        long start = System.nanoTime();
        TaskLock lock = TaskLock.named("report", HOUR, Duration.ofMillis(300));
        assertThatThrownBy(() -> given().locks().runOnce(lock, handle -> {
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        try (LockHandle next = given().others().acquire(LockRequest.exclusive(lock.target()))) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        }
    }

    @Test
    default void a_run_that_takes_too_long_is_interrupted_and_loses_its_lock() {
        TaskLock brief = TaskLock.named("report", Duration.ofSeconds(1), Duration.ZERO);
        assertThat(runs(given().others(), REPORT)).isTrue();
        assertThatThrownBy(() -> given().locks().runOnce(brief, handle -> {
                    assertThat(runs(given().others(), REPORT)).isFalse();
                    assertThatThrownBy(new CountDownLatch(1)::await).isInstanceOf(InterruptedException.class);
                    given().others()
                            .acquire(LockRequest.exclusive(brief.target()))
                            .close();
                    assertThat(handle.isHeld()).isFalse();
                }))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("tasks/report")
                .hasMessageContaining(DurationText.of(brief.atMostFor()));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(runs(given().locks(), REPORT)).isTrue();
    }

    @Test
    default void no_task_is_run_while_all_tasks_are_locked() throws Exception {
        try (LockHandle all = given().locks().acquire(LockRequest.exclusive(TaskLock.TASKS))) {
            assertThat(runs(given().others(), REPORT)).isFalse();
            all.requireHeld();
        }
        assertThat(runs(given().others(), REPORT)).isTrue();
    }

    @Test
    default void a_task_that_finds_no_connection_is_not_run() throws Exception {
        try (LockStore<T> store = fixture().open(LockScenario.WIDE, 1);
                HierarchicalLocks<T> process = HierarchicalLocks.over(store);
                LockHandle only = process.acquire(LockRequest.exclusive(LockTarget.user("u1")))) {
            assertThatThrownBy(() -> runs(process, REPORT)).isInstanceOf(LockTimeoutException.class);
            only.requireHeld();
        }
    }

    private static boolean runs(HierarchicalLocks<?> process, TaskLock lock) {
        return process.runOnce(lock, handle -> assertThat(handle.isHeld()).isTrue());
    }
}

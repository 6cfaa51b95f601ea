package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.Periodic;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class PeriodicTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final DrivenTime time = new DrivenTime(START);

    @Test
    void steady_work_that_takes_an_interval_is_done_again_at_once() throws Exception {
        CountDownLatch done = new CountDownLatch(3);
        Periodic periodic = Periodic.steady(time, INTERVAL, () -> {
            time.advance(INTERVAL);
            done.countDown();
        });
        periodic.trigger();
        runUntil(done, periodic);
    }

    @Test
    void the_first_interval_counts_however_late_the_thread_starts() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Periodic periodic = new Periodic(time, INTERVAL, done::countDown);
        time.advance(INTERVAL);
        runUntil(done, periodic);
    }

    private static void runUntil(CountDownLatch done, Periodic periodic) throws InterruptedException {
        FutureTask<Boolean> running = new FutureTask<>(() -> {
            periodic.run();
            return true;
        });
        Thread.startVirtualThread(running);
        try {
            assertThat(done.await(30, SECONDS)).isTrue();
        } finally {
            periodic.stop();
        }
        assertThat(running).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
    }
}

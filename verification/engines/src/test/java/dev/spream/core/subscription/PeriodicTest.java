package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

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
        FutureTask<Boolean> running = new FutureTask<>(() -> {
            periodic.run();
            return true;
        });
        periodic.hurry();
        Thread.startVirtualThread(running);
        assertThat(done.await(30, SECONDS)).isTrue();
        periodic.stop();
        assertThat(running).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
    }
}

package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.subscription.CompletionReason;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("signals of this process")
final class DrainingTest {
    /** The run may end before the thread of the signal has heard that its time was over. */
    @Test
    void one_signal_is_never_told_as_a_second_one() throws Exception {
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        try (Draining ended = new Draining(
                () -> {
                    draining.countDown();
                    await(told);
                    return false;
                },
                () -> {})) {
            String self = String.valueOf(ProcessHandle.current().pid());
            assertThat(new ProcessBuilder("kill", "-TERM", self).start().waitFor())
                    .isZero();
            await(draining);
            assertThat(ended.ending(CompletionReason.CLOSED)).startsWith("a signal, with work interrupted");
            told.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

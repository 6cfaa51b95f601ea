package dev.spream.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("signals of this process")
final class StopSignalsTest {
    private static final long TIMEOUT_SECONDS = 30;

    private final CountDownLatch drained = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** With SIGTERM: a process that was started in the background may have inherited to ignore SIGINT, and then does. */
    @Test
    void the_first_signal_drains_and_the_second_stops() throws Exception {
        try (StopSignals signals = StopSignals.install(drained::countDown, stopped::countDown)) {
            assertThat(signals.received()).isFalse();
            raise("TERM");
            assertThat(drained.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(signals.received()).isTrue();
            assertThat(stopped.getCount()).isEqualTo(1);
            raise("TERM");
            assertThat(stopped.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void the_second_signal_ends_a_program_that_cannot_be_interrupted() throws Exception {
        Process stuck = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stuck.class.getName())
                .start();
        try {
            BufferedReader out = stuck.inputReader();
            assertThat(out.readLine()).isEqualTo("ready");
            stuck.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("draining");
            stuck.toHandle().destroy();
            assertThat(stuck.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(stuck.exitValue()).isEqualTo(1);
            assertThat(stuck.errorReader().readLine()).startsWith("stopped by a second signal");
        } finally {
            stuck.destroyForcibly();
        }
    }

    /** Never ends by itself, as a blocked write to an output. */
    static final class Stuck {
        public static void main(String[] args) throws Exception {
            StopSignals.install(() -> System.out.println("draining"), () -> {});
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }

    private static void raise(String signal) throws Exception {
        String self = String.valueOf(ProcessHandle.current().pid());
        assertThat(new ProcessBuilder("kill", "-" + signal, self).start().waitFor())
                .isZero();
    }
}

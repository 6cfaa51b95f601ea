package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StopSignalsTest {
    private static final long PATIENCE_SECONDS = 30;

    private final CountDownLatch drained = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void the_first_signal_drains_and_the_second_stops(String signal) throws Exception {
        try (StopSignals signals = StopSignals.install(drained::countDown, stopped::countDown)) {
            assertThat(signals.received()).isFalse();
            raise(signal);
            assertThat(drained.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(signals.received()).isTrue();
            assertThat(stopped.getCount()).isEqualTo(1);
            raise(signal);
            assertThat(stopped.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void raise(String signal) throws Exception {
        String self = String.valueOf(ProcessHandle.current().pid());
        assertThat(new ProcessBuilder("kill", "-" + signal, self).start().waitFor())
                .isZero();
    }
}

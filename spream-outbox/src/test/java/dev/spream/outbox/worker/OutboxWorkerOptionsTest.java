package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class OutboxWorkerOptionsTest {
    @Test
    void the_defaults_are_those_of_the_documentation() {
        assertThat(OutboxWorkerOptions.builder().build())
                .returns("spream", OutboxWorkerOptions::name)
                .returns(4, OutboxWorkerOptions::concurrency)
                .returns(32, OutboxWorkerOptions::batch)
                .returns(Duration.ofMillis(500), OutboxWorkerOptions::pollInterval)
                .returns(Duration.ofMinutes(2), OutboxWorkerOptions::lease)
                .returns(Duration.ofMillis(2_500), OutboxWorkerOptions::sendTimeout)
                .returns(6, OutboxWorkerOptions::maxAttempts)
                .returns(Backoff.DEFAULT, OutboxWorkerOptions::backoff)
                .returns(Optional.empty(), OutboxWorkerOptions::maxAge)
                .returns(OrderedFailurePolicy.ABORT, OutboxWorkerOptions::orderedFailure)
                .returns(20, OutboxWorkerOptions::breakerFailures)
                .returns(Duration.ofSeconds(10), OutboxWorkerOptions::breakerPause)
                .returns(List.of(), OutboxWorkerOptions::listeners);
    }
}

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
                .returns(4, options -> options.sender().concurrency())
                .returns(32, OutboxWorkerOptions::batch)
                .returns(Duration.ofMillis(500), OutboxWorkerOptions::pollInterval)
                .returns(Duration.ofMinutes(2), OutboxWorkerOptions::lease)
                .returns(Duration.ofMillis(2_500), options -> options.sender().sendTimeout())
                .returns(6, options -> options.sender().maxAttempts())
                .returns(Backoff.DEFAULT, options -> options.sender().backoff())
                .returns(Optional.empty(), options -> options.sender().maxAge())
                .returns(OrderedFailurePolicy.ABORT, options -> options.sender().orderedFailure())
                .returns(20, options -> options.sender().breakerFailures())
                .returns(Duration.ofSeconds(10), options -> options.sender().breakerPause())
                .returns(List.of(), OutboxWorkerOptions::listeners);
    }
}

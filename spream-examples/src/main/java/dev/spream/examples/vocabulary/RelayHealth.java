package dev.spream.examples.vocabulary;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * The state of the relay of events.
 *
 * @param stats as they were last sampled; empty if the outbox could not be asked
 */
record RelayHealth(Optional<OutboxStats> stats) {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Returns whether nothing has failed that is not published yet, and nothing has waited for long. */
    boolean isHealthy() {
        return stats.filter(now -> failed(now) == 0 && now.lag().compareTo(TIMEOUT) <= 0)
                .isPresent();
    }

    /** Events that are retried, or wait for a decision of an operator. */
    static long failed(OutboxStats stats) {
        return stats.entries().getOrDefault(OutboxStatus.FAILED, 0L);
    }
}

package dev.spream.examples.vocabulary;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * The state of the relay of events.
 *
 * @param stats the last sample; empty if the outbox could not be read
 */
record RelayHealth(Optional<OutboxStats> stats) {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Returns whether no unpublished event has failed, and none has waited for long. */
    boolean isHealthy() {
        return stats.filter(now -> failed(now) == 0 && now.lag().compareTo(TIMEOUT) <= 0)
                .isPresent();
    }

    /** Returns the number of events that are retried, or wait for a decision of an operator. */
    static long failed(OutboxStats stats) {
        return stats.entries().getOrDefault(OutboxStatus.FAILED, 0L);
    }
}

package dev.spream.cli.http;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.outbox.worker.OutboxListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of an outbox worker. Only a store that has not answered for a minute makes it unhealthy, since a restart
 * may help. An unavailable receiver does not: the circuit breaker waits for it. Safe for use by many threads.
 */
final class OutboxHealth implements OutboxListener {
    static final Duration STORE_TIMEOUT = Duration.ofMinutes(1);

    private final InstantSource clock;

    // Guarded by this.
    private @Nullable Instant failingSince;
    private String failure = "";

    OutboxHealth(InstantSource clock) {
        this.clock = clock;
    }

    synchronized Optional<String> problem() {
        Instant since = failingSince;
        return since == null || clock.instant().isBefore(since.plus(STORE_TIMEOUT))
                ? Optional.empty()
                : Optional.of("the outbox cannot be reached since %s: %s".formatted(since, failure));
    }

    @Override
    public synchronized void storeFailed(StorageException failed) {
        if (failingSince == null) {
            failingSince = clock.instant();
        }
        failure = LoggedFailure.message(failed);
    }

    /** Told after every failure, however little is claimed: leases and segments are renewed at any time. */
    @Override
    public synchronized void storeAnswered() {
        failingSince = null;
    }
}

package dev.spream.spring.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.outbox.worker.OutboxListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The health of the outbox worker, as its events tell it. Safe for use by many threads. */
public final class OutboxWorkerHealth implements OutboxListener {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final InstantSource clock;

    // Guarded by this.
    private @Nullable Instant failingSince;
    private String failure = "";
    private final Set<String> openBreakers = new TreeSet<>();

    public OutboxWorkerHealth(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns the reason why entries are not sent, if the database has not answered for a minute. */
    public synchronized Optional<String> problem() {
        Instant since = failingSince;
        return since == null || clock.instant().isBefore(since.plus(TIMEOUT))
                ? Optional.empty()
                : Optional.of("the outbox cannot be reached since %s: %s".formatted(since, failure));
    }

    /** Returns the destinations whose circuit breakers are open; empty text stands for the default sender's. */
    public synchronized Set<String> openBreakers() {
        return Set.copyOf(openBreakers);
    }

    @Override
    public synchronized void storeFailed(StorageException failed) {
        if (failingSince == null) {
            failingSince = clock.instant();
        }
        failure = LoggedFailure.message(failed);
    }

    @Override
    public synchronized void storeAnswered() {
        failingSince = null;
    }

    @Override
    public synchronized void breakerOpened(String destination, int failures, Duration pause) {
        openBreakers.add(destination);
    }

    @Override
    public synchronized void breakerClosed(String destination) {
        openBreakers.remove(destination);
    }
}

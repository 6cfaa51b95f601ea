package dev.spream.cli;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a person that the server is away, which the engine outlives without a word. A stream that breaks once is nothing
 * to speak of: it speaks at the third attempt of a partition, and about all partitions together at most once in a while.
 * Safe for use by many threads.
 */
final class Outage implements SubscriptionListener {
    private static final int SPEAKS_AT = 3;
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Consumer<String> terminal;
    private final InstantSource clock;
    private Instant silentUntil = Instant.MIN; // guarded by this

    Outage(Consumer<String> terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        line(attempt, cause).ifPresent(terminal);
    }

    private synchronized Optional<String> line(int attempt, @Nullable SourceException cause) {
        Instant now = clock.instant();
        if (cause == null || attempt < SPEAKS_AT || now.isBefore(silentUntil)) {
            return Optional.empty();
        }
        silentUntil = now.plus(PAUSE);
        return Optional.of("no answer after %d attempts, trying again: %s"
                .formatted(attempt, Failures.oneLine(String.valueOf(cause.getMessage()))));
    }
}

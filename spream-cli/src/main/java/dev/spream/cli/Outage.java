package dev.spream.cli;

import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a person that the server is away, which the engine outlives without a word, and that it is back. A stream that breaks
 * once is nothing to speak of: it speaks at the third attempt of a partition, and about all partitions together at most once in
 * a while; when all of them bring records again it says so. Safe for use by many threads.
 */
final class Outage implements SubscriptionListener {
    private static final int SPEAKS_AT = 3;
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Consumer<String> terminal;
    private final InstantSource clock;

    // Guarded by this.
    private final Set<PartitionToken> unanswered = new HashSet<>();
    private Instant silentUntil = Instant.MIN;
    private @Nullable Instant spokenSince;

    Outage(Consumer<String> terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        line(partition, attempt, cause).ifPresent(terminal);
    }

    @Override
    public void reconnected(PartitionToken partition) {
        back(partition).ifPresent(terminal);
    }

    @Override
    public synchronized void partitionReleased(PartitionToken partition) {
        unanswered.remove(partition);
    }

    @Override
    public synchronized void leaseLost(PartitionToken partition, long epoch) {
        unanswered.remove(partition);
    }

    private synchronized Optional<String> line(PartitionToken partition, int attempt, @Nullable SourceException cause) {
        Instant now = clock.instant();
        if (cause == null || attempt < SPEAKS_AT) {
            return Optional.empty();
        }
        unanswered.add(partition);
        if (now.isBefore(silentUntil)) {
            return Optional.empty();
        }
        silentUntil = now.plus(PAUSE);
        spokenSince = spokenSince == null ? now : spokenSince;
        return Optional.of("no answer after %d attempts, trying again: %s"
                .formatted(attempt, Failures.oneLine(String.valueOf(cause.getMessage()))));
    }

    private synchronized Optional<String> back(PartitionToken partition) {
        unanswered.remove(partition);
        Instant since = spokenSince;
        if (since == null || !unanswered.isEmpty()) {
            return Optional.empty();
        }
        spokenSince = null;
        silentUntil = Instant.MIN;
        return Optional.of("the server answers again, after %s"
                .formatted(DurationText.of(Duration.between(since, clock.instant()))));
    }
}

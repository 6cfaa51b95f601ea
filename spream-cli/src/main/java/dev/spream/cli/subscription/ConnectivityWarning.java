package dev.spream.cli.subscription;

import dev.spream.cli.command.Failures;
import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionEnd;
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
 * Warns the user when the server is unreachable, which the engine only logs, and reports the end of the outage. It
 * warns at the third attempt of a partition, at most once in a while for all partitions, so that a single broken stream
 * is not reported. The outage ends when each of its partitions was answered, with records, an end, or an error that
 * only a server returns, or is no longer read by this worker. The end of the run is reported by the command. Safe for
 * use by many threads.
 */
final class ConnectivityWarning implements SubscriptionListener {
    private static final int SPEAKS_AT = 3;
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Consumer<String> terminal;
    private final InstantSource clock;

    // Guarded by this.
    private final Set<PartitionToken> unanswered = new HashSet<>();
    private Instant silentUntil = Instant.MIN;
    private @Nullable Instant spokenSince;
    private boolean anyAnswered; // since the last warning

    ConnectivityWarning(Consumer<String> terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        Optional<String> line = cause == null || cause.kind() != SourceException.Kind.TRANSIENT
                ? left(partition, true)
                : line(partition, attempt, cause);
        line.ifPresent(terminal);
    }

    @Override
    public void reconnected(PartitionToken partition) {
        left(partition, true).ifPresent(terminal);
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        left(partition, true).ifPresent(terminal);
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        left(partition, false).ifPresent(terminal);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        left(partition, false).ifPresent(terminal);
    }

    @Override
    public synchronized void ended() {
        unanswered.clear();
        over();
    }

    private synchronized Optional<String> line(PartitionToken partition, int attempt, SourceException cause) {
        Instant now = clock.instant();
        if (attempt < SPEAKS_AT) {
            return Optional.empty();
        }
        unanswered.add(partition);
        if (now.isBefore(silentUntil)) {
            return Optional.empty();
        }
        silentUntil = now.plus(PAUSE);
        spokenSince = spokenSince == null ? now : spokenSince;
        return Optional.of("no answer after %d attempts, trying again: %s"
                .formatted(attempt, Failures.oneLine(LoggedFailure.message(cause))));
    }

    /** Removes a partition that no longer waits for an answer. */
    private synchronized Optional<String> left(PartitionToken partition, boolean answered) {
        boolean waited = unanswered.remove(partition);
        Instant since = spokenSince;
        anyAnswered |= answered && since != null;
        if (!waited || since == null || !unanswered.isEmpty()) {
            return Optional.empty();
        }
        String ending = anyAnswered
                ? "the server answers again"
                : "the partitions without an answer are no longer read by this worker";
        over();
        return Optional.of("%s, after %s".formatted(ending, DurationText.of(Duration.between(since, clock.instant()))));
    }

    private void over() {
        spokenSince = null;
        anyAnswered = false;
    }
}

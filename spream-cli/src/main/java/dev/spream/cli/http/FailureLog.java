package dev.spream.cli.http;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The recent failures. Exceptions of a consumer are reduced to their class, since their messages may contain data of
 * the change. Safe for use by many threads.
 */
final class FailureLog implements SubscriptionListener {
    private static final int KEPT = 20;
    private static final int LONGEST_MESSAGE = 300;

    private final InstantSource clock;
    private final Deque<Failure> latest = new ArrayDeque<>(); // the newest first, guarded by this

    FailureLog(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * A failure.
     *
     * @param what the kind of event, for display
     * @param partition empty without a partition
     * @param change the change on which a delivery failed
     */
    record Failure(
            Instant at, String what, Optional<PartitionToken> partition, String message, Optional<Change> change) {}

    /**
     * A change, without its keys and values.
     *
     * @param attempt the attempt that failed
     * @param error the class of the exception
     * @param decision what happens next, for display
     */
    record Change(RecordIdentity identity, String table, String modType, int attempt, String error, String decision) {}

    synchronized List<Failure> latest() {
        return List.copyOf(latest);
    }

    private void note(String what, @Nullable PartitionToken partition, String message) {
        note(what, partition, message, null);
    }

    private synchronized void note(
            String what, @Nullable PartitionToken partition, String message, @Nullable Change change) {
        String line = message.strip().replaceAll("\\s*\\R\\s*", " ");
        Failure failure = new Failure(
                clock.instant(),
                what,
                Optional.ofNullable(partition),
                line.length() <= LONGEST_MESSAGE ? line : line.substring(0, LONGEST_MESSAGE) + "…",
                Optional.ofNullable(change));
        latest.addFirst(failure);
        if (latest.size() > KEPT) {
            latest.removeLast();
        }
    }

    @Override
    public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
        Change change = new Change(
                failure.change().identity(),
                failure.change().tableName(),
                failure.change().modTypeName(),
                failure.attempt(),
                failure.cause().getClass().getSimpleName(),
                text(decision));
        note(
                "delivery failed",
                failure.partition(),
                "%s on attempt %d for a change of %s: %s"
                        .formatted(change.error(), change.attempt(), change.table(), change.decision()),
                change);
    }

    private static String text(ErrorDecision decision) {
        return switch (decision) {
            case ErrorDecision.Retry retry -> "retry in " + DurationText.of(retry.delay());
            case ErrorDecision.Skip skip -> "skipped";
            case ErrorDecision.DeadLetter deadLetter -> "dead-lettered";
            case ErrorDecision.ParkKey parkKey -> "dead-lettered, its key parked";
            case ErrorDecision.Stop stop -> "the subscription stops";
        };
    }

    @Override
    public void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {
        note(
                "call timed out",
                partition,
                "a change of %s was interrupted after %s".formatted(change.tableName(), DurationText.of(elapsed)));
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        note(
                "lease lost",
                partition,
                "the lease of epoch %d ended; another worker may own the partition now".formatted(epoch));
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        String why = cause == null
                ? "the stream ended without a proof of the partition's end"
                : "%s: %s".formatted(cause.kind(), LoggedFailure.message(cause));
        note("reconnect", partition, "attempt %d in %s; %s".formatted(attempt, DurationText.of(delay), why));
    }

    @Override
    public void gapAccepted(PartitionToken partition, PartitionGap gap) {
        note("changes lost", partition, "to the retention period, from %s to %s".formatted(gap.from(), gap.to()));
    }

    @Override
    public void storageRetrying(String operation, Throwable cause) {
        note("storage", null, "%s failed and is retried: %s".formatted(operation, LoggedFailure.message(cause)));
    }
}

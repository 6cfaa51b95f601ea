package dev.spream.cli.http;

import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a subscription, read on request and at most once a second. If the storage fails or hangs, the
 * last result is served with its age. Safe for use by many threads.
 */
final class StoredState {
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Supplier<Optional<SubscriptionView>> view;
    private final InstantSource clock;

    // Guarded by this.
    private @Nullable Snapshot latest;
    private @Nullable String error;
    private Instant askedAt = Instant.MIN;
    private CompletableFuture<?> asking = CompletableFuture.completedFuture(null);

    StoredState(Supplier<Optional<SubscriptionView>> view, InstantSource clock) {
        this.view = view;
        this.clock = clock;
    }

    /**
     * A result of the storage.
     *
     * @param readAt the time by the clock of this machine
     */
    record Snapshot(
            Instant readAt,
            Optional<SubscriptionRecord> subscription,
            Lineage lineage,
            List<WorkerRegistration> workers) {}

    /**
     * The known state.
     *
     * @param snapshot the last result; empty before the first
     * @param error the error of a later read; empty without one
     */
    record Known(Optional<Snapshot> snapshot, Optional<String> error) {}

    /** Returns the known state; if it is old, waits for a new result for a short time. */
    Known look() throws InterruptedException {
        CompletableFuture<?> answer = ask();
        boolean late = false;
        try {
            answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            late = true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("reading the storage ended unexpectedly", e);
        }
        return known(late);
    }

    private synchronized Known known(boolean late) {
        return new Known(
                Optional.ofNullable(latest),
                Optional.ofNullable(late && error == null ? "the storage has not answered yet" : error));
    }

    /** Returns the read in progress, or starts one if the last result is old. */
    private synchronized CompletableFuture<?> ask() {
        Optional<SubscriptionView> running = view.get();
        Instant now = clock.instant();
        boolean fresh = !now.isBefore(askedAt) && now.isBefore(askedAt.plus(FRESH));
        if (running.isPresent() && asking.isDone() && !fresh) {
            askedAt = now;
            asking = CompletableFuture.runAsync(
                    () -> read(running.get()), Thread.ofVirtual().name("spream-http-storage")::start);
        }
        return asking;
    }

    private void read(SubscriptionView running) {
        try {
            Optional<SubscriptionRecord> subscription = running.subscription();
            Lineage lineage = running.lineage();
            note(new Snapshot(clock.instant(), subscription, lineage, running.workers()), null);
        } catch (RuntimeException e) {
            note(null, LoggedFailure.brief(e));
        }
    }

    private synchronized void note(@Nullable Snapshot snapshot, @Nullable String failure) {
        latest = snapshot == null ? latest : snapshot;
        error = failure;
    }
}

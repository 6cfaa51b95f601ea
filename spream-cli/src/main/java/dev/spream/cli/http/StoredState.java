package dev.spream.cli.http;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The stored state of a subscription, read on request and at most once a second. If the storage fails or hangs, the
 * last result is returned with its age. Safe for use by many threads.
 */
final class StoredState {
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final Supplier<Optional<SubscriptionView>> view;
    private final LatestRead<Snapshot> reads;

    /**
     * Creates a state that was not read yet.
     *
     * @param pause the minimum time between two reads as a multiple of the time that a read takes
     */
    StoredState(Supplier<Optional<SubscriptionView>> view, int pause, InstantSource clock) {
        this.view = view;
        this.reads = new LatestRead<>("the storage", () -> read(view.get().orElseThrow(), clock), FRESH, pause, clock);
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
        if (view.get().isEmpty()) {
            return new Known(Optional.empty(), Optional.empty());
        }
        LatestRead.Known<Snapshot> known = reads.look();
        return new Known(known.value(), known.error());
    }

    private static Snapshot read(SubscriptionView running, InstantSource clock) {
        Optional<SubscriptionRecord> subscription = running.subscription();
        Lineage lineage = running.lineage();
        return new Snapshot(clock.instant(), subscription, lineage, running.workers());
    }
}

package dev.spream.spring;

import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The status of a subscription in this application, at one moment.
 *
 * @param name as in {@code spream.subscriptions.<name>}
 * @param phase the phase of its run
 * @param problem the reason why it is unhealthy; empty if it is healthy
 * @param held the partitions that this application reads
 * @param view its view, once it has run; methods that ask the storage work while it runs
 */
public record SubscriptionStatus(
        String name,
        Phase phase,
        Optional<String> problem,
        List<PartitionProgress> held,
        Optional<SubscriptionView> view) {
    public SubscriptionStatus {
        held = List.copyOf(held);
    }

    /** The phase of a run. */
    public enum Phase {
        /** It was not started, or was stopped. */
        STOPPED,
        /** Source, storage and consumer are being opened, or its start is in the future. */
        STARTING,
        RUNNING,
        /** It was asked to stop; changes in flight finish. */
        DRAINING,
        /** Its end timestamp is reached. */
        COMPLETED,
        /** It has failed for good; a restart of the application continues after the last settled changes. */
        FAILED
    }

    /** Returns the low watermark, as far as this application knows it: every change before it is settled. */
    public Optional<Instant> lowWatermark() {
        return view.flatMap(SubscriptionView::lowWatermark);
    }
}

package dev.spream.cli.panel;

import dev.spream.cli.http.Panel;
import dev.spream.cli.http.StoredSubscriptions;
import dev.spream.cli.output.Members;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All subscriptions of a storage, with their lag, unfinished partitions and workers. One that cannot be read has an
 * error, and does not affect the others.
 */
public final class SubscriptionsPanel implements Panel {
    private static final int LISTED = 200;

    private final StoredSubscriptions subscriptions;

    public SubscriptionsPanel(StoredSubscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    @Override
    public String name() {
        return "subscriptions";
    }

    @Override
    public Members read() {
        List<String> names = subscriptions.names();
        return new Members()
                .put("configured", subscriptions.configured())
                .list("subscriptions", names.stream().limit(LISTED).toList(), this::subscription)
                .put("left_out", Math.max(0, names.size() - LISTED));
    }

    private Members subscription(String name) {
        Members members = new Members().put("name", name);
        try {
            put(members, subscriptions.storage(name));
        } catch (RuntimeException e) {
            members.put("error", LoggedFailure.brief(e));
        }
        return members;
    }

    /** Reads unfinished partitions only, whose number stays small. */
    private static void put(Members members, PartitionStorage storage) {
        Optional<SubscriptionRecord> record = storage.subscription();
        Lineage frontier = storage.frontier();
        List<WorkerRegistration> workers =
                storage.workers().stream().filter(WorkerRegistration::alive).toList();
        List<PartitionMetadata> unfinished = frontier.partitions().stream()
                .filter(partition -> !partition.isFinished())
                .toList();
        Optional<Instant> low = frontier.lowWatermark();
        members.put("stream", record.map(SubscriptionRecord::streamName))
                .put("completed", record.map(SubscriptionRecord::completed))
                .put("low_watermark", low)
                .put("lag_seconds", low.map(watermark -> behind(watermark, frontier.readAt())))
                .put("unfinished", unfinished.size())
                .put(
                        "owned",
                        unfinished.stream().filter(PartitionMetadata::leaseLive).count())
                .put("workers", workers.size());
    }

    private static Duration behind(Instant watermark, Instant now) {
        return watermark.isBefore(now) ? Duration.between(watermark, now) : Duration.ZERO;
    }
}

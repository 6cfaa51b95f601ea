package dev.spream.spring.actuate;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionView;
import dev.spream.spring.SpreamSubscriptions;
import dev.spream.spring.SubscriptionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The endpoint {@code spream}: the subscriptions of this application, and the stored partitions of one, whichever worker
 * reads them. Read only; it shows no change.
 */
@Endpoint(id = "spream")
public final class SpreamEndpoint {
    private final SpreamSubscriptions subscriptions;

    public SpreamEndpoint(SpreamSubscriptions subscriptions) {
        this.subscriptions = requireNonNull(subscriptions, "subscriptions");
    }

    /** Returns the subscriptions, as far as this application knows them; nothing is asked of the storage. */
    @ReadOperation
    public Overview subscriptions() {
        return new Overview(subscriptions.statuses().stream().map(Summary::of).toList());
    }

    /** Returns a subscription with its partitions, which the storage is asked for; null, a 404, if there is none. */
    @ReadOperation
    public @Nullable Details subscription(@Selector String name) {
        return subscriptions.statuses().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .map(Details::of)
                .orElse(null);
    }

    /** The subscriptions of this application. */
    public record Overview(List<Summary> subscriptions) {}

    /** A subscription in this application. */
    public record Summary(
            String name,
            SubscriptionStatus.Phase phase,
            @Nullable String problem,
            @Nullable String stream,
            @Nullable String worker,
            @Nullable Instant lowWatermark,
            int partitions,
            int inflight) {
        static Summary of(SubscriptionStatus status) {
            return new Summary(
                    status.name(),
                    status.phase(),
                    status.problem().orElse(null),
                    status.view().map(SubscriptionView::streamName).orElse(null),
                    status.view().map(view -> view.worker().value()).orElse(null),
                    status.lowWatermark().orElse(null),
                    status.held().size(),
                    status.held().stream().mapToInt(PartitionProgress::inflight).sum());
        }
    }

    /** A subscription with its stored partitions. */
    public record Details(Summary subscription, List<Partition> partitions) {
        static Details of(SubscriptionStatus status) {
            boolean running = status.phase() == SubscriptionStatus.Phase.RUNNING;
            List<Partition> partitions = status.view()
                    .filter(view -> running)
                    .map(view -> view.lineage().partitions().stream()
                            .map(Partition::of)
                            .toList())
                    .orElse(List.of());
            return new Details(Summary.of(status), partitions);
        }
    }

    /** A stored partition. */
    public record Partition(
            String token,
            List<String> parents,
            String state,
            @Nullable String owner,
            long epoch,
            Instant start,
            Instant watermark) {
        static Partition of(PartitionMetadata partition) {
            Optional<String> owner = partition.owner().map(WorkerId::value);
            return new Partition(
                    partition.token().value(),
                    partition.parentTokens().stream().map(PartitionToken::value).toList(),
                    partition.state().name(),
                    owner.orElse(null),
                    partition.epoch(),
                    partition.startTimestamp(),
                    partition.watermark());
        }
    }
}

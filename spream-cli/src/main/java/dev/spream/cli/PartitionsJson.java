package dev.spream.cli;

import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Partitions as one JSON object. Times are RFC 3339, durations seconds; what is not known is absent. */
final class PartitionsJson {
    private PartitionsJson() {}

    static String write(PartitionView view) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("subscription", subscription(view.stored()));
        members.put("read_at", view.stored().now().toString());
        view.retention().ifPresent(period -> members.put("retention_seconds", seconds(period)));
        members.put("removed", view.stored().proofs().size());
        members.put(
                "workers",
                view.stored().workers().stream()
                        .map(worker -> worker(view.stored(), worker))
                        .toList());
        members.put(
                "partitions",
                view.shown().values().stream()
                        .map(partition -> partition(view, partition))
                        .toList());
        return JsonObject.of(members).toString();
    }

    static Map<String, @Nullable Object> subscription(StoredSubscription stored) {
        SubscriptionRecord subscription = stored.subscription();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("stream", subscription.streamName());
        members.put("start_timestamp", subscription.startTimestamp().toString());
        putTime(members, "end_timestamp", subscription.endTimestamp());
        members.put("heartbeat_seconds", seconds(subscription.heartbeatInterval()));
        members.put("partition_mode", subscription.partitionMode().name());
        members.put("completed", subscription.completed());
        putTime(members, "low_watermark", stored.lineage().lowWatermark());
        return members;
    }

    private static Map<String, @Nullable Object> worker(StoredSubscription stored, WorkerRegistration worker) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("worker", worker.worker().value());
        members.put("capacity", worker.capacity());
        members.put("held", stored.heldBy(worker.worker()));
        members.put("alive", worker.alive());
        members.put("registered_at", worker.registeredAt().toString());
        members.put("alive_until", worker.aliveUntil().toString());
        return members;
    }

    private static Map<String, @Nullable Object> partition(PartitionView view, PartitionMetadata partition) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("token", partition.token().value());
        members.put("parent_tokens", tokens(partition.parentTokens()));
        members.put("state", partition.state().name());
        members.put("start_timestamp", partition.startTimestamp().toString());
        members.put("watermark", partition.watermark().toString());
        view.lag(partition).ifPresent(lag -> members.put("lag_seconds", seconds(lag)));
        view.untilLoss(partition).ifPresent(left -> members.put("lost_in_seconds", seconds(left)));
        members.put("epoch", partition.epoch());
        partition.owner().map(WorkerId::value).ifPresent(owner -> members.put("owner", owner));
        putTime(members, "lease_until", partition.leaseUntil());
        members.put("lease_live", partition.leaseLive());
        partition.endProof().ifPresent(proof -> members.put("end", end(proof)));
        members.put("gaps", partition.gaps().stream().map(PartitionsJson::gap).toList());
        members.put("created_at", partition.createdAt().toString());
        putTime(members, "scheduled_at", partition.scheduledAt());
        putTime(members, "running_at", partition.runningAt());
        putTime(members, "finished_at", partition.finishedAt());
        return members;
    }

    private static Map<String, @Nullable Object> end(EndProof proof) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("kind", proof.kind().name());
        members.put("at", proof.at().toString());
        members.put("children", tokens(proof.children()));
        return members;
    }

    private static Map<String, @Nullable Object> gap(PartitionGap gap) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("from", gap.from().toString());
        members.put("to", gap.to().toString());
        return members;
    }

    private static List<String> tokens(List<PartitionToken> tokens) {
        return tokens.stream().map(PartitionToken::value).toList();
    }

    private static void putTime(Map<String, @Nullable Object> members, String name, Optional<Instant> time) {
        time.ifPresent(value -> members.put(name, value.toString()));
    }

    private static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3);
    }
}

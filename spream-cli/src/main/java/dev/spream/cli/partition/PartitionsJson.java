package dev.spream.cli.partition;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;

/** Partitions as one JSON object. Times are RFC 3339, durations seconds; missing values are absent. */
final class PartitionsJson {
    private PartitionsJson() {}

    static String write(PartitionView view) {
        return new Members()
                .put("subscription", subscription(view.stored()))
                .put("read_at", view.stored().now())
                .put("retention_seconds", view.retention())
                .put("removed", view.stored().proofs().size())
                .list("workers", view.stored().workers(), worker -> worker(view.stored(), worker))
                .list("partitions", view.shown().values(), partition -> partition(view, partition))
                .toString();
    }

    static Members subscription(StoredSubscription stored) {
        SubscriptionRecord subscription = stored.subscription();
        return new Members()
                .put("stream", subscription.streamName())
                .put("start_timestamp", subscription.startTimestamp())
                .put("end_timestamp", subscription.endTimestamp())
                .put("heartbeat_seconds", subscription.heartbeatInterval())
                .put("partition_mode", subscription.partitionMode().name())
                .put("completed", subscription.completed())
                .put("low_watermark", stored.lineage().lowWatermark())
                .put("lagging_partition", stored.lineage().lagging().map(PartitionMetadata::token));
    }

    private static Members worker(StoredSubscription stored, WorkerRegistration worker) {
        return new Members()
                .put("worker", worker.worker().value())
                .put("capacity", worker.capacity())
                .put("held", stored.heldBy(worker.worker()))
                .put("alive", worker.alive())
                .put("registered_at", worker.registeredAt())
                .put("alive_until", worker.aliveUntil());
    }

    private static Members partition(PartitionView view, PartitionMetadata partition) {
        return new Members()
                .put("token", partition.token())
                .put("parent_tokens", partition.parentTokens())
                .put("state", partition.state().name())
                .put("start_timestamp", partition.startTimestamp())
                .put("watermark", partition.watermark())
                .put("lag_seconds", view.lag(partition))
                .put("lost_in_seconds", view.untilLoss(partition))
                .put("epoch", partition.epoch())
                .put("owner", partition.owner().map(WorkerId::value))
                .put("lease_until", partition.leaseUntil())
                .put("lease_live", partition.leaseLive())
                .put("move_in", partition.moveIn().map(moveIn -> moveIn(view, partition, moveIn)))
                .put("move_outs", partition.moveOuts().map(PartitionsJson::moveOuts))
                .put("end", partition.endProof().map(PartitionsJson::end))
                .list(
                        "gaps",
                        partition.gaps(),
                        gap -> new Members().put("from", gap.from()).put("to", gap.to()))
                .put("created_at", partition.createdAt())
                .put("scheduled_at", partition.scheduledAt())
                .put("running_at", partition.runningAt())
                .put("finished_at", partition.finishedAt());
    }

    private static Members moveIn(PartitionView view, PartitionMetadata partition, MoveIn moveIn) {
        return new Members()
                .put("timestamp", moveIn.timestamp())
                .put("sources", moveIn.sources())
                .put("awaited", view.awaited(partition));
    }

    private static Members moveOuts(MoveOuts settled) {
        return new Members()
                .put("record_sequence", settled.recordSequence())
                .put("destinations", settled.destinations());
    }

    private static Members end(PartitionEnd proof) {
        return new Members()
                .put("kind", proof.kind().name())
                .put("at", proof.at())
                .put("children", proof.children());
    }
}

package dev.spream.cli.http;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.PartitionProgress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A partition as JSON: its stored state and, if this worker reads it, its current one. */
final class PartitionJson {
    private PartitionJson() {}

    /** @param held the state of this worker; empty if it does not own the partition */
    static Members of(PartitionMetadata partition, WorkerId self, Optional<PartitionProgress> held, Instant now) {
        Instant watermark = held.map(PartitionProgress::watermark)
                .filter(live -> live.isAfter(partition.watermark()))
                .orElse(partition.watermark());
        boolean mine = held.isPresent() && !partition.isFinished();
        Optional<WorkerId> owner =
                mine ? Optional.of(self) : partition.owner().filter(other -> !partition.isFinished());
        Members members = new Members()
                .put("token", partition.token())
                .put("parents", partition.parentTokens())
                .put("state", partition.state().name())
                .put("owner", owner.map(WorkerId::value))
                .put("owner_alive", mine || partition.leaseLive())
                .put("mine", mine)
                .put("epoch", held.map(PartitionProgress::epoch).orElse(partition.epoch()))
                .put("start", partition.startTimestamp())
                .put("watermark", watermark)
                .put("inflight", held.map(PartitionProgress::inflight).orElse(0))
                .put("end_kind", partition.endProof().map(proof -> proof.kind().name()))
                .put(
                        "children",
                        partition.endProof().map(PartitionEnd::children).orElse(List.of()))
                .put("created_at", partition.createdAt())
                .put("running_at", partition.runningAt())
                .put("finished_at", partition.finishedAt())
                .list(
                        "gaps",
                        partition.gaps(),
                        gap -> new Members().put("from", gap.from()).put("to", gap.to()));
        if (!partition.isFinished()) {
            members.put("lag_seconds", Observed.behind(watermark, now));
        }
        return members;
    }
}

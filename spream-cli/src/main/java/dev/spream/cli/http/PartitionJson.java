package dev.spream.cli.http;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.PartitionProgress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A partition as JSON: as it is stored, and where this worker reads it, as it is now. */
final class PartitionJson {
    private PartitionJson() {}

    /**
     * The partition's members.
     *
     * @param held as this worker holds it; empty if it does not
     */
    static Members of(PartitionMetadata partition, WorkerId self, Optional<PartitionProgress> held, Instant now) {
        Instant watermark = held.map(PartitionProgress::watermark)
                .filter(live -> live.isAfter(partition.watermark()))
                .orElse(partition.watermark());
        boolean mine = held.isPresent() && !partition.isFinished();
        Members members = new Members()
                .put("token", partition.token().value())
                .put("parents", tokens(partition.parentTokens()))
                .put("state", partition.state().name())
                .put("owner", mine ? Optional.of(self.value()) : owner(partition))
                .put("owner_alive", mine || partition.leaseLive())
                .put("mine", mine)
                .put("epoch", held.map(PartitionProgress::epoch).orElse(partition.epoch()))
                .put("start", partition.startTimestamp())
                .put("watermark", watermark)
                .put("inflight", held.map(PartitionProgress::inflight).orElse(0))
                .put("end_kind", partition.endProof().map(proof -> proof.kind().name()))
                .put(
                        "children",
                        partition
                                .endProof()
                                .map(EndProof::children)
                                .map(PartitionJson::tokens)
                                .orElse(List.of()))
                .put("created_at", partition.createdAt())
                .put("running_at", partition.runningAt())
                .put("finished_at", partition.finishedAt())
                .put("gaps", gaps(partition));
        if (!partition.isFinished()) {
            members.put("lag_seconds", Observed.behind(watermark, now));
        }
        return members;
    }

    private static Optional<String> owner(PartitionMetadata partition) {
        return partition.owner().filter(owner -> !partition.isFinished()).map(WorkerId::value);
    }

    private static List<String> tokens(List<PartitionToken> tokens) {
        return tokens.stream().map(PartitionToken::value).toList();
    }

    private static List<Members> gaps(PartitionMetadata partition) {
        return partition.gaps().stream()
                .map(gap -> new Members().put("from", gap.from()).put("to", gap.to()))
                .toList();
    }
}

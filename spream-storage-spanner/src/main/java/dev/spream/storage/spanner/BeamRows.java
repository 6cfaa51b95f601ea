package dev.spream.storage.spanner;

import static dev.spream.core.partition.PartitionState.CREATED;
import static dev.spream.core.partition.PartitionState.FINISHED;

import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rows of a table for Beam, as described by {@link BeamExport}, for a lineage with an unfinished partition. */
final class BeamRows {
    /** The only timestamp that Beam accepts for "no end". */
    private static final Instant NEVER = PartitionRows.LAST.minusNanos(1);

    /** Beam's own heartbeat; on Dataflow it must be shorter than the interval of checkpoints. */
    private static final long HEARTBEAT_MILLIS = 2_000;

    private static final Duration STEP = Duration.ofSeconds(1);

    private final SubscriptionRecord subscription;
    private final Lineage lineage;
    private final List<FinishedPartition> proofs;
    private final Instant lowWatermark;

    BeamRows(SubscriptionRecord subscription, Lineage lineage, List<FinishedPartition> proofs) {
        this.subscription = subscription;
        this.lineage = lineage;
        this.proofs = proofs;
        this.lowWatermark = lineage.lowWatermark().orElseThrow();
    }

    BeamTable describe(String table) {
        return new BeamTable(table, toRead().size(), lowWatermark, subscription.endTimestamp());
    }

    /** Returns the partitions that Beam continues; it always reads the root. */
    private List<PartitionMetadata> toRead() {
        return lineage.partitions().stream()
                .filter(partition ->
                        !partition.isFinished() && !partition.token().isRoot())
                .filter(partition ->
                        partition.epoch() > 0 || partition.state() != CREATED || parentsFinished(partition))
                .toList();
    }

    private boolean parentsFinished(PartitionMetadata child) {
        return child.parentTokens().stream()
                .flatMap(parent -> lineage.partition(parent).stream())
                .allMatch(parent -> parent.isFinished() || parent.token().isRoot());
    }

    /**
     * Returns the rows in the order of writing, the root last, because Beam does not start without it.
     *
     * @param now a past time of the database's clock
     */
    List<Mutation> mutations(String table, Instant now) {
        Instant readByBeam = now.minus(STEP);
        Instant root = readByBeam.minus(STEP);
        Instant ignored = root.minus(STEP);
        List<Mutation> rows = new ArrayList<>();
        for (PartitionMetadata partition : lineage.partitions()) {
            if (partition
                    .endProof()
                    .filter(end -> reachesBeyond(partition.token(), end))
                    .isPresent()) {
                rows.add(row(
                        table,
                        partition.token(),
                        partition.parentTokens(),
                        partition.startTimestamp(),
                        ignored,
                        FINISHED));
            }
        }
        for (FinishedPartition proof : proofs) {
            if (reachesBeyond(proof.token(), proof.endProof())) {
                rows.add(row(table, proof.token(), proof.parentTokens(), proof.startTimestamp(), ignored, FINISHED));
            }
        }
        for (PartitionMetadata partition : toRead()) {
            rows.add(row(
                    table, partition.token(), partition.parentTokens(), partition.watermark(), readByBeam, CREATED));
        }
        rows.add(row(table, PartitionToken.ROOT, List.of(), lowWatermark, root, CREATED));
        return rows;
    }

    /**
     * Returns whether the partition could be returned by the initial query at the low watermark; false for the root
     * itself.
     */
    private boolean reachesBeyond(PartitionToken token, PartitionEnd end) {
        return !token.isRoot() && !end.at().isBefore(lowWatermark);
    }

    /** Returns a row without the time of finishing, so that the row deletion policy does not delete it. */
    private Mutation row(
            String table,
            PartitionToken token,
            List<PartitionToken> parents,
            Instant start,
            Instant createdAt,
            PartitionState state) {
        return PartitionRows.mutation(
                Mutation.newInsertBuilder(table),
                Map.of(
                        MetadataColumn.PARTITION_TOKEN, Value.string(token.value()),
                        MetadataColumn.PARENT_TOKENS, PartitionRows.values(parents),
                        MetadataColumn.START_TIMESTAMP, PartitionRows.value(start),
                        MetadataColumn.END_TIMESTAMP,
                                PartitionRows.value(subscription.endTimestamp().orElse(NEVER)),
                        MetadataColumn.HEARTBEAT_MILLIS, Value.int64(HEARTBEAT_MILLIS),
                        MetadataColumn.STATE, Value.string(state.name()),
                        MetadataColumn.WATERMARK, PartitionRows.value(start),
                        MetadataColumn.CREATED_AT, PartitionRows.value(createdAt)));
    }
}

package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionProof;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The rows of a table for Beam, as {@link BeamExport} explains them, of a lineage with an unfinished partition. */
final class BeamRows {
    /** Beam stores this for "no end", and takes nothing else for it. */
    private static final Instant NEVER = PartitionRows.LAST.minusNanos(1);

    /** Beam's own; on Dataflow it must be shorter than the interval of checkpoints. */
    private static final long HEARTBEAT_MILLIS = 2_000;

    private static final Duration STEP = Duration.ofSeconds(1);

    private final SubscriptionRecord subscription;
    private final Lineage lineage;
    private final List<PartitionProof> proofs;
    private final Instant lowWatermark;

    BeamRows(SubscriptionRecord subscription, Lineage lineage, List<PartitionProof> proofs) {
        this.subscription = subscription;
        this.lineage = lineage;
        this.proofs = proofs;
        this.lowWatermark = lineage.lowWatermark().orElseThrow();
    }

    BeamTable describe(String table) {
        return new BeamTable(table, toRead().size(), lowWatermark, subscription.endTimestamp());
    }

    /** What Beam goes on with; the root it reads anyway. */
    private List<PartitionMetadata> toRead() {
        return lineage.partitions().stream()
                .filter(partition ->
                        !partition.isFinished() && !partition.token().isRoot())
                .filter(partition -> partition.epoch() > 0
                        || partition.state() != PartitionState.CREATED
                        || parentsFinished(partition))
                .toList();
    }

    private boolean parentsFinished(PartitionMetadata child) {
        return child.parentTokens().stream()
                .flatMap(parent -> lineage.partition(parent).stream())
                .allMatch(parent -> parent.isFinished() || parent.token().isRoot());
    }

    /**
     * The rows in the order of writing: the root last, without which Beam does not start.
     *
     * @param now a moment that has passed on the clock of the database
     */
    List<Mutation> mutations(String table, Instant now) {
        Instant readByBeam = now.minus(STEP);
        Instant root = readByBeam.minus(STEP);
        Instant ignored = root.minus(STEP);
        List<Mutation> rows = new ArrayList<>();
        for (PartitionMetadata partition : lineage.partitions()) {
            partition
                    .endProof()
                    .filter(this::reachesBeyond)
                    .filter(end -> !partition.token().isRoot())
                    .ifPresent(end -> rows.add(finished(
                            table, partition.token(), partition.parentTokens(), partition.startTimestamp(), ignored)));
        }
        for (PartitionProof proof : proofs) {
            if (reachesBeyond(proof.endProof()) && !proof.token().isRoot()) {
                rows.add(finished(table, proof.token(), proof.parentTokens(), proof.startTimestamp(), ignored));
            }
        }
        for (PartitionMetadata partition : toRead()) {
            rows.add(row(table, partition.token(), partition.parentTokens(), partition.watermark(), readByBeam)
                    .set(MetadataColumn.STATE.columnName)
                    .to(PartitionState.CREATED.name())
                    .build());
        }
        rows.add(row(table, PartitionToken.ROOT, List.of(), lowWatermark, root)
                .set(MetadataColumn.STATE.columnName)
                .to(PartitionState.CREATED.name())
                .build());
        return rows;
    }

    /** Whether the initial query, begun at the low watermark, could find the partition alive. */
    private boolean reachesBeyond(EndProof end) {
        return !end.at().isBefore(lowWatermark);
    }

    /** Without the time of finishing, so that the row deletion policy leaves it. */
    private Mutation finished(
            String table, PartitionToken token, List<PartitionToken> parents, Instant start, Instant createdAt) {
        return row(table, token, parents, start, createdAt)
                .set(MetadataColumn.STATE.columnName)
                .to(PartitionState.FINISHED.name())
                .build();
    }

    private Mutation.WriteBuilder row(
            String table, PartitionToken token, List<PartitionToken> parents, Instant start, Instant createdAt) {
        Timestamp from = Timestamps.toTimestamp(start);
        return Mutation.newInsertBuilder(table)
                .set(MetadataColumn.PARTITION_TOKEN.columnName)
                .to(token.value())
                .set(MetadataColumn.PARENT_TOKENS.columnName)
                .to(PartitionRows.values(parents))
                .set(MetadataColumn.START_TIMESTAMP.columnName)
                .to(from)
                .set(MetadataColumn.END_TIMESTAMP.columnName)
                .to(PartitionRows.value(subscription.endTimestamp().orElse(NEVER)))
                .set(MetadataColumn.HEARTBEAT_MILLIS.columnName)
                .to(HEARTBEAT_MILLIS)
                .set(MetadataColumn.WATERMARK.columnName)
                .to(from)
                .set(MetadataColumn.CREATED_AT.columnName)
                .to(PartitionRows.value(createdAt));
    }
}

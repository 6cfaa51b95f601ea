package dev.spream.storage.spanner;

import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Maps rows of the table of proofs, whose columns are some of those of the partitions' table. */
final class FinishedPartitionRows {
    static final List<MetadataColumn> COLUMNS = List.of(
            MetadataColumn.PARTITION_TOKEN,
            MetadataColumn.PARENT_TOKENS,
            MetadataColumn.START_TIMESTAMP,
            MetadataColumn.FINISHED_AT,
            MetadataColumn.END_PROOF,
            MetadataColumn.END_PROOF_AT,
            MetadataColumn.END_PROOF_CHILDREN,
            MetadataColumn.GAPS);

    static final List<String> NAMES =
            COLUMNS.stream().map(column -> column.columnName).toList();

    private FinishedPartitionRows() {}

    static FinishedPartition proof(Struct row) {
        try {
            return new FinishedPartition(
                    new PartitionToken(row.getString(MetadataColumn.PARTITION_TOKEN.columnName)),
                    PartitionRows.tokens(row, MetadataColumn.PARENT_TOKENS),
                    PartitionRows.instant(row, MetadataColumn.START_TIMESTAMP),
                    PartitionRows.endProof(row).orElseThrow(),
                    PartitionRows.instant(row, MetadataColumn.FINISHED_AT),
                    PartitionRows.gaps(row));
        } catch (IllegalArgumentException | NoSuchElementException e) {
            throw PartitionRows.damaged(row, e);
        }
    }

    /** Returns the proof of a finished partition. */
    static FinishedPartition proofOf(PartitionMetadata finished) {
        return new FinishedPartition(
                finished.token(),
                finished.parentTokens(),
                finished.startTimestamp(),
                finished.endProof().orElseThrow(),
                finished.finishedAt().orElseThrow(),
                finished.gaps());
    }

    /** Returns a mutation that stores the proof, or overwrites it. */
    static Mutation write(MetadataTables tables, FinishedPartition proof) {
        return PartitionRows.mutation(
                Mutation.newInsertOrUpdateBuilder(tables.proofs()),
                Map.of(
                        MetadataColumn.PARTITION_TOKEN,
                                Value.string(proof.token().value()),
                        MetadataColumn.PARENT_TOKENS, PartitionRows.values(proof.parentTokens()),
                        MetadataColumn.START_TIMESTAMP, PartitionRows.value(proof.startTimestamp()),
                        MetadataColumn.FINISHED_AT, PartitionRows.value(proof.finishedAt()),
                        MetadataColumn.END_PROOF,
                                Value.string(proof.endProof().kind().name()),
                        MetadataColumn.END_PROOF_AT,
                                PartitionRows.value(proof.endProof().at()),
                        MetadataColumn.END_PROOF_CHILDREN,
                                PartitionRows.values(proof.endProof().children()),
                        MetadataColumn.GAPS, PartitionRows.gapValues(proof.gaps())));
    }
}

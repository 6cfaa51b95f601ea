package dev.spream.storage.spanner;

import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionProof;
import dev.spream.core.partition.PartitionToken;
import java.util.List;
import java.util.NoSuchElementException;

/** Maps rows of the table of proofs, whose columns are some of those of the partitions' table. */
final class PartitionProofRows {
    static final List<Column> COLUMNS = List.of(
            Column.PARTITION_TOKEN,
            Column.PARENT_TOKENS,
            Column.START_TIMESTAMP,
            Column.FINISHED_AT,
            Column.END_PROOF,
            Column.END_PROOF_AT,
            Column.END_PROOF_CHILDREN,
            Column.GAPS);

    static final List<String> NAMES =
            COLUMNS.stream().map(column -> column.columnName).toList();

    private PartitionProofRows() {}

    static PartitionProof proof(Struct row) {
        try {
            return readProof(row);
        } catch (IllegalArgumentException | NoSuchElementException e) {
            throw PartitionRows.damaged(row, e);
        }
    }

    private static PartitionProof readProof(Struct row) {
        return new PartitionProof(
                new PartitionToken(row.getString(Column.PARTITION_TOKEN.columnName)),
                PartitionRows.tokens(row, Column.PARENT_TOKENS),
                PartitionRows.instant(row, Column.START_TIMESTAMP),
                PartitionRows.endProof(row).orElseThrow(),
                PartitionRows.instant(row, Column.FINISHED_AT),
                PartitionRows.gaps(row));
    }

    /** The proof of a finished partition. */
    static PartitionProof proofOf(PartitionMetadata finished) {
        return new PartitionProof(
                finished.token(),
                finished.parentTokens(),
                finished.startTimestamp(),
                finished.endProof().orElseThrow(),
                finished.finishedAt().orElseThrow(),
                finished.gaps());
    }

    /** Stores the proof; one that is stored already is written again. */
    static Mutation write(MetadataTables tables, PartitionProof proof) {
        return Mutation.newInsertOrUpdateBuilder(tables.proofs())
                .set(Column.PARTITION_TOKEN.columnName)
                .to(proof.token().value())
                .set(Column.PARENT_TOKENS.columnName)
                .to(PartitionRows.values(proof.parentTokens()))
                .set(Column.START_TIMESTAMP.columnName)
                .to(PartitionRows.value(proof.startTimestamp()))
                .set(Column.FINISHED_AT.columnName)
                .to(PartitionRows.value(proof.finishedAt()))
                .set(Column.END_PROOF.columnName)
                .to(proof.endProof().kind().name())
                .set(Column.END_PROOF_AT.columnName)
                .to(PartitionRows.value(proof.endProof().at()))
                .set(Column.END_PROOF_CHILDREN.columnName)
                .to(PartitionRows.values(proof.endProof().children()))
                .set(Column.GAPS.columnName)
                .to(PartitionRows.gapValues(proof.gaps()))
                .build();
    }
}

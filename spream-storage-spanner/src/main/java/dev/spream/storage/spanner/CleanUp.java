package dev.spream.storage.spanner;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes finished partitions in batches, each a transaction that checks the partitions again, because a partition may
 * have become a parent, or a source of a move-in, since the lineage was read.
 */
final class CleanUp {
    /** The number of partitions of a transaction; each takes one deleted row, one written row, and an index entry. */
    private static final int BATCH = 1_000;

    private CleanUp() {}

    static int run(GroupWriter writer, Lineage lineage, Instant finishedBefore) {
        Set<PartitionToken> needed = new HashSet<>();
        lineage.partitions().stream()
                .filter(partition -> !partition.isFinished())
                .forEach(partition -> {
                    needed.addAll(partition.parentTokens());
                    partition.moveIn().ifPresent(moveIn -> needed.addAll(moveIn.sources()));
                });
        List<PartitionMetadata> removable = lineage.partitions().stream()
                .filter(partition ->
                        partition.isFinished() && partition.endProof().isPresent())
                .filter(partition ->
                        partition.finishedAt().filter(finishedBefore::isAfter).isPresent())
                .filter(partition -> !needed.contains(partition.token()))
                .toList();
        int removed = 0;
        for (int from = 0; from < removable.size(); from += BATCH) {
            removed += writer.write(remove(removable.subList(from, Math.min(from + BATCH, removable.size()))));
        }
        return removed;
    }

    private static WriteOperation<Integer> remove(List<PartitionMetadata> partitions) {
        return WriteOperation.alone("cleaning up", transaction -> {
            Set<PartitionToken> needed = neededByUnfinished(transaction);
            transaction.load(partitions.stream().map(PartitionMetadata::token).toList());
            List<PartitionMetadata> removable = partitions.stream()
                    .filter(partition -> !needed.contains(partition.token()))
                    .filter(partition ->
                            transaction.partition(partition.token()).isPresent())
                    .toList();
            removable.stream()
                    .flatMap(partition -> partition.finishedAt().stream())
                    .max(Comparator.naturalOrder())
                    .ifPresent(last -> SubscriptionRows.removed(transaction, last));
            removable.forEach(partition -> {
                transaction.write(
                        FinishedPartitionRows.write(transaction.tables(), FinishedPartitionRows.proofOf(partition)));
                transaction.write(Mutation.delete(
                        transaction.tables().partitions(),
                        Key.of(partition.token().value())));
            });
            return removable.size();
        });
    }

    private static Set<PartitionToken> neededByUnfinished(WriteTransaction transaction) {
        MetadataTables tables = transaction.tables();
        Set<PartitionToken> unfinished =
                FrontierReads.tokens(transaction.context(), tables, PartitionRows.unfinished());
        if (unfinished.isEmpty()) {
            return Set.of();
        }
        List<String> columns =
                List.of(MetadataColumn.PARENT_TOKENS.columnName, MetadataColumn.MOVE_IN_SOURCES.columnName);
        return MetadataReads.all(
                        transaction.context().read(tables.partitions(), WriteTransaction.keys(unfinished), columns))
                .stream()
                .flatMap(PartitionRows::predecessors)
                .collect(Collectors.toSet());
    }
}

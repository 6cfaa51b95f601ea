package dev.spream.storage.spanner;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proofs to remove, as found in a snapshot.
 *
 * @param subscription the record in the snapshot
 * @param corrections the number of corrections in the snapshot
 * @param proofs the partitions
 * @param forgotten the time to record with their removal
 */
record ProofsToForget(
        SubscriptionRecord subscription, int corrections, List<PartitionToken> proofs, ForgottenProofs forgotten) {
    /** The number of proofs of a transaction. */
    private static final int BATCH = 1_000;

    /** Returns the removal; it removes nothing if the subscription has changed since. */
    WriteOperation<Integer> remove() {
        return WriteOperation.alone("forgetting proofs", transaction -> {
            MetadataTables tables = transaction.tables();
            Struct stored = SubscriptionRows.read(transaction);
            if (stored == null
                    || !SubscriptionRows.record(stored)
                            .filter(subscription::equals)
                            .isPresent()
                    || corrections(transaction.context(), tables) != corrections) {
                return 0;
            }
            transaction.write(SubscriptionRows.corrected(tables, subscription.withForgotten(Optional.of(forgotten))));
            transaction.write(Mutation.delete(tables.proofs(), WriteTransaction.keys(proofs)));
            return proofs.size();
        });
    }

    private static int corrections(ReadContext context, MetadataTables tables) {
        return MetadataReads.all(context.read(tables.corrections(), KeySet.all(), List.of(MetadataDdl.ID)))
                .size();
    }

    /** The search of a snapshot for proofs to remove. */
    record Search(ReadContext snapshot, MetadataTables tables) {

        /** Returns the first proofs to forget, with at least one unfinished partition. */
        Optional<ProofsToForget> find(Instant finishedBefore, Lineage unfinished) {
            Instant discovered = unfinished.partitions().stream()
                    .map(PartitionMetadata::discoveredUntil)
                    .min(Instant::compareTo)
                    .orElseThrow();
            List<Struct> rows = rows(
                    "SELECT %s, %s FROM %s WHERE %s AND %s < %s AND %s < %s ORDER BY %s LIMIT %d"
                            .formatted(
                                    tables.quoted(MetadataColumn.PARTITION_TOKEN.columnName),
                                    endAt(),
                                    tables.quoted(tables.proofs()),
                                    told(),
                                    endAt(),
                                    parameter(1),
                                    tables.quoted(MetadataColumn.FINISHED_AT.columnName),
                                    parameter(2),
                                    tables.quoted(MetadataColumn.FINISHED_AT.columnName),
                                    BATCH),
                    discovered,
                    finishedBefore);
            Optional<SubscriptionRecord> subscription = Optional.ofNullable(
                            snapshot.readRow(tables.subscription(), SubscriptionRows.KEY, SubscriptionRows.COLUMNS))
                    .flatMap(SubscriptionRows::record);
            if (rows.isEmpty() || subscription.isEmpty()) {
                return Optional.empty();
            }
            List<PartitionToken> proofs = new ArrayList<>();
            Instant before =
                    subscription.get().forgotten().map(ForgottenProofs::before).orElse(Instant.MIN);
            for (Struct row : rows) {
                proofs.add(new PartitionToken(row.getString(0)));
                Instant after =
                        PartitionRows.instant(row, MetadataColumn.END_PROOF_AT).plusNanos(1);
                before = before.isBefore(after) ? after : before;
            }
            ForgottenProofs forgotten =
                    new ForgottenProofs(before, kept(tables.partitions(), before) + kept(tables.proofs(), before));
            return Optional.of(
                    new ProofsToForget(subscription.get(), corrections(snapshot, tables), proofs, forgotten));
        }

        private int kept(String table, Instant before) {
            String start = tables.quoted(MetadataColumn.START_TIMESTAMP.columnName);
            return Math.toIntExact(rows(
                            "SELECT COUNT(*) FROM %s WHERE %s < %s AND (%s IS NULL OR NOT (%s AND %s < %s))"
                                    .formatted(
                                            tables.quoted(table),
                                            start,
                                            parameter(1),
                                            endAt(),
                                            told(),
                                            endAt(),
                                            parameter(1)),
                            before)
                    .getFirst()
                    .getLong(0));
        }

        /** Returns the condition that the stream has told the end of a partition; other proofs are never forgotten. */
        private String told() {
            return "%s <> '%s' AND %s IN ('CHILD_PARTITIONS', 'PARTITION_END')"
                    .formatted(
                            tables.quoted(MetadataColumn.PARTITION_TOKEN.columnName),
                            PartitionToken.ROOT.value(),
                            tables.quoted(MetadataColumn.END_PROOF.columnName));
        }

        private String endAt() {
            return tables.quoted(MetadataColumn.END_PROOF_AT.columnName);
        }

        private String parameter(int number) {
            return (tables.isPostgres() ? "$" : "@p") + number;
        }

        private List<Struct> rows(String sql, Instant... times) {
            Statement.Builder query = Statement.newBuilder(sql);
            for (int i = 0; i < times.length; i++) {
                query.bind("p" + (i + 1)).to(PartitionRows.value(times[i]));
            }
            return MetadataReads.all(snapshot.executeQuery(query.build()));
        }
    }
}

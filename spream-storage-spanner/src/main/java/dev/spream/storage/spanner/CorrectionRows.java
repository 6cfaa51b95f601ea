package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.AuditedCorrection;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.Timestamps;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Corrects a subscription, and reads and writes the audit of that. A correction reads the whole tables in its
 * transaction, so that none of their rows changes meanwhile.
 */
final class CorrectionRows {
    static final List<String> COLUMNS = List.of(
            MetadataDdl.ID, MetadataDdl.CORRECTED_AT, MetadataDdl.ACTOR, MetadataDdl.REASON, MetadataDdl.CHANGE);

    private CorrectionRows() {}

    static AuditedCorrection audited(Struct row) {
        return new AuditedCorrection(
                Timestamps.toInstant(row.getTimestamp(MetadataDdl.CORRECTED_AT)),
                new CorrectionAct(row.getString(MetadataDdl.ACTOR), row.getString(MetadataDdl.REASON)),
                row.getString(MetadataDdl.CHANGE));
    }

    static WriteOperation<CorrectionOutcome> correct(Correction correction, CorrectionAct act) {
        return WriteOperation.alone("correcting the subscription", transaction -> {
            Optional<SubscriptionRecord> stored =
                    Optional.ofNullable(SubscriptionRows.read(transaction)).flatMap(SubscriptionRows::record);
            if (stored.isEmpty()) {
                return CorrectionOutcome.nothingStored();
            }
            CorrectionOutcome outcome = plan(transaction, stored.get(), correction);
            if (outcome instanceof CorrectionOutcome.Planned planned
                    && !planned.plan().changesNothing()) {
                write(transaction, planned.plan());
                audit(transaction, act, planned.plan().change());
            }
            return outcome;
        });
    }

    private static CorrectionOutcome plan(
            WriteTransaction transaction, SubscriptionRecord stored, Correction correction) {
        TransactionContext context = transaction.context();
        MetadataTables tables = transaction.tables();
        return correction.plan(
                stored,
                MetadataReads.lineage(
                        MetadataReads.all(context.read(tables.partitions(), KeySet.all(), MetadataColumn.NAMES)),
                        transaction.now()),
                MetadataReads.proofs(context, tables),
                MetadataReads.all(context.read(tables.workers(), KeySet.all(), WorkerRows.COLUMNS)).stream()
                        .map(row -> WorkerRows.registration(row, transaction.now()))
                        .toList());
    }

    private static void write(WriteTransaction transaction, CorrectionPlan plan) {
        MetadataTables tables = transaction.tables();
        SubscriptionRecord after = plan.after();
        Timestamp end = Timestamps.toTimestamp(after.endTimestamp().orElse(PartitionRows.LAST));
        transaction.write(SubscriptionRows.corrected(tables, after));
        if (plan.removesAll()) {
            transaction.write(Mutation.delete(tables.partitions(), KeySet.all()));
            transaction.write(Mutation.delete(tables.proofs(), KeySet.all()));
        }
        transaction.write(Mutation.delete(tables.partitions(), WriteTransaction.keys(plan.removed())));
        transaction.write(Mutation.delete(tables.proofs(), WriteTransaction.keys(plan.removed())));
        for (PartitionMetadata partition : plan.written()) {
            Map<MetadataColumn, Value> row = values(partition, end);
            if (plan.isNew(partition)) {
                row.values().removeIf(Value::isNull); // each value counts against the limit of a commit
                row.putAll(further(partition, after));
                transaction.write(PartitionRows.mutation(Mutation.newInsertBuilder(tables.partitions()), row));
            } else if (plan.restored().contains(partition.token())) {
                row.putAll(further(partition, after));
                transaction.write(PartitionRows.mutation(Mutation.newInsertBuilder(tables.partitions()), row));
                transaction.write(Mutation.delete(
                        tables.proofs(), Key.of(partition.token().value())));
            } else {
                transaction.write(PartitionRows.mutation(Mutation.newUpdateBuilder(tables.partitions()), row));
            }
        }
    }

    /** Returns the columns that a correction may change. */
    private static Map<MetadataColumn, Value> values(PartitionMetadata partition, Timestamp lastTimestamp) {
        Map<MetadataColumn, Value> row = new EnumMap<>(MetadataColumn.class);
        row.put(MetadataColumn.PARTITION_TOKEN, Value.string(partition.token().value()));
        row.put(MetadataColumn.START_TIMESTAMP, PartitionRows.value(partition.startTimestamp()));
        row.put(MetadataColumn.END_TIMESTAMP, Value.timestamp(lastTimestamp));
        row.put(MetadataColumn.STATE, Value.string(partition.state().name()));
        row.put(MetadataColumn.WATERMARK, PartitionRows.value(partition.watermark()));
        row.put(MetadataColumn.EPOCH, Value.int64(partition.epoch()));
        row.put(
                MetadataColumn.FINISHED_AT,
                partition.finishedAt().map(PartitionRows::value).orElseGet(() -> Value.timestamp(null)));
        row.put(MetadataColumn.OWNER, Value.string(null));
        row.put(MetadataColumn.LEASE_UNTIL, Value.timestamp(null));
        Optional<PartitionEnd> end = partition.endProof();
        row.put(
                MetadataColumn.END_PROOF,
                Value.string(end.map(proof -> proof.kind().name()).orElse(null)));
        row.put(
                MetadataColumn.END_PROOF_AT,
                end.map(proof -> PartitionRows.value(proof.at())).orElseGet(() -> Value.timestamp(null)));
        row.put(
                MetadataColumn.END_PROOF_CHILDREN,
                end.map(proof -> PartitionRows.values(proof.children())).orElseGet(() -> Value.stringArray(null)));
        row.put(MetadataColumn.GAPS, PartitionRows.gapValues(partition.gaps()));
        row.put(
                MetadataColumn.MOVE_OUT_SEQUENCE,
                Value.string(partition.moveOuts().map(MoveOuts::recordSequence).orElse(null)));
        row.put(
                MetadataColumn.MOVE_OUT_DESTINATIONS,
                partition
                        .moveOuts()
                        .map(settled -> PartitionRows.values(settled.destinations()))
                        .orElseGet(() -> Value.stringArray(null)));
        return row;
    }

    /** Returns the further columns of a partition that is new, or that clean-up had removed. */
    private static Map<MetadataColumn, Value> further(PartitionMetadata partition, SubscriptionRecord subscription) {
        Map<MetadataColumn, Value> row = new EnumMap<>(MetadataColumn.class);
        row.put(MetadataColumn.PARENT_TOKENS, PartitionRows.values(partition.parentTokens()));
        row.put(
                MetadataColumn.HEARTBEAT_MILLIS,
                Value.int64(subscription.heartbeatInterval().toMillis()));
        row.put(MetadataColumn.CREATED_AT, PartitionRows.value(partition.createdAt()));
        partition.moveIn().ifPresent(moveIn -> {
            row.put(MetadataColumn.MOVE_IN_TIMESTAMP, PartitionRows.value(moveIn.timestamp()));
            row.put(MetadataColumn.MOVE_IN_SOURCES, PartitionRows.values(moveIn.sources()));
        });
        return row;
    }

    private static void audit(WriteTransaction transaction, CorrectionAct act, String change) {
        String table = transaction.tables().corrections();
        long last = MetadataReads.all(transaction.context().read(table, KeySet.all(), List.of(MetadataDdl.ID))).stream()
                .mapToLong(row -> row.getLong(0))
                .max()
                .orElse(0);
        transaction.write(Mutation.newInsertBuilder(table)
                .set(MetadataDdl.ID)
                .to(last + 1)
                .set(MetadataDdl.CORRECTED_AT)
                .to(Value.COMMIT_TIMESTAMP)
                .set(MetadataDdl.ACTOR)
                .to(act.actor())
                .set(MetadataDdl.REASON)
                .to(act.reason())
                .set(MetadataDdl.CHANGE)
                .to(change)
                .build());
    }
}

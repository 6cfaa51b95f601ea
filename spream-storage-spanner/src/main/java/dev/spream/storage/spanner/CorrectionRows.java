package dev.spream.storage.spanner;

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
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.Timestamps;
import java.util.List;
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
                CorrectionWrite write = new CorrectionWrite(transaction.tables(), planned.plan());
                if (write.count() > CorrectionWrite.LIMIT) {
                    return tooLarge(planned.plan(), write);
                }
                write.mutations().forEach(transaction::write);
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

    private static CorrectionOutcome tooLarge(CorrectionPlan plan, CorrectionWrite write) {
        boolean rowsLeft = plan.partitionsAfter().stream()
                .anyMatch(partition ->
                        !partition.isFinished() && partition.token().isOfSnapshot());
        String beginning = rowsLeft
                ? "with a snapshot, whose rows are not all read"
                : "at %s: changes since then are delivered again"
                        .formatted(plan.lowWatermarkAfter().orElse(plan.after().startTimestamp()));
        return new CorrectionOutcome.Refused(
                "the correction writes %d partitions by about %d mutations, and Spanner takes %d in a commit; nothing was changed. Begin another subscription over another table, or in PostgreSQL, which has no such limit, %s"
                        .formatted(plan.written().size(), write.count(), CorrectionWrite.LIMIT, beginning));
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

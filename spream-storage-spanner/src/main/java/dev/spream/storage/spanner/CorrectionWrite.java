package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.Timestamps;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The mutations of a correction, and their number as Spanner counts them: each value that is written, and each entry of the
 * index that is written or deleted. Of a row that is changed, only the values that differ are written.
 *
 * @see <a href="https://cloud.google.com/spanner/quotas">the limit of a commit</a>
 */
final class CorrectionWrite {
    /** The number of mutations that Spanner takes in a commit. */
    static final int LIMIT = 80_000;

    private static final int INDEX_ENTRY = 3; // the state, the time of the change, and the key of the row
    private static final int OTHERS = 100; // at most those of the subscription and its audit line

    private final MetadataTables tables;
    private final CorrectionPlan plan;
    private final Timestamp end;
    private final List<Mutation> mutations = new ArrayList<>();
    private long count = OTHERS;

    CorrectionWrite(MetadataTables tables, CorrectionPlan plan) {
        this.tables = tables;
        this.plan = plan;
        this.end = lastTimestamp(plan.after());
        remove();
        plan.written().forEach(this::write);
    }

    private static Timestamp lastTimestamp(SubscriptionRecord subscription) {
        return Timestamps.toTimestamp(subscription.endTimestamp().orElse(PartitionRows.LAST));
    }

    List<Mutation> mutations() {
        return mutations;
    }

    /** Returns the number of mutations, estimated and not too low. */
    long count() {
        return count;
    }

    private void remove() {
        mutations.add(SubscriptionRows.corrected(tables, plan.after()));
        if (plan.removesAll()) {
            mutations.add(Mutation.delete(tables.partitions(), KeySet.all()));
            mutations.add(Mutation.delete(tables.proofs(), KeySet.all()));
            count += plan.lineage().partitions().size();
        }
        mutations.add(Mutation.delete(tables.partitions(), WriteTransaction.keys(plan.removed())));
        mutations.add(Mutation.delete(tables.proofs(), WriteTransaction.keys(plan.removed())));
        count += 3L * plan.removed().size();
    }

    private void write(PartitionMetadata partition) {
        Map<MetadataColumn, Value> row = values(partition, end);
        if (plan.isNew(partition)) {
            row.values().removeIf(value -> value.isNull() || isEmpty(value));
            row.putAll(further(partition, plan.after()));
            insert(row);
        } else if (plan.restored().contains(partition.token())) {
            row.putAll(further(partition, plan.after()));
            insert(row);
            mutations.add(
                    Mutation.delete(tables.proofs(), Key.of(partition.token().value())));
            count++;
        } else {
            plan.lineage().partition(partition.token()).ifPresent(stored -> removeSame(row, stored));
            mutations.add(PartitionRows.mutation(Mutation.newUpdateBuilder(tables.partitions()), row));
            count += row.size() + (row.containsKey(MetadataColumn.STATE) ? 2 * INDEX_ENTRY : 0);
        }
    }

    private static boolean isEmpty(Value value) {
        return value.getType().equals(Type.array(Type.timestamp()))
                && value.getTimestampArray().isEmpty();
    }

    private void insert(Map<MetadataColumn, Value> row) {
        mutations.add(PartitionRows.mutation(Mutation.newInsertBuilder(tables.partitions()), row));
        count += row.size() + INDEX_ENTRY;
    }

    /** Removes what the row has already; its owner and lease are cleared in any case. */
    private void removeSame(Map<MetadataColumn, Value> row, PartitionMetadata stored) {
        Map<MetadataColumn, Value> before = values(stored, lastTimestamp(plan.before()));
        row.entrySet()
                .removeIf(value -> value.getKey() != MetadataColumn.PARTITION_TOKEN
                        && value.getKey() != MetadataColumn.OWNER
                        && value.getKey() != MetadataColumn.LEASE_UNTIL
                        && value.getValue().equals(before.get(value.getKey())));
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
}

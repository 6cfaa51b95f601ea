package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A partition of a simulated server: its lifetime, from its start inclusive to its end exclusive, the keys it contains
 * meanwhile, their changes, and, at its end, its children.
 */
final class SimulatedPartition {
    final PartitionToken token;
    final List<PartitionToken> parents;
    final int firstKey;
    final int endKey;
    final Instant start;
    final List<DataChangeRecord> changes = new ArrayList<>();
    final List<ChildPartitionsRecord> childRecords = new ArrayList<>();
    Instant end = Instant.MAX;

    /**
     * A partition that lives for ever.
     *
     * @param endKey exclusive
     */
    SimulatedPartition(PartitionToken token, List<PartitionToken> parents, int firstKey, int endKey, Instant start) {
        this.token = token;
        this.parents = parents;
        this.firstKey = firstKey;
        this.endKey = endKey;
        this.start = start;
    }

    /** The rows of a query, heartbeats apart; both bounds inclusive. */
    List<ChangeRecord> rows(Instant from, Instant to) {
        List<ChangeRecord> rows = new ArrayList<>();
        for (DataChangeRecord change : changes) {
            if (!change.commitTimestamp().isBefore(from)
                    && !change.commitTimestamp().isAfter(to)) {
                rows.add(change);
            }
        }
        if (!end.isAfter(to)) {
            rows.addAll(childRecords);
        }
        return rows;
    }

    boolean isLive() {
        return end.equals(Instant.MAX);
    }

    ChildPartition asChild() {
        return new ChildPartition(
                token.value(), parents.stream().map(PartitionToken::value).toList());
    }

    /** The tokens of the children, in the order in which they are returned. */
    List<PartitionToken> children() {
        return childRecords.stream()
                .flatMap(childRecord -> childRecord.childPartitions().stream())
                .map(child -> new PartitionToken(child.token()))
                .toList();
    }

    @Override
    public String toString() {
        return "%s keys [%d, %d) life [%s, %s) parents %s children %s, %d changes"
                .formatted(token, firstKey, endKey, start, isLive() ? "" : end, parents, children(), changes.size());
    }
}

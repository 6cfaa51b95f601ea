package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of the partitions' table in a transaction: its stored state, its state after the operations of the transaction,
 * and the resulting mutation. Confined to one attempt of one transaction.
 */
final class PartitionRow {
    /** The columns of renewals and of watermarks, whose changes looks do not show. */
    private static final Set<MetadataColumn> UNSHOWN = EnumSet.of(
            MetadataColumn.LEASE_UNTIL,
            MetadataColumn.WATERMARK,
            MetadataColumn.MOVE_OUT_SEQUENCE,
            MetadataColumn.MOVE_OUT_DESTINATIONS);

    private final PartitionToken token;
    private final Timestamp endTimestamp;
    private final long heartbeatMillis;
    private final boolean isNew;
    private final boolean hasFinishedAt;
    private final Map<MetadataColumn, Value> changes = new EnumMap<>(MetadataColumn.class);
    private List<PartitionGap> gaps;
    private PartitionState state;
    private Instant watermark;
    private long epoch;
    private @Nullable WorkerId owner;
    private @Nullable Instant leaseUntil;
    private @Nullable MoveIn moveIn;
    private @Nullable MoveOuts moveOuts;

    private PartitionRow(Struct row) {
        isNew = false;
        hasFinishedAt = !row.isNull(MetadataColumn.FINISHED_AT.columnName);
        token = new PartitionToken(row.getString(MetadataColumn.PARTITION_TOKEN.columnName));
        endTimestamp = row.getTimestamp(MetadataColumn.END_TIMESTAMP.columnName);
        heartbeatMillis = row.getLong(MetadataColumn.HEARTBEAT_MILLIS.columnName);
        state = PartitionRows.state(row);
        watermark = PartitionRows.instant(row, MetadataColumn.WATERMARK);
        epoch = PartitionRows.epoch(row);
        owner = PartitionRows.owner(row).orElse(null);
        leaseUntil = PartitionRows.findInstant(row, MetadataColumn.LEASE_UNTIL).orElse(null);
        gaps = PartitionRows.gaps(row);
        moveIn = PartitionRows.moveIn(row).orElse(null);
        moveOuts = PartitionRows.moveOuts(row).orElse(null);
    }

    private PartitionRow(
            PartitionToken token,
            List<PartitionToken> parentTokens,
            Instant startTimestamp,
            Timestamp endTimestamp,
            long heartbeatMillis) {
        isNew = true;
        hasFinishedAt = false;
        this.token = token;
        this.endTimestamp = endTimestamp;
        this.heartbeatMillis = heartbeatMillis;
        state = PartitionState.CREATED;
        watermark = startTimestamp;
        gaps = List.of();
        set(MetadataColumn.PARENT_TOKENS, PartitionRows.values(parentTokens));
        set(MetadataColumn.START_TIMESTAMP, PartitionRows.value(startTimestamp));
        set(MetadataColumn.END_TIMESTAMP, Value.timestamp(endTimestamp));
        set(MetadataColumn.HEARTBEAT_MILLIS, Value.int64(heartbeatMillis));
        set(MetadataColumn.STATE, Value.string(state.name()));
        set(MetadataColumn.WATERMARK, PartitionRows.value(watermark));
        set(MetadataColumn.EPOCH, Value.int64(0));
        set(MetadataColumn.CREATED_AT, Value.timestamp(Value.COMMIT_TIMESTAMP));
    }

    /** Returns a row as read, with the columns {@link MetadataColumn#NAMES}. */
    static PartitionRow stored(Struct row) {
        return new PartitionRow(row);
    }

    /** Returns a new row of a root, the initial query of a subscription. */
    static PartitionRow root(Instant startTimestamp, Timestamp endTimestamp, Duration heartbeat) {
        return new PartitionRow(PartitionToken.ROOT, List.of(), startTimestamp, endTimestamp, heartbeat.toMillis());
    }

    /** Returns a new row of a child of this partition. */
    PartitionRow child(PartitionToken childToken, List<PartitionToken> parents, Instant childStart) {
        return new PartitionRow(childToken, parents, childStart, endTimestamp, heartbeatMillis);
    }

    PartitionToken token() {
        return token;
    }

    long epoch() {
        return epoch;
    }

    boolean isFinished() {
        return state == PartitionState.FINISHED;
    }

    boolean isRunning() {
        return state == PartitionState.RUNNING;
    }

    boolean isHeldUnder(PartitionLease lease) {
        return epoch == lease.epoch() && lease.owner().equals(owner);
    }

    boolean isFree(Instant now) {
        boolean leaseLive = owner != null && leaseUntil != null && leaseUntil.isAfter(now);
        return !isFinished() && !leaseLive;
    }

    PartitionLease acquire(WorkerId worker, Instant until) {
        epoch++;
        set(MetadataColumn.EPOCH, Value.int64(epoch));
        owner = worker;
        set(MetadataColumn.OWNER, Value.string(worker.value()));
        extendLease(until);
        if (state == PartitionState.CREATED) {
            become(PartitionState.SCHEDULED, MetadataColumn.SCHEDULED_AT);
        }
        return lease(worker);
    }

    /** Returns the lease on the partition, if it ends at one of these times. */
    Optional<PartitionLease> lease(Set<Instant> ends) {
        return owner != null && leaseUntil != null && ends.contains(leaseUntil)
                ? Optional.of(lease(owner))
                : Optional.empty();
    }

    private PartitionLease lease(WorkerId holder) {
        return new PartitionLease(token, holder, epoch, watermark, Optional.ofNullable(moveOuts));
    }

    void extendLease(Instant until) {
        leaseUntil = until;
        set(MetadataColumn.LEASE_UNTIL, PartitionRows.value(until));
    }

    void release() {
        owner = null;
        set(MetadataColumn.OWNER, Value.string(null));
        endLease();
    }

    private void endLease() {
        leaseUntil = null;
        set(MetadataColumn.LEASE_UNTIL, Value.timestamp(null));
    }

    void startToRun() {
        if (state == PartitionState.SCHEDULED) {
            become(PartitionState.RUNNING, MetadataColumn.RUNNING_AT);
        }
    }

    private void become(PartitionState next, MetadataColumn at) {
        if (!state.canBecome(next)) {
            throw new IllegalArgumentException("partition %s cannot go from %s to %s; nothing was changed"
                    .formatted(token.abbreviated(), state, next));
        }
        state = next;
        set(MetadataColumn.STATE, Value.string(next.name()));
        set(at, Value.timestamp(Value.COMMIT_TIMESTAMP));
    }

    /** Moves the watermark forward; move-outs of an earlier watermark are dropped or ignored. */
    void advance(Instant to, Optional<MoveOuts> settled) {
        if (to.isAfter(watermark)) {
            watermark = to;
            set(MetadataColumn.WATERMARK, PartitionRows.value(to));
            store(null);
        }
        if (to.equals(watermark)) {
            MoveOuts known = moveOuts;
            settled.ifPresent(more -> store(known == null ? more : known.and(more)));
        }
    }

    private void store(@Nullable MoveOuts settled) {
        if (Objects.equals(settled, moveOuts)) {
            return;
        }
        moveOuts = settled;
        set(MetadataColumn.MOVE_OUT_SEQUENCE, Value.string(settled == null ? null : settled.recordSequence()));
        set(
                MetadataColumn.MOVE_OUT_DESTINATIONS,
                settled == null ? Value.stringArray(null) : PartitionRows.values(settled.destinations()));
    }

    void waitFor(MoveIn moved) {
        if (moved.equals(moveIn)) {
            return;
        }
        moveIn = moved;
        set(MetadataColumn.MOVE_IN_TIMESTAMP, PartitionRows.value(moved.timestamp()));
        set(MetadataColumn.MOVE_IN_SOURCES, PartitionRows.values(moved.sources()));
    }

    void accept(PartitionGap gap) {
        if (gaps.contains(gap)) {
            return;
        }
        if (!gap.from().equals(watermark)) {
            throw new IllegalArgumentException(
                    "partition %s: a gap from %s cannot be accepted because the stored watermark is %s; nothing was changed"
                            .formatted(token.abbreviated(), gap.from(), watermark));
        }
        gaps = new ArrayList<>(gaps);
        gaps.add(gap);
        set(MetadataColumn.GAPS, PartitionRows.gapValues(gaps));
        advance(gap.to(), Optional.empty());
    }

    void finish(Instant lastWatermark, PartitionEnd proof) {
        become(PartitionState.FINISHED, MetadataColumn.FINISHED_AT);
        advance(lastWatermark, Optional.empty());
        prove(proof);
        endLease();
    }

    /** Adds a proof to a row that another reader finished. */
    void adoptEnd(PartitionEnd proof) {
        prove(proof);
        if (!hasFinishedAt) {
            set(MetadataColumn.FINISHED_AT, Value.timestamp(Value.COMMIT_TIMESTAMP));
        }
    }

    /** Resets a row of another reader, finished or not, so that reading continues from that time. */
    void continueFrom(Instant from) {
        if (isFinished()) {
            state = PartitionState.RUNNING;
            set(MetadataColumn.STATE, Value.string(state.name()));
            set(MetadataColumn.FINISHED_AT, Value.timestamp(null));
        }
        watermark = from;
        set(MetadataColumn.WATERMARK, PartitionRows.value(from));
    }

    private void prove(PartitionEnd proof) {
        set(MetadataColumn.END_PROOF, Value.string(proof.kind().name()));
        set(MetadataColumn.END_PROOF_AT, PartitionRows.value(proof.at()));
        set(MetadataColumn.END_PROOF_CHILDREN, PartitionRows.values(proof.children()));
    }

    private void set(MetadataColumn column, Value value) {
        changes.put(column, value);
    }

    /** Returns the mutation of this row; empty if it is unchanged. */
    Optional<Mutation> mutation(MetadataTables tables) {
        if (changes.isEmpty()) {
            return Optional.empty();
        }
        if (!UNSHOWN.containsAll(changes.keySet())) {
            set(MetadataColumn.CHANGED_AT, Value.timestamp(Value.COMMIT_TIMESTAMP));
        }
        Mutation.WriteBuilder write =
                isNew ? Mutation.newInsertBuilder(tables.partitions()) : Mutation.newUpdateBuilder(tables.partitions());
        write.set(MetadataColumn.PARTITION_TOKEN.columnName).to(token.value());
        return Optional.of(PartitionRows.mutation(write, changes));
    }
}

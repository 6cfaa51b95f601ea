package dev.spream.core.subscription;

import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The state of a partition in a {@link SimulationJudge} while one process holds it under one epoch. */
final class JudgedHold {
    final JudgedRun owner;
    final PartitionToken token;
    final long epoch;

    /** The start of reading. */
    final Instant start;

    /** On the machine's clock. */
    final long acquiredAt;

    /** The records read, in read order. */
    final Set<RecordIdentity> read = new LinkedHashSet<>();

    @Nullable
    RecordIdentity lastRead;

    /** True once its last query has ended with OK. */
    boolean readToEnd;

    final Set<RecordIdentity> settled = new LinkedHashSet<>();

    /** The records that were dead-lettered, one by one with others of their transactions. */
    final Set<RecordIdentity> letters = new LinkedHashSet<>();

    /** The records in the consumer. */
    final Set<RecordIdentity> inCalls = new LinkedHashSet<>();

    /** The number of calls of the consumer that have not returned. */
    int calls;

    /** The number of settlements reported to the listener. */
    final Map<RecordIdentity, Integer> told = new HashMap<>();

    /** Until when the process may act on it, on its own monotonic clock. */
    long leaseUntil;

    /** The time, on the machine's clock, until which no other process can acquire it. */
    long storedUntil;

    /** True once it was finished or released in the storage, or acquired by another process. */
    boolean left;

    /** The time of that, on the machine's clock. */
    long leftAt;

    /** True once its holder finished or released it in the storage. */
    boolean released;

    /** True once its holder has requested the release; records that were read and not settled are dropped by then. */
    boolean giving;

    /** True once the engine has recorded that it no longer holds the partition. */
    boolean given;

    /** The latest that was to be stored. */
    Instant watermark;

    /** The move-outs at the start that the storage had as settled; changes before them are not read again. */
    final Optional<MoveOuts> moveOuts;

    /** The holds that changes were consumed ahead of, and whether the storage has them as settled by now. */
    final Map<JudgedHold, BooleanSupplier> ahead = new HashMap<>();

    /**
     * A hold that begins.
     *
     * @param leaseUntil on the process's monotonic clock
     * @param storedUntil on the machine's clock, like the next
     */
    JudgedHold(JudgedRun owner, PartitionLease lease, long leaseUntil, long storedUntil, long acquiredAt) {
        this.owner = owner;
        this.token = lease.token();
        this.epoch = lease.epoch();
        this.start = lease.watermark();
        this.watermark = lease.watermark();
        this.moveOuts = lease.moveOuts();
        this.leaseUntil = leaseUntil;
        this.storedUntil = storedUntil;
        this.acquiredAt = acquiredAt;
    }

    void leave(long now) {
        left = true;
        leftAt = now;
    }

    /** Returns the time, on the machine's clock, from which another process could acquire the partition. */
    long freeFrom() {
        return left ? leftAt : storedUntil;
    }

    /** Returns whether another process may hold the partition at that time, by the machine's clock. */
    boolean isOver(long now) {
        return left || now >= storedUntil;
    }

    /**
     * Returns whether another process may consume changes of the same keys at that time: it may hold the partition, or one
     * that changes were consumed ahead of.
     */
    boolean isStale(long now) {
        return isStale(now, new HashSet<>());
    }

    private boolean isStale(long now, Set<JudgedHold> seen) {
        if (isOver(now)) {
            return true;
        }
        for (Map.Entry<JudgedHold, BooleanSupplier> source : ahead.entrySet()) {
            if (!source.getValue().getAsBoolean()
                    && seen.add(source.getKey())
                    && source.getKey().isStale(now, seen)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the storage had that change as settled when the hold began. */
    boolean wasSettled(DataChangeRecord row) {
        return row.commitTimestamp().isBefore(start)
                || (row.commitTimestamp().equals(start)
                        && moveOuts.filter(moved -> row.recordSequence().compareTo(moved.recordSequence()) < 0)
                                .isPresent());
    }

    boolean isUnder(PartitionLease lease) {
        return token.equals(lease.token()) && epoch == lease.epoch();
    }

    int unsettled() {
        int unsettled = 0;
        for (RecordIdentity identity : read) {
            if (!settled.contains(identity)) {
                unsettled++;
            }
        }
        return unsettled;
    }
}

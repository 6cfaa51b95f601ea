package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What a {@link SimulationJudge} knows of a partition while one process holds it under one epoch. */
final class JudgedHold {
    final PartitionToken token;
    final long epoch;

    /** Where it reads from. */
    final Instant start;

    /** On the machine's clock. */
    final long acquiredAt;

    /** What was read, in read order. */
    final Set<RecordIdentity> read = new LinkedHashSet<>();

    final Set<RecordIdentity> settled = new LinkedHashSet<>();

    /** What is on its way through the consumer. */
    final Set<RecordIdentity> inCalls = new LinkedHashSet<>();

    /** How many calls of the consumer have not returned. */
    int calls;

    /** How often the listener was told that a change is settled. */
    final Map<RecordIdentity, Integer> told = new HashMap<>();

    /** Until when the process may act on it, on its own monotonic clock. */
    long leaseUntil;

    /** Until when nobody else can acquire it, on the machine's clock. */
    long storedUntil;

    /** Whether it was finished or given back in the storage, or acquired by somebody else. */
    boolean left;

    /** When that was, on the machine's clock. */
    long leftAt;

    /** Whether its holder finished it or gave it back in the storage. */
    boolean released;

    /** Whether its holder has asked to give it back: what it had read of it and not settled is dropped by then. */
    boolean giving;

    /** Whether the engine knows that it does not hold the partition any more. */
    boolean given;

    /** The latest that was to be stored. */
    Instant watermark;

    /**
     * A hold that begins.
     *
     * @param leaseUntil on the process's monotonic clock
     * @param storedUntil on the machine's clock, like the next
     */
    JudgedHold(PartitionLease lease, long leaseUntil, long storedUntil, long acquiredAt) {
        this.token = lease.token();
        this.epoch = lease.epoch();
        this.start = lease.watermark();
        this.watermark = lease.watermark();
        this.leaseUntil = leaseUntil;
        this.storedUntil = storedUntil;
        this.acquiredAt = acquiredAt;
    }

    void leave(long now) {
        left = true;
        leftAt = now;
    }

    /** From when on somebody else could acquire the partition, on the machine's clock. */
    long freeFrom() {
        return left ? leftAt : storedUntil;
    }

    /** Whether somebody else may hold the partition at that time, by the machine's clock. */
    boolean isOver(long now) {
        return left || now >= storedUntil;
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

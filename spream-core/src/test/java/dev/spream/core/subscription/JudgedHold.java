package dev.spream.core.subscription;

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

    /** What was read, in read order. */
    final Set<RecordIdentity> read = new LinkedHashSet<>();

    final Set<RecordIdentity> settled = new LinkedHashSet<>();

    /** What is on its way through the consumer. */
    final Set<RecordIdentity> inCalls = new LinkedHashSet<>();

    /** How many calls of the consumer have not returned. */
    int calls;

    /** How often the listener was told that a change is settled. */
    final Map<RecordIdentity, Integer> told = new HashMap<>();

    /** On the process's monotonic clock. */
    long leaseUntil;

    /** Whether the engine knows that it does not hold the partition any more. */
    boolean given;

    /** The latest that was to be stored. */
    Instant watermark;

    JudgedHold(PartitionToken token, long epoch, Instant watermark, long leaseUntil) {
        this.token = token;
        this.epoch = epoch;
        this.watermark = watermark;
        this.leaseUntil = leaseUntil;
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

package dev.spream.benchmarks;

import dev.spream.benchmarks.delivery.LetterReplay;
import dev.spream.benchmarks.delivery.MirrorRate;
import dev.spream.benchmarks.locks.LockCost;
import dev.spream.benchmarks.outbox.OutboxRate;
import dev.spream.benchmarks.partitions.ClaimCost;
import dev.spream.benchmarks.partitions.HandOver;
import dev.spream.benchmarks.partitions.IdlePartitions;
import dev.spream.benchmarks.partitions.Rebalance;
import dev.spream.benchmarks.partitions.StorageCallRate;
import dev.spream.benchmarks.partitions.TakeOver;
import dev.spream.benchmarks.projection.ProjectionRate;
import dev.spream.benchmarks.reading.EmulatorReads;
import dev.spream.benchmarks.reading.EndToEnd;
import dev.spream.benchmarks.reading.KeyOrder;
import dev.spream.benchmarks.reading.TrackerCost;

/** The measurements, by the name under which {@link Main} runs them. */
enum Benchmark {
    /** What the in-flight tracker costs a record. */
    TRACKER("tracker", TrackerCost.class, 512),
    /** A subscriber beside the client's own result sets. */
    END_TO_END("end-to-end", EndToEnd.class, 1_024),
    /** Order by key beside no order. */
    KEY_ORDER("key-order", KeyOrder.class, 1_024),
    /** From a parent's end to its child's query. */
    HAND_OVER("hand-over", HandOver.class, 512),
    /** How often a worker calls its storage. */
    METADATA_CALLS("metadata-calls", StorageCallRate.class, 512),
    /** A claim beside thousands of stored partitions. */
    CLAIM("claim", ClaimCost.class, 512),
    /** From a worker's death to the reading of its partitions by another. */
    TAKE_OVER("take-over", TakeOver.class, 256),
    /** Half of the partitions to a worker that joins. */
    REBALANCE("rebalance", Rebalance.class, 256),
    /** A thousand partitions in a small heap. */
    IDLE("idle", IdlePartitions.class, 256),
    /** A mirror in PostgreSQL beside plain upserts. */
    MIRROR("mirror", MirrorRate.class, 512),
    /** Dead letters replayed beside a running subscription. */
    LETTERS("letters", LetterReplay.class, 512),
    /** Hierarchical locks beside bare SQL. */
    LOCKS("locks", LockCost.class, 512),
    /** The outbox beside libraries of jobs. */
    OUTBOX("outbox", OutboxRate.class, 1_024),
    /** Projections of an event store beside plain JDBC, and how fresh they are. */
    PROJECTION("projection", ProjectionRate.class, 1_024),
    /** The emulator beside Google's. */
    EMULATOR("emulator", EmulatorReads.class, 512),
    ;

    private final String label;
    private final Class<?> program;
    private final int heapMegabytes;

    Benchmark(String label, Class<?> program, int heapMegabytes) {
        this.label = label;
        this.program = program;
        this.heapMegabytes = heapMegabytes;
    }

    String label() {
        return label;
    }

    Class<?> program() {
        return program;
    }

    /** The heap of the JVM that it runs in. */
    int heapMegabytes() {
        return heapMegabytes;
    }
}

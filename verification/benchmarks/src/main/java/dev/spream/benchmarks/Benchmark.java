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
import java.util.Locale;

/** The measurements, by the name under which {@link BenchmarkMain} runs them. */
enum Benchmark {
    /** What the in-flight tracker costs a record. */
    TRACKER(TrackerCost.class, 512),
    /** A subscriber beside the client's own result sets. */
    END_TO_END(EndToEnd.class, 1_024),
    /** Order by key beside no order. */
    KEY_ORDER(KeyOrder.class, 1_024),
    /** From a parent's end to its child's query. */
    HAND_OVER(HandOver.class, 512),
    /** How often a worker calls its storage. */
    METADATA_CALLS(StorageCallRate.class, 512),
    /** A claim beside thousands of stored partitions. */
    CLAIM(ClaimCost.class, 512),
    /** From a worker's death to the reading of its partitions by another. */
    TAKE_OVER(TakeOver.class, 256),
    /** Half of the partitions to a worker that joins. */
    REBALANCE(Rebalance.class, 256),
    /** A thousand partitions in a small heap. */
    IDLE(IdlePartitions.class, 256),
    /** A mirror in PostgreSQL beside plain upserts. */
    MIRROR(MirrorRate.class, 512),
    /** Dead letters replayed beside a running subscription. */
    LETTERS(LetterReplay.class, 512),
    /** Hierarchical locks beside bare SQL. */
    LOCKS(LockCost.class, 512),
    /** The outbox beside libraries of jobs. */
    OUTBOX(OutboxRate.class, 1_024),
    /** Projections of an event store beside plain JDBC, and how fresh they are. */
    PROJECTION(ProjectionRate.class, 1_024),
    /** The emulator beside Google's. */
    EMULATOR(EmulatorReads.class, 512),
    ;

    private final Class<?> program;
    private final int heapMegabytes;

    Benchmark(Class<?> program, int heapMegabytes) {
        this.program = program;
        this.heapMegabytes = heapMegabytes;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Class<?> program() {
        return program;
    }

    /** The heap of the JVM that it runs in. */
    int heapMegabytes() {
        return heapMegabytes;
    }
}

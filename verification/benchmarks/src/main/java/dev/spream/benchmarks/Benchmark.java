package dev.spream.benchmarks;

import dev.spream.benchmarks.delivery.FilesRate;
import dev.spream.benchmarks.delivery.KafkaRate;
import dev.spream.benchmarks.delivery.LetterReplay;
import dev.spream.benchmarks.delivery.MirrorRate;
import dev.spream.benchmarks.formats.FormatCost;
import dev.spream.benchmarks.locks.LockCost;
import dev.spream.benchmarks.outbox.OutboxRate;
import dev.spream.benchmarks.partitions.ClaimCost;
import dev.spream.benchmarks.partitions.CoordinationCost;
import dev.spream.benchmarks.partitions.HandOver;
import dev.spream.benchmarks.partitions.IdlePartitions;
import dev.spream.benchmarks.partitions.LongRun;
import dev.spream.benchmarks.partitions.Rebalance;
import dev.spream.benchmarks.partitions.SplitLatency;
import dev.spream.benchmarks.partitions.StorageCallRate;
import dev.spream.benchmarks.partitions.TakeOver;
import dev.spream.benchmarks.projection.ProjectionRate;
import dev.spream.benchmarks.projection.WaitLatency;
import dev.spream.benchmarks.readers.Readers;
import dev.spream.benchmarks.reading.EmulatorReads;
import dev.spream.benchmarks.reading.EndToEnd;
import dev.spream.benchmarks.reading.FlinkRate;
import dev.spream.benchmarks.reading.KeyOrder;
import dev.spream.benchmarks.reading.SnapshotRate;
import dev.spream.benchmarks.reading.TrackerCost;
import dev.spream.benchmarks.reading.TransactionCost;
import java.util.Locale;

/** The benchmarks, by the name under which {@link BenchmarkMain} runs them. */
enum Benchmark {
    /** The cost of the in-flight tracker per record. */
    TRACKER(TrackerCost.class, 512),
    /** The cost of each format of changed rows. */
    FORMATS(FormatCost.class, 512),
    /** A subscriber compared with the client's own result sets. */
    END_TO_END(EndToEnd.class, 1_024),
    /** The Flink source compared with a subscriber. */
    FLINK(FlinkRate.class, 1_024),
    /** A subscriber compared with Beam's reader and Debezium's. */
    READERS(Readers.class, 512),
    /** The rows of a snapshot compared with a bare read. */
    SNAPSHOT(SnapshotRate.class, 1_024),
    /** Order by key compared with no order. */
    KEY_ORDER(KeyOrder.class, 1_024),
    /** Whole transactions compared with single changes. */
    TRANSACTIONS(TransactionCost.class, 1_024),
    /** The time from a parent's end to its child's query. */
    HAND_OVER(HandOver.class, 512),
    /** The time from a commit to its consumer around splits and merges, with children read ahead and without. */
    SPLIT_LATENCY(SplitLatency.class, 512),
    /** The rate of storage calls of a worker. */
    METADATA_CALLS(StorageCallRate.class, 512),
    /** The cost of a claim with thousands of stored partitions. */
    CLAIM(ClaimCost.class, 512),
    /** The cost of the looks of many workers. */
    COORDINATION(CoordinationCost.class, 512),
    /** The time from a worker's death until another one reads its partitions. */
    TAKE_OVER(TakeOver.class, 256),
    /** The hand-over of half of the partitions to a worker that joins. */
    REBALANCE(Rebalance.class, 256),
    /** A thousand partitions in a small heap. */
    IDLE(IdlePartitions.class, 256),
    /** Heap, threads, files and rows of a subscriber while partitions come and go for an hour. */
    LONG_RUN(LongRun.class, 128),
    /** A mirror in PostgreSQL compared with plain upserts. */
    MIRROR(MirrorRate.class, 512),
    /** A subscription to Kafka compared with its bare producer. */
    KAFKA(KafkaRate.class, 1_024),
    /** Files in a folder and a bucket compared with bare ones. */
    FILES(FilesRate.class, 768),
    /** A replay of dead letters during a running subscription. */
    LETTERS(LetterReplay.class, 512),
    /** Hierarchical locks compared with plain SQL. */
    LOCKS(LockCost.class, 512),
    /** The outbox compared with job libraries. */
    OUTBOX(OutboxRate.class, 1_024),
    /** Projections of an event store compared with plain JDBC, and their latency. */
    PROJECTION(ProjectionRate.class, 1_024),
    /** The wait for an event in a read model. */
    WAITS(WaitLatency.class, 1_024),
    /** The emulator compared with Google's. */
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

    /** Returns the heap size of its JVM. */
    int heapMegabytes() {
        return heapMegabytes;
    }
}

package dev.spream.benchmarks.partitions;

import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.core.DurationText;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A thousand live partitions without changes, in this process's heap of 256 MiB; the emulator is in another process.
 * Goal: as many heartbeats as expected in a minute at the default interval, and no OutOfMemoryError.
 */
public final class IdlePartitions {
    private static final int PARTITIONS = Integer.getInteger("partitions", 1_000);
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    /** The heartbeats of a minute at the default interval of ten seconds, and then as many again. */
    private static final int HEARTBEATS = 12 * PARTITIONS;

    private IdlePartitions() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (ChildJvm emulator =
                        ChildJvm.start(EmulatorProcess.class, List.of("-Xmx2g"), Integer.toString(PARTITIONS));
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                        .emulatorHost(emulator.nextLine())
                        .maxOpenQueries(PARTITIONS + 1)
                        .open()) {
            printUse("client open, nothing read");
            read(connection);
        }
    }

    private static void read(SpannerConnection connection) throws Exception {
        Life life = new Life();
        SubscriberOptions options = SubscriberOptions.builder()
                .heartbeatInterval(HEARTBEAT)
                .maxOpenPartitions(PARTITIONS + 1)
                .build();
        try (var running = Executors.newSingleThreadExecutor();
                SpannerChangeStreamSource source =
                        connection.source(EmulatorProcess.STREAM).build();
                Subscriber subscriber = Subscriber.builder(
                                new ObservedSource(source, life), new InMemoryPartitionStorage())
                        .options(options)
                        .build()) {
            long startedAt = System.nanoTime();
            var run = running.submit(() -> subscriber.run(change -> {}));
            life.await(life.allAlive, "every partition has returned a record");
            System.out.printf("%,d partitions alive after %.1f s%n", PARTITIONS, (System.nanoTime() - startedAt) / 1e9);
            life.await(life.enoughHeartbeats, "%,d heartbeats were returned".formatted(HEARTBEATS));
            printUse("%,d partitions, %,d heartbeats, %.1f s"
                    .formatted(PARTITIONS, life.heartbeats.sum(), (System.nanoTime() - startedAt) / 1e9));
            subscriber.shutdown(TIMEOUT);
            run.get();
        }
    }

    /** Prints the heap use; explicit collections determine the memory that is really in use. */
    @SuppressWarnings("ExplicitGc")
    private static void printUse(String when) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = memory.getHeapMemoryUsage().getUsed();
        System.gc();
        System.gc();
        System.out.printf(
                "%s: heap %.1f MiB after a collection (%.1f before, %d at most), %d platform threads (at most %d)%n",
                when,
                mebibytes(memory.getHeapMemoryUsage().getUsed()),
                mebibytes(before),
                memory.getHeapMemoryUsage().getMax() >> 20,
                threads.getThreadCount(),
                threads.getPeakThreadCount());
    }

    private static double mebibytes(long bytes) {
        return bytes / (double) (1 << 20);
    }

    /** The observed activity of the partitions. Safe for use by many threads. */
    private static final class Life implements ObservedSource.Observer {
        private final Set<PartitionToken> alive = ConcurrentHashMap.newKeySet();
        private final LongAdder heartbeats = new LongAdder();
        private final CountDownLatch allAlive = new CountDownLatch(PARTITIONS);
        private final CountDownLatch enoughHeartbeats = new CountDownLatch(HEARTBEATS);

        @Override
        public void returned(PartitionToken partition, ChangeRecord record) {
            if (record instanceof HeartbeatRecord) {
                if (alive.add(partition)) {
                    allAlive.countDown();
                }
                heartbeats.increment();
                enoughHeartbeats.countDown();
            }
        }

        void await(CountDownLatch latch, String what) throws InterruptedException {
            if (!latch.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "condition not reached within %s, %s: %d partitions alive, %d heartbeats"
                                .formatted(DurationText.of(TIMEOUT), what, alive.size(), heartbeats.sum()));
            }
        }
    }
}

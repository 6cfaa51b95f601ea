package dev.spream.cli;

import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.servers.RecordingSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A subscriber that runs on a thread of its own until it is closed, over a storage in memory, and what its source returned. */
public final class RecordedRun implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration OFTEN = Duration.ofMillis(200);

    private final RecordingSource source;
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private final Subscriber subscriber;
    private final CompletableFuture<Void> running;

    /** Starts it. With the options come short intervals of heartbeats and watermarks. */
    public RecordedRun(ChangeStreamSource source, SubscriberOptions.Builder options, Consumer consumer) {
        this.source = new RecordingSource(source);
        this.subscriber = Subscriber.builder(this.source, storage)
                .options(options.heartbeatInterval(OFTEN)
                        .watermarkInterval(OFTEN)
                        .partitionDiscoveryInterval(OFTEN)
                        .build())
                .build();
        this.running = CompletableFuture.runAsync(() -> subscriber.run(consumer), Thread::startVirtualThread);
    }

    /** Waits until every change up to that time is settled. */
    public void awaitSettled(Instant time) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (storage.frontier().lowWatermark().filter(time::isBefore).isEmpty()) {
            if (running.isDone()) {
                running.join();
                throw new AssertionError("the subscriber has ended before " + time);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "not settled up to " + time + ": " + storage.frontier().partitions());
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Returns those of the commits that the server did not return. */
    public Set<Instant> leftOut(Collection<Instant> commits) {
        Set<Instant> leftOut = new HashSet<>(commits);
        returned().forEach(change -> leftOut.remove(change.commitTimestamp()));
        return leftOut;
    }

    /** Returns the changes that the server returned, those of a snapshot among them. */
    public Set<DataChangeRecord> returned() {
        return source.returned();
    }

    /** Returns the number of stored partitions. */
    public int partitions() {
        return storage.lineage().partitions().size();
    }

    @Override
    public void close() throws Exception {
        try (source;
                subscriber) {
            subscriber.shutdown(TIMEOUT);
            running.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
    }
}

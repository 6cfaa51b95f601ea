package dev.spream.projection.changestream;

import static dev.spream.projection.changestream.EventChanges.EVENTS;
import static dev.spream.projection.changestream.EventChanges.inserted;
import static dev.spream.projection.changestream.EventChanges.rowWith;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.Mod;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import dev.spream.testkit.event.QueueSourceFixture;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two sources over a change stream of one partition, and over the same storages. Each row is a transaction of its own,
 * followed by a heartbeat. The acknowledgement of the last event waits until the watermark has reached the heartbeat,
 * because a change that was committed exactly at the watermark is delivered again after a restart, although it was
 * acknowledged.
 */
final class ChangeStreamEventSourceFixture implements QueueSourceFixture {
    private static final String PARTITION = "p";
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final ScriptedSource stream = new ScriptedSource().roots(PARTITION);
    private final Map<String, InMemoryPartitionStorage> storages = new ConcurrentHashMap<>();
    private final EventSource source = open();
    private final EventSource another = open();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> acknowledged = new HashMap<>(); // by projection, guarded by lock
    private int written; // guarded by lock

    private EventSource open() {
        EventSource events = new ChangeStreamEventSource(
                stream,
                this::storage,
                EVENTS,
                ChangeStreamEventSource.options()
                        .startAt(ScriptedSource.START)
                        .watermarkInterval(Duration.ofMillis(5))
                        .partitionDiscoveryInterval(Duration.ofMillis(50))
                        .build());
        return new ReportingEventSource(events, this::acknowledged);
    }

    private InMemoryPartitionStorage storage(String projection) {
        return storages.computeIfAbsent(projection, name -> new InMemoryPartitionStorage());
    }

    @Override
    public EventSource source() {
        return source;
    }

    @Override
    public EventSource anotherSource() {
        return another;
    }

    @Override
    public String projection(int number) {
        return "projection-" + number;
    }

    @Override
    public void write(List<EventEnvelope> events) {
        events.stream().map(EventChanges::row).forEach(this::insert);
    }

    @Override
    public void writeUndecodable() {
        insert(rowWith("event_type", null));
    }

    private void insert(Mod row) {
        lock.lock();
        try {
            written++;
            stream.add(PARTITION, inserted(2L * written, row));
            stream.heartbeat(PARTITION, 2L * written + 1);
        } finally {
            lock.unlock();
        }
    }

    private void acknowledged(String projection, int items) {
        Instant passed;
        lock.lock();
        try {
            if (acknowledged.merge(projection, items, Integer::sum) < written) {
                return;
            }
            passed = ScriptedSource.at(2L * written + 1);
        } finally {
            lock.unlock();
        }
        awaitWatermark(projection, passed);
    }

    private void awaitWatermark(String projection, Instant watermark) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (watermark(projection).isBefore(watermark)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain for the watermark %s of %s, which is at %s"
                        .formatted(watermark, projection, watermark(projection)));
            }
            LockSupport.parkNanos(1_000_000); // the storage does not report changes
        }
    }

    private Instant watermark(String projection) {
        return storage(projection)
                .lineage()
                .partition(new PartitionToken(PARTITION))
                .map(PartitionMetadata::watermark)
                .orElse(Instant.MIN);
    }

    @Override
    public void close() {
        source.close();
        another.close();
    }
}

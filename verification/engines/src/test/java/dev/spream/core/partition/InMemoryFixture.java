package dev.spream.core.partition;

import dev.spream.testkit.partition.PartitionStorageFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** A storage in memory over a clock that the test moves, whole or behind something that spoils it. */
final class InMemoryFixture implements PartitionStorageFixture {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-02T00:00:00Z"));
    private final PartitionStorage storage;
    private final PartitionStorage other;

    InMemoryFixture() {
        this(UnaryOperator.identity());
    }

    InMemoryFixture(UnaryOperator<PartitionStorage> spoiler) {
        InstantSource clock = now::get;
        storage = spoiler.apply(new InMemoryPartitionStorage(clock));
        other = spoiler.apply(new InMemoryPartitionStorage(clock));
    }

    @Override
    public PartitionStorage storage() {
        return storage;
    }

    @Override
    public PartitionStorage anotherConnection() {
        return storage;
    }

    @Override
    public PartitionStorage anotherSubscription() {
        return other;
    }

    @Override
    public void passTime(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    @Override
    public void close() {
        storage.close();
        other.close();
    }
}

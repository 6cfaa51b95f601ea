package com.example.timed;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;
import java.time.Duration;
import java.time.Instant;

/** The storage keeps what every storage has to keep. */
final class TimedStorageTest extends PartitionStorageContract {
    @Override
    protected PartitionStorageFixture createFixture() {
        return new Fixture();
    }

    private static final class Fixture implements PartitionStorageFixture {
        private Instant now = Instant.now();
        private final PartitionStorage storage = create();

        private PartitionStorage create() {
            return TimedStorageProvider.timed(new InMemoryPartitionStorage(() -> now), Duration.ofMinutes(1), "test");
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
            return create();
        }

        @Override
        public void passTime(Duration time) {
            now = now.plus(time);
        }

        @Override
        public void close() {}
    }
}

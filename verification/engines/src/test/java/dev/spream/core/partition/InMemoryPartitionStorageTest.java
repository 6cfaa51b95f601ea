package dev.spream.core.partition;

import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;

final class InMemoryPartitionStorageTest extends PartitionStorageContract {
    @Override
    protected PartitionStorageFixture createFixture() {
        return new InMemoryFixture();
    }
}

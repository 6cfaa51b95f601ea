package dev.spream.core.partition;

final class InMemoryPartitionStorageTest extends PartitionStorageContract {
    @Override
    protected PartitionStorageFixture createFixture() {
        return new InMemoryFixture();
    }
}

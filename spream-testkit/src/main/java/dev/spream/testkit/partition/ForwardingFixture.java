package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionStorage;
import java.time.Duration;

/** A fixture that forwards to another one; subclasses change or add behaviour. */
public abstract class ForwardingFixture implements PartitionStorageFixture {
    private final PartitionStorageFixture target;

    protected ForwardingFixture(PartitionStorageFixture target) {
        this.target = target;
    }

    @Override
    public PartitionStorage storage() {
        return target.storage();
    }

    @Override
    public PartitionStorage anotherConnection() {
        return target.anotherConnection();
    }

    @Override
    public PartitionStorage anotherSubscription() {
        return target.anotherSubscription();
    }

    @Override
    public void passTime(Duration time) {
        target.passTime(time);
    }

    @Override
    public void close() {
        target.close();
    }
}

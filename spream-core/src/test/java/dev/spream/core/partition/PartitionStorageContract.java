package dev.spream.core.partition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The contract of {@link PartitionStorage} as tests. Extend it in the tests of a storage; every test gets a fixture of
 * its own. A storage keeps all of it: no test can be declined.
 *
 * <p>The tests are in the interfaces that this class implements, by subject.
 */
public abstract class PartitionStorageContract
        implements OpenContract,
                AcquireContract,
                LeaseContract,
                FencingContract,
                ChildrenContract,
                WatermarkContract,
                GapContract,
                FinishContract,
                WorkerContract,
                CleanUpContract,
                FrontierContract,
                SeparationContract,
                CapacityContract {
    private PartitionStorageFixture fixture;
    private StorageScenario scenario;

    /** A fixture over a storage in which nothing was ever stored. */
    protected abstract PartitionStorageFixture createFixture() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        fixture = createFixture();
        scenario = new StorageScenario(fixture);
    }

    @AfterEach
    final void close() {
        fixture.close();
    }

    @Override
    public final StorageScenario given() {
        return scenario;
    }
}

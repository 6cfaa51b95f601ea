package dev.spream.testkit.partition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A contract of storages; each test gets a fixture of its own. */
abstract class StorageContract<F extends PartitionStorageFixture> {
    private F fixture;
    private StorageScenario scenario;

    /** Returns a fixture over an empty storage. */
    protected abstract F createFixture() throws Exception;

    @BeforeEach
    public final void openStorage() throws Exception {
        fixture = createFixture();
        scenario = new StorageScenario(fixture);
    }

    @AfterEach
    public final void closeStorage() {
        fixture.close();
    }

    final F fixture() {
        return fixture;
    }

    public final StorageScenario given() {
        return scenario;
    }
}

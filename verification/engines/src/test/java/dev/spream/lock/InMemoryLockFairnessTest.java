package dev.spream.lock;

import dev.spream.testkit.lock.FairLockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import dev.spream.testkit.memory.InMemoryLockFixture;
import dev.spream.testkit.memory.InMemoryLockStore;

/** The store in memory is fair. */
final class InMemoryLockFairnessTest extends FairLockStoreContract<InMemoryLockStore.Transaction> {
    @Override
    protected LockStoreFixture<InMemoryLockStore.Transaction> createFixture() {
        return new InMemoryLockFixture();
    }
}

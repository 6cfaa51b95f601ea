package dev.spream.testkit.memory;

import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;

/** The contract over the store in memory. */
final class InMemoryLockStoreTest extends LockStoreContract<InMemoryLockStore.Transaction> {
    @Override
    protected LockStoreFixture<InMemoryLockStore.Transaction> createFixture() {
        return new InMemoryLockFixture();
    }
}

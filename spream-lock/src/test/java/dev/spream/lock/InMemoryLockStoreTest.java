package dev.spream.lock;

/** The contract over the store in memory. */
final class InMemoryLockStoreTest extends LockStoreContract<InMemoryLockStore.Transaction> {
    @Override
    protected LockStoreFixture<InMemoryLockStore.Transaction> createFixture() {
        return new InMemoryLockFixture();
    }
}

package dev.spream.lock;

/** The store in memory is fair. */
final class InMemoryLockFairnessTest extends FairLockStoreContract<InMemoryLockStore.Transaction> {
    @Override
    protected LockStoreFixture<InMemoryLockStore.Transaction> createFixture() {
        return new InMemoryLockFixture();
    }
}

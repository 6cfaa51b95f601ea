package dev.spream.outbox;

/** The contract over the store in memory. */
final class InMemoryOutboxStoreTest extends OutboxStoreContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

package dev.spream.outbox;

/** The contract over the outbox in memory. */
final class InMemoryOutboxOperationsTest extends OutboxOperationsContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxOperationsFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

package dev.spream.outbox;

/** The contract over the outbox in memory. */
final class InMemoryLedgerTest extends IdempotencyLedgerContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

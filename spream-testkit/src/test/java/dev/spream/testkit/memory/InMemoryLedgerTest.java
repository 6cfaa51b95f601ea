package dev.spream.testkit.memory;

import dev.spream.testkit.outbox.IdempotencyLedgerContract;
import dev.spream.testkit.outbox.OutboxFixture;

/** The contract over the outbox in memory. */
final class InMemoryLedgerTest extends IdempotencyLedgerContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

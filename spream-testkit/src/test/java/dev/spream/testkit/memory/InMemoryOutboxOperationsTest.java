package dev.spream.testkit.memory;

import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;

/** The contract over the outbox in memory. */
final class InMemoryOutboxOperationsTest extends OutboxOperationsContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxOperationsFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

package dev.spream.testkit.memory;

import dev.spream.testkit.outbox.OutboxContract;
import dev.spream.testkit.outbox.OutboxFixture;

/** The contract over the outbox in memory. */
final class InMemoryOutboxTest extends OutboxContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

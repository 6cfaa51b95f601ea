package dev.spream.testkit.memory;

import dev.spream.testkit.outbox.OutboxFixture;
import dev.spream.testkit.outbox.OutboxStoreContract;

/** The contract over the store in memory. */
final class InMemoryOutboxStoreTest extends OutboxStoreContract<InMemoryOutbox.Transaction> {
    @Override
    protected OutboxFixture<InMemoryOutbox.Transaction> createFixture() {
        return new InMemoryOutboxFixture();
    }
}

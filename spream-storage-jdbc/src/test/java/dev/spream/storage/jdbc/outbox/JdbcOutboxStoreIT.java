package dev.spream.storage.jdbc.outbox;

import dev.spream.testkit.outbox.OutboxFixture;
import dev.spream.testkit.outbox.OutboxStoreContract;
import java.sql.Connection;

/** The contract of stores over PostgreSQL. */
final class JdbcOutboxStoreIT extends OutboxStoreContract<Connection> {
    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

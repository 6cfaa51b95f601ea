package dev.spream.storage.jdbc.outbox;

import dev.spream.testkit.outbox.OutboxContract;
import dev.spream.testkit.outbox.OutboxFixture;
import java.sql.Connection;

/** The contract of outboxes over PostgreSQL. */
final class JdbcOutboxIT extends OutboxContract<Connection> {
    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

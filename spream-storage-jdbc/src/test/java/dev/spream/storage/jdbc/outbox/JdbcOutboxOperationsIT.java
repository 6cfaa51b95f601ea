package dev.spream.storage.jdbc.outbox;

import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.sql.Connection;

/** The contract of operations over PostgreSQL. */
final class JdbcOutboxOperationsIT extends OutboxOperationsContract<Connection> {
    @Override
    protected OutboxOperationsFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

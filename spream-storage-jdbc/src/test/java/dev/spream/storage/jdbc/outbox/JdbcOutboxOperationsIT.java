package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxOperationsContract;
import dev.spream.outbox.OutboxOperationsFixture;
import java.sql.Connection;

/** The contract of operations over PostgreSQL. */
final class JdbcOutboxOperationsIT extends OutboxOperationsContract<Connection> {
    @Override
    protected OutboxOperationsFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

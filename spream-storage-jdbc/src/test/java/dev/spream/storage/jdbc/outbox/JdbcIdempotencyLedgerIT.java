package dev.spream.storage.jdbc.outbox;

import dev.spream.testkit.outbox.IdempotencyLedgerContract;
import dev.spream.testkit.outbox.OutboxFixture;
import java.sql.Connection;

/** The contract of ledgers over PostgreSQL. */
final class JdbcIdempotencyLedgerIT extends IdempotencyLedgerContract<Connection> {
    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

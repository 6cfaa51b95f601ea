package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.IdempotencyLedgerContract;
import dev.spream.outbox.OutboxFixture;
import java.sql.Connection;

/** The contract of ledgers over PostgreSQL. */
final class JdbcIdempotencyLedgerIT extends IdempotencyLedgerContract<Connection> {
    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture();
    }
}

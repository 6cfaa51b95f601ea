package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.outbox.IdempotencyLedgerContract;
import dev.spream.testkit.outbox.OutboxFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The contract of ledgers over MariaDB, by its own driver. */
@Tag("proof")
final class MariaDbIdempotencyLedgerIT extends IdempotencyLedgerContract<Connection> {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mariadbUrl);

    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture(PLACE);
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.outbox.OutboxContract;
import dev.spream.testkit.outbox.OutboxFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of outboxes over MariaDB, by its own driver. */
final class MariaDbOutboxIT extends OutboxContract<Connection> {
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

package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The contract of operations over MariaDB, by its own driver. */
@Tag("proof")
final class MariaDbOutboxOperationsIT extends OutboxOperationsContract<Connection> {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mariadbUrl);

    @Override
    protected OutboxOperationsFixture<Connection> createFixture() {
        return new JdbcOutboxFixture(PLACE);
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

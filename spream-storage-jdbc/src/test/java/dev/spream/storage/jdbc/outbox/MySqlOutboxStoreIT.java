package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import dev.spream.testkit.outbox.OutboxFixture;
import dev.spream.testkit.outbox.OutboxStoreContract;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of stores over MySQL. */
@OnGivenMySql
final class MySqlOutboxStoreIT extends OutboxStoreContract<Connection> {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.given().orElseThrow(), MySqlDatabase::mysqlUrl);

    @Override
    protected OutboxFixture<Connection> createFixture() {
        return new JdbcOutboxFixture(PLACE);
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import dev.spream.testkit.outbox.OutboxOperationsContract;
import dev.spream.testkit.outbox.OutboxOperationsFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of operations over MySQL. */
@OnGivenMySql
final class MySqlOutboxOperationsIT extends OutboxOperationsContract<Connection> {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.given().orElseThrow(), MySqlDatabase::mysqlUrl);

    @Override
    protected OutboxOperationsFixture<Connection> createFixture() {
        return new JdbcOutboxFixture(PLACE);
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

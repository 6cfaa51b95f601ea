package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import org.junit.jupiter.api.AfterAll;

/** Outboxes in MySQL. */
@OnGivenMySql
final class MySqlOutboxesIT extends MySqlOutboxes {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.given().orElseThrow(), MySqlDatabase::mysqlUrl);

    MySqlOutboxesIT() {
        super(PLACE);
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

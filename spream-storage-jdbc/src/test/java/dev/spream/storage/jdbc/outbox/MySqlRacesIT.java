package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import org.junit.jupiter.api.AfterAll;

/** Concurrent workers and writers over MySQL. */
@OnGivenMySql
final class MySqlRacesIT extends OutboxRaces {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.given().orElseThrow(), MySqlDatabase::mysqlUrl);

    @Override
    OutboxPlace place() {
        return PLACE;
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

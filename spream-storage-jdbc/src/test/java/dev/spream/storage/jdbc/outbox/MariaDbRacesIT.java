package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Concurrent workers and writers over MariaDB, by MySQL's driver. */
@Tag("proof")
final class MariaDbRacesIT extends OutboxRaces {
    private static final MySqlOutboxPlace PLACE = new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mysqlUrl);

    @Override
    OutboxPlace place() {
        return PLACE;
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}

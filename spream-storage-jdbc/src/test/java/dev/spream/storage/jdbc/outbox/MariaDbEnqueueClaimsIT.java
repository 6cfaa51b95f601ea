package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Claims of entries as they are enqueued, over MariaDB. */
@Tag("proof")
final class MariaDbEnqueueClaimsIT extends EnqueueClaims {
    private static final MySqlOutboxPlace PLACE =
            new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mariadbUrl);
    private static final MySqlOutboxPlace ANOTHER =
            new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mariadbUrl);

    @Override
    OutboxPlace place() {
        return PLACE;
    }

    @Override
    OutboxPlace another() {
        return ANOTHER;
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
        ANOTHER.drop();
    }
}

package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import org.junit.jupiter.api.AfterAll;

/** Tests of the lock views of MySQL, which show all locks. */
@OnGivenMySql
final class MySqlShownIT extends MySqlShownContract {
    private static final MySqlDatabase DATABASE =
            new MySqlDatabase(MySqlServer.given().orElseThrow());

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Override
    MySqlDatabase database() {
        return DATABASE;
    }

    @Override
    boolean isComplete() {
        return true;
    }
}

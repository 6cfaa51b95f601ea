package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import org.junit.jupiter.api.AfterAll;

/** Tests of the lock views of MariaDB: only contended locks are shown. */
final class MariaDbShownIT extends MySqlShownContract {
    private static final MySqlDatabase DATABASE = new MySqlDatabase(MySqlServer.embedded());

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
        return false;
    }
}

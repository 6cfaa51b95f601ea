package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of lock stores, over MariaDB. */
final class MariaDbRowLocksIT extends LockStoreContract<Connection> {
    private static final MySqlLockNamespaces NAMESPACES = new MySqlLockNamespaces(MySqlServer.embedded());

    @Override
    protected LockStoreFixture<Connection> createFixture() {
        return new MySqlLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

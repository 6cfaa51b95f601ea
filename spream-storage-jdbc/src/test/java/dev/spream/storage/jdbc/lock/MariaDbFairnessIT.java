package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.lock.FairLockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Tests that InnoDB serves waiters for row locks in order, over MariaDB. */
@Tag("proof")
final class MariaDbFairnessIT extends FairLockStoreContract<Connection> {
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

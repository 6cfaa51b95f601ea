package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import dev.spream.testkit.lock.FairLockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** Tests that InnoDB serves waiters for row locks in order, over MySQL. */
@OnGivenMySql
final class MySqlFairnessIT extends FairLockStoreContract<Connection> {
    private static final MySqlLockNamespaces NAMESPACES =
            new MySqlLockNamespaces(MySqlServer.given().orElseThrow());

    @Override
    protected LockStoreFixture<Connection> createFixture() {
        return new MySqlLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

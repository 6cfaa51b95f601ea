package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of lock stores, over MySQL. */
@OnGivenMySql
final class MySqlRowLocksIT extends LockStoreContract<Connection> {
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

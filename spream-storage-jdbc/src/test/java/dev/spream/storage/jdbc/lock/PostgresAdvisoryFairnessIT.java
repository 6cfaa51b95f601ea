package dev.spream.storage.jdbc.lock;

import dev.spream.testkit.lock.FairLockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** Tests that PostgreSQL serves waiters for advisory locks in order. */
final class PostgresAdvisoryFairnessIT extends FairLockStoreContract<Connection> {
    private static final PostgresLockNamespaces NAMESPACES = new PostgresLockNamespaces(LockStrategy.ADVISORY);

    @Override
    protected LockStoreFixture<Connection> createFixture() {
        return new PostgresLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

package dev.spream.storage.jdbc.lock;

import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of lock stores, over advisory locks of PostgreSQL. */
final class PostgresAdvisoryLocksIT extends LockStoreContract<Connection> {
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

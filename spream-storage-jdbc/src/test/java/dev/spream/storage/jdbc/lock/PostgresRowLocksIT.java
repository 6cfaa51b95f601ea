package dev.spream.storage.jdbc.lock;

import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The contract of lock stores, over rows of PostgreSQL. */
@Tag("proof")
final class PostgresRowLocksIT extends LockStoreContract<Connection> {
    private static final PostgresLockNamespaces NAMESPACES = new PostgresLockNamespaces(LockStrategy.ROWS);

    @Override
    protected LockStoreFixture<Connection> createFixture() {
        return new PostgresLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

package dev.spream.storage.jdbc.lock;

import dev.spream.testkit.lock.BucketRowsContract;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The additional contract of stores of rows, over PostgreSQL: a missing row is not treated as locked. */
final class PostgresBucketRowsIT extends BucketRowsContract<Connection> {
    private static final PostgresLockNamespaces NAMESPACES = new PostgresLockNamespaces(LockStrategy.ROWS);

    @Override
    protected BucketRowsFixture<Connection> createFixture() {
        return new PostgresLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

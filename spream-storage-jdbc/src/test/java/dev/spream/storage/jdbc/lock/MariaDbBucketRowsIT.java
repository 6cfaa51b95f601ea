package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.testkit.lock.BucketRowsContract;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The contract of stores of rows, over MariaDB. */
@Tag("proof")
final class MariaDbBucketRowsIT extends BucketRowsContract<Connection> {
    private static final MySqlLockNamespaces NAMESPACES = new MySqlLockNamespaces(MySqlServer.embedded());

    @Override
    protected BucketRowsFixture<Connection> createFixture() {
        return new MySqlLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

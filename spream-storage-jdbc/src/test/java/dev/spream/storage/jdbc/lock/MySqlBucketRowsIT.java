package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.OnGivenMySql;
import dev.spream.testkit.lock.BucketRowsContract;
import dev.spream.testkit.lock.BucketRowsFixture;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;

/** The contract of stores of rows, over MySQL. */
@OnGivenMySql
final class MySqlBucketRowsIT extends BucketRowsContract<Connection> {
    private static final MySqlLockNamespaces NAMESPACES =
            new MySqlLockNamespaces(MySqlServer.given().orElseThrow());

    @Override
    protected BucketRowsFixture<Connection> createFixture() {
        return new MySqlLockFixture(NAMESPACES);
    }

    @AfterAll
    static void close() {
        NAMESPACES.close();
    }
}

package dev.spream.storage.jdbc.lock;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.BucketSpace;
import dev.spream.storage.jdbc.DeadNetwork;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Namespaces of locks on a server of MySQL or MariaDB, one for each space, each a database. When no transaction is open they
 * are as good as new, so tests that come one after the other can have the same.
 */
final class MySqlLockNamespaces implements AutoCloseable {
    private static final int CONNECTIONS = 60;
    private static final int CHUNK = 10_000;

    private final MySqlDatabase database;
    private final HikariDataSource pool;
    private final MySqlLockWaits waits;
    private final Map<BucketSpace, String> names = new ConcurrentHashMap<>();

    MySqlLockNamespaces(MySqlServer server) {
        this(new MySqlDatabase(server));
    }

    private MySqlLockNamespaces(MySqlDatabase database) {
        this(database, database.mysqlUrl());
    }

    /** By the driver that the URL asks for. */
    MySqlLockNamespaces(MySqlDatabase database, String url) {
        this.database = database;
        this.pool = database.open(url, CONNECTIONS);
        this.waits = new MySqlLockWaits(pool);
    }

    /** Another pool, whose connections lead through that network. */
    HikariDataSource openBehind(MySqlDriver driver, DeadNetwork network) {
        String address = database.server().address();
        return database.open(driver.url(database).replace(address, network.address()), CONNECTIONS);
    }

    HikariDataSource pool() {
        return pool;
    }

    MySqlLockWaits waits() {
        return waits;
    }

    boolean mariadb() {
        return waits.mariadb();
    }

    /** Asks the driver, which may be waiting for something else. */
    String session(Connection connection) throws SQLException {
        return connection.isWrapperFor(JdbcConnection.class)
                ? Long.toString(connection.unwrap(JdbcConnection.class).getId())
                : Long.toString(
                        connection.unwrap(org.mariadb.jdbc.Connection.class).getThreadId());
    }

    void execute(String... statements) {
        database.execute(statements);
    }

    /** The namespace of that space, provisioned. */
    String schema(BucketSpace space) {
        return names.computeIfAbsent(space, this::provision);
    }

    private String provision(BucketSpace space) {
        String schema = "%s_%d".formatted(database.name(), names.size());
        AskedLayout asked = AskedLayout.ANY.with(LockStrategy.ROWS).with(space);
        try (JdbcBucketProvisioning provisioning =
                JdbcBucketProvisioning.of(pool, Optional.of(schema), true, asked, CHUNK)) {
            provisioning.provision((done, all) -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return schema;
    }

    @Override
    public void close() {
        pool.close();
        names.values().forEach(name -> database.execute("DROP DATABASE " + name));
        database.close();
    }
}

package dev.spream.storage.jdbc.lock;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.servers.DeadNetwork;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.SQLException;

/** Namespaces of locks on a server of MySQL or MariaDB, each a database. */
final class MySqlLockNamespaces extends LockNamespaces {
    private final MySqlDatabase database;
    private final MySqlLockWaits waits;

    MySqlLockNamespaces(MySqlServer server) {
        this(new MySqlDatabase(server));
    }

    private MySqlLockNamespaces(MySqlDatabase database) {
        this(database, database.mysqlUrl());
    }

    /** By the driver that the URL asks for. */
    MySqlLockNamespaces(MySqlDatabase database, String url) {
        super(database.open(url, CONNECTIONS), LockStrategy.ROWS, database.name());
        this.database = database;
        this.waits = new MySqlLockWaits(pool());
    }

    /** Another pool, whose connections lead through that network. */
    HikariDataSource openBehind(MySqlDriver driver, DeadNetwork network) {
        String address = database.server().address();
        return database.open(driver.url(database).replace(address, network.address()), CONNECTIONS);
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

    @Override
    public void close() {
        pool().close();
        schemas().forEach(name -> database.execute("DROP DATABASE " + name));
        database.close();
    }
}

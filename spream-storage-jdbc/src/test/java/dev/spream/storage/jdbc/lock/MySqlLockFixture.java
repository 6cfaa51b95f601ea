package dev.spream.storage.jdbc.lock;

import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** One test's use of namespaces of locks in MySQL or MariaDB. */
final class MySqlLockFixture extends JdbcLockFixture {
    private final MySqlLockNamespaces namespaces;
    private final ConcurrentLinkedQueue<Connection> own = new ConcurrentLinkedQueue<>();

    MySqlLockFixture(MySqlLockNamespaces namespaces) {
        super(namespaces);
        this.namespaces = namespaces;
    }

    /** Other than by default, as every transaction of a program has to be that takes locks. */
    @Override
    public Connection beginOwn() {
        try {
            Connection connection = super.beginOwn();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            own.add(connection);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Set<String> blockersOf(String session) {
        return namespaces.waits().blockersOf(session);
    }

    @Override
    public void kill(String session) {
        namespaces.waits().kill(session);
    }

    @Override
    void endTransactions() {
        own.forEach(this::endIfOpen);
        HikariPoolMXBean pool = namespaces.pool().getHikariPoolMXBean();
        if (pool.getActiveConnections() > 0) {
            throw new AssertionError("the test left %d connections open".formatted(pool.getActiveConnections()));
        }
    }

    private void endIfOpen(Connection connection) {
        try {
            if (!connection.isClosed()) {
                endOwn(connection);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

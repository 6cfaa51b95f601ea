package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.function.EngineFunctions;
import dev.spream.emulator.internal.sql.Values;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The embedded in-memory SQL engine of one database, and its connections. Clients' statements run as a user without
 * administrative rights, so that they cannot call the engine's functions that read files. Safe for use by many threads.
 */
final class Engine implements AutoCloseable {
    private static final String OPTIONS = ";DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
            + ";DB_CLOSE_ON_EXIT=FALSE;QUERY_CACHE_SIZE=64;LOCK_TIMEOUT=10000;TIME ZONE="
            + Values.DEFAULT_ZONE;

    private final String url;
    private final Connection administrator;
    private final Connection writer;
    private final Deque<Connection> readers = new ConcurrentLinkedDeque<>();

    Engine(DatabaseDialect dialect) {
        String nulls = dialect == DatabaseDialect.POSTGRESQL ? ";DEFAULT_NULL_ORDERING=HIGH" : "";
        this.url = "jdbc:h2:mem:" + UUID.randomUUID() + OPTIONS + nulls;
        try {
            this.administrator = DriverManager.getConnection(url, "ADMINISTRATOR", "");
            for (String definition : EngineFunctions.DEFINITIONS) {
                administer(definition);
            }
            administer("CREATE USER CLIENT PASSWORD ''");
            administer("GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA PUBLIC TO CLIENT");
            this.writer = open();
            writer.setAutoCommit(false);
        } catch (SQLException e) {
            throw new IllegalStateException("the embedded SQL engine does not start", e);
        }
    }

    /** Runs a statement with all rights; for DDL, by one thread at a time. */
    void administer(String sql) throws SQLException {
        try (Statement statement = administrator.createStatement()) {
            statement.execute(sql);
        }
    }

    Connection administrator() {
        return administrator;
    }

    /**
     * Returns the connection of the read-write transaction that holds the writer lock; it stays open and keeps its
     * query plans.
     */
    Connection writer() {
        return writer;
    }

    /** Returns a new connection, which the caller closes. */
    Connection open() throws SQLException {
        return DriverManager.getConnection(url, "CLIENT", "");
    }

    /** Runs a read of the latest committed rows on a pooled connection. */
    <T> T read(SqlWork<T> work) {
        try {
            Connection pooled = readers.pollFirst();
            Connection connection = pooled == null ? open() : pooled;
            try {
                return work.run(connection);
            } finally {
                readers.addFirst(connection);
            }
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    @Override
    public void close() {
        try {
            administer("SHUTDOWN IMMEDIATELY");
        } catch (SQLException e) {
            throw new IllegalStateException("the embedded SQL engine does not stop", e);
        }
    }

    @FunctionalInterface
    interface SqlWork<T> {
        T run(Connection connection) throws SQLException;
    }
}

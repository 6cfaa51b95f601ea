package dev.spream.emulator.internal.engine;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.function.EngineFunctions;
import dev.spream.emulator.internal.sql.Values;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.jspecify.annotations.Nullable;

/**
 * The embedded in-memory SQL engine of one database, and its connections. Clients' statements run as a user without
 * administrative rights, so that they cannot call the engine's functions that read files. Safe for use by many threads.
 */
public final class Engine implements AutoCloseable {
    /** The schema of the temporary tables that hide others. */
    public static final String TEMPORARY = "TEMPORARY";

    private static final String OPTIONS = ";DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
            + ";DB_CLOSE_ON_EXIT=FALSE;QUERY_CACHE_SIZE=64;LOCK_TIMEOUT=10000;TIME ZONE="
            + Values.DEFAULT_ZONE;

    private final String url;
    private final Duration maxWait;
    private final Connection administrator;
    private final Deque<Connection> writers = new ConcurrentLinkedDeque<>();
    private final Deque<Connection> readers = new ConcurrentLinkedDeque<>();

    /** @param maxWait how long a read-write transaction waits for a row that another one has written */
    public Engine(DatabaseDialect dialect, Duration maxWait) {
        this.maxWait = maxWait;
        String nulls = dialect == DatabaseDialect.POSTGRESQL ? ";DEFAULT_NULL_ORDERING=HIGH" : "";
        this.url = "jdbc:h2:mem:" + UUID.randomUUID() + OPTIONS + nulls;
        try {
            this.administrator = DriverManager.getConnection(url, "ADMINISTRATOR", "");
            for (String definition : EngineFunctions.DEFINITIONS) {
                administer(definition);
            }
            administer("CREATE SCHEMA " + TEMPORARY);
            administer("CREATE USER CLIENT PASSWORD ''");
            administer("GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA PUBLIC TO CLIENT");
        } catch (SQLException e) {
            throw new IllegalStateException("the embedded SQL engine does not start", e);
        }
    }

    /** Runs a statement with all rights; for DDL, by one thread at a time. */
    public void administer(String sql) throws SQLException {
        try (Statement statement = administrator.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Adds a table that clients can read and that has no transactions.
     *
     * @param rows returns the present rows, and is called by many threads
     */
    public void addComputedTable(
            String schema, String name, List<Column> columns, Supplier<List<List<@Nullable Object>>> rows) {
        Schema parent = WriterView.session(administrator).getDatabase().getSchema(schema);
        parent.add(new ComputedTable(parent, name, columns, rows));
    }

    public Connection administrator() {
        return administrator;
    }

    /**
     * Returns a connection for a read-write transaction, which sees the rows as of its first statement. The caller ends
     * its transaction and {@link #release}s it; it stays open and keeps its query plans.
     */
    public Connection writer() throws SQLException {
        Connection pooled = writers.pollFirst();
        if (pooled != null) {
            return pooled;
        }
        Connection connection = openSnapshot();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCK_TIMEOUT " + maxWait.toMillis());
        }
        return connection;
    }

    public void release(Connection writer) {
        writers.addFirst(writer);
    }

    /** Returns a new connection whose transactions see the rows as of their first statement; the caller closes it. */
    public Connection openSnapshot() throws SQLException {
        Connection connection = open();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT");
        }
        return connection;
    }

    /** Returns a new connection, which the caller closes. */
    private Connection open() throws SQLException {
        return DriverManager.getConnection(url, "CLIENT", "");
    }

    /** Has the temporary tables of a connection hide tables of the same name. */
    public static void preferTemporaryTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SCHEMA " + TEMPORARY);
            statement.execute("SET SCHEMA_SEARCH_PATH " + TEMPORARY + ", PUBLIC");
        }
    }

    /** Runs a read of the latest committed rows on a pooled connection. */
    public <T> T read(SqlWork<T> work) {
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
    public interface SqlWork<T> {
        T run(Connection connection) throws SQLException;
    }
}

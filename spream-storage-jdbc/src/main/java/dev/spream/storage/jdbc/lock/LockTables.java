package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockException;
import dev.spream.lock.LockLayout;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The tables of the locks in one place, and what kinds of databases say differently about them. */
interface LockTables {

    /**
     * Those in the schema of that name; on MySQL and MariaDB, where a schema is a database, without a name those in the
     * database that connections are for. Nothing says that they exist.
     *
     * @throws LockException if the database cannot be reached, or is of another kind
     */
    static LockTables in(DataSource dataSource, Optional<String> schema) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
                return new PostgresLockTables(dataSource, new SchemaName(schema.orElse(PostgresLockTables.SCHEMA)));
            }
            return new MySqlLockTables(
                    dataSource, schema.isPresent() ? schema.get() : MySqlLockTables.database(connection));
        } catch (SQLException e) {
            throw LockTableErrors.of("connecting to the database of the locks", e);
        }
    }

    /** Where they are, for people, such as "schema 'spream'". */
    String place();

    /** The place as the flag {@code --schema} takes it. */
    String schema();

    /** The statement, with the place and a dot wherever it says {@code @}. */
    String in(String sql);

    /**
     * Creates or migrates them where needed, or requires them as they have to be.
     *
     * @throws LockException that says what is there and what to do, if they cannot be used
     */
    void ensure(boolean migrate);

    /** Whether there are tables at all, of whatever version. */
    boolean exist();

    /** What is used unless somebody says otherwise. */
    LockStrategy defaultStrategy();

    /**
     * How locks are taken here.
     *
     * @throws LockException if the server cannot do it, or its locks would exclude nobody
     */
    LockSql sql(LockStrategy strategy);

    /** Records a layout unless one is recorded: strategy, hash, buckets, levels. */
    String recordSpace();

    /** Makes the buckets that are missing of a range: level, first bucket, how many of at most {@code chunk}. */
    String makeBuckets(int chunk);

    /**
     * Removes all buckets and what is recorded of them, in a transaction that is committed afterwards.
     *
     * @return who holds locks, for people, in which case nothing was changed; empty if nobody did
     */
    Optional<String> clear(Connection connection) throws SQLException;

    /** What processes say of their locks, as it is stored here. */
    LockReports reports();

    /** Where the server shows the locks of that layout. */
    LockWatch watch(Connection connection, LockLayout layout) throws SQLException;

    /** The server, for people, such as "PostgreSQL 18.6". */
    String server(Connection connection) throws SQLException;

    /** What an operator should know, and what is wrong. */
    Facts facts(Connection connection, LockStrategy strategy) throws SQLException;

    /** Sentences for people. */
    record Facts(List<String> facts, List<String> problems) {}
}

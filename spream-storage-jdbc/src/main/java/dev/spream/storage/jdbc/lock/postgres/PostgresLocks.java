package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The parts that both strategies on PostgreSQL share, without the statements that take locks. */
abstract class PostgresLocks implements LockSql {
    /** The columns of a statement that takes locks, for the session and whether its locks are effective. */
    static final String SESSION = """
            pg_backend_pid() AS session,
            pg_is_in_recovery() AS replica,
            current_setting('transaction_isolation') AS isolation,
            (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint AS began""";

    /** The same columns for a transaction of a handle, where only the requested limits end a wait. */
    static final String HANDLE_SESSION = SESSION + ", set_config('spream.waits', 'unlimited', true)";

    /**
     * The beginning of a statement that waits: removes the statement limit, in a transaction of a handle. {@link
     * #WAITED} restores it, so that the handle's work has the limit of the session.
     */
    static final String WAITS = """
            SELECT set_config('spream.statement_timeout', current_setting('statement_timeout'), true),
                CASE WHEN current_setting('spream.waits', true) = 'unlimited'
                    THEN set_config('statement_timeout', '0', true) END;
            """;

    /** The end of such a statement, executed if it has not failed; without a snapshot, see below. */
    static final String WAITED =
            "; SELECT set_config('statement_timeout', current_setting('spream.statement_timeout'), true)";

    private static final String UNDEFINED_OBJECT = "42704";
    private static final String INVALID_TEXT = "22P02";

    /**
     * The end of a statement that may be the last one for a long time. The driver keeps a query open until the next
     * one, and its snapshot prevents the server from vacuuming; this is a next one without a snapshot and without a
     * round trip.
     *
     * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY">PostgreSQL: an
     *     unnamed portal lives until the next, or the end of the transaction</a>
     */
    static final String NO_SNAPSHOT = "; SHOW lock_timeout";

    /**
     * The {@code lock_timeout} of a wait: the smaller of the parameter, in milliseconds, and the session's current
     * value, where 0 means no limit.
     */
    static final String WAIT_LIMIT = """
            (SELECT coalesce(min(millis), 0)::text
                FROM (VALUES (?::bigint), (extract(epoch FROM current_setting('lock_timeout')::interval) * 1000)) AS limits(millis)
                WHERE millis > 0)""";

    final SchemaName schema;

    PostgresLocks(SchemaName schema) {
        this.schema = schema;
    }

    @Override
    public final LockException exception(String failed, SQLException cause) {
        return PostgresErrors.exception(failed, cause);
    }

    /** Returns the same, and a limit after which the database ends the transaction of a suspended process. */
    static String standstill(Duration holderTimeout) {
        return "; SET LOCAL idle_in_transaction_session_timeout = " + holderTimeout.toMillis();
    }

    /** Returns the parameter of {@link #WAIT_LIMIT}. */
    static long waitLimit(Optional<Duration> left) {
        return left.map(time -> Math.max(1, time.plusNanos(999_999).toMillis())).orElse(0L);
    }

    @Override
    public final void requirePrimary(Connection connection) throws SQLException {
        if (Statements.answer(connection, "SELECT pg_is_in_recovery()", row -> row.getBoolean(1))) {
            throw replica("opening the lock store");
        }
    }

    private static BucketSpaceException replica(String what) {
        return new BucketSpaceException(
                what
                        + " failed: the server is a replica, where locks have no effect on the primary; connect to the primary",
                null);
    }

    static AcquiredLocks tryLock(PreparedStatement statement, Database.RowReader<AcquiredLocks> reader)
            throws SQLException {
        statement.execute();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return reader.read(row);
        }
    }

    /**
     * Runs a statement that may be the first of a transaction. If the transaction is not READ COMMITTED, it is rolled
     * back and the statement is run again in one that is; where that is the default, this costs no round trip.
     */
    static AcquiredLocks tryInHandle(
            Connection connection, PreparedStatement statement, Database.RowReader<AcquiredLocks> reader)
            throws SQLException {
        statement.execute();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            if (isReadCommitted(row)) {
                return reader.read(row);
            }
        }
        connection.rollback();
        Statements.execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        return tryLock(statement, reader);
    }

    /** Reads the column {@code locks}, and those of {@link #SESSION}. */
    static AcquiredLocks taken(ResultSet row) throws SQLException {
        if (row.getBoolean("replica")) {
            throw replica("taking locks");
        }
        if (!isReadCommitted(row)) {
            throw new BucketSpaceException(
                    ("taking locks failed: the transaction is %s, which does not read changes committed during a"
                                    + " wait; use READ COMMITTED")
                            .formatted(row.getString("isolation").toUpperCase(Locale.ROOT)),
                    null);
        }
        return new AcquiredLocks(
                row.getInt("locks"), Integer.toString(row.getInt("session")), Long.toString(row.getLong("began")));
    }

    /** Returns whether it is READ COMMITTED, or READ UNCOMMITTED, which PostgreSQL treats equally. */
    private static boolean isReadCommitted(ResultSet row) throws SQLException {
        String isolation = row.getString("isolation");
        return isolation.equals("read committed") || isolation.equals("read uncommitted");
    }

    /** Fails in a transaction that has failed, and on a closed connection. Needs no snapshot, see above. */
    @Override
    public final boolean isAlive(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SHOW transaction_isolation")) {
            return statement.execute();
        }
    }

    @Override
    public final String mark(Connection connection, AcquiredLocks taken) {
        return taken.transaction();
    }

    /**
     * Commits the transaction that began at that time, in one round trip. A transaction that a statement of the work
     * began later, even by {@code COMMIT AND CHAIN}, has a later time: then an undefined setting is read, which fails
     * when executed, not when planned.
     */
    @Override
    public final void commitMarked(Connection connection, String began) throws SQLException {
        try {
            Statements.execute(connection, """
                    SELECT CASE WHEN (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint = %d
                        THEN '' ELSE current_setting('spream.ended') END;
                    COMMIT""".formatted(Long.parseLong(began)));
        } catch (SQLException e) {
            if (UNDEFINED_OBJECT.equals(e.getSQLState())
                    && String.valueOf(e.getMessage()).contains("spream.ended")) {
                throw LockSql.ended();
            }
            throw e;
        }
    }

    /**
     * Returns whether the running transaction began at that time. Does not query if none is running, since the query
     * would begin one.
     */
    @Override
    public final boolean isNamed(Connection connection, String began) throws SQLException {
        if (isIn(connection, TransactionState.IDLE)) {
            return false;
        }
        return Statements.answer(
                connection,
                "SELECT (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint",
                row -> row.getLong(1) == Long.parseLong(began));
    }

    /** Begins a transaction that fails, so that the server accepts only its rollback. */
    @Override
    public final void refuseChanges(Connection connection) throws SQLException {
        try {
            Statements.execute(connection, "SELECT 'taking locks failed before; roll this transaction back'::int");
        } catch (SQLException e) {
            if (!INVALID_TEXT.equals(e.getSQLState())) {
                throw e;
            }
        }
        if (isIn(connection, TransactionState.OPEN) || isIn(connection, TransactionState.IDLE)) {
            throw new SQLException("the driver has rolled back the failed statement, as with autosave");
        }
    }

    /** Returns the driver's own record of the state, without a query; false for other drivers. */
    private static boolean isIn(Connection connection, TransactionState state) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() == state;
    }

    /** Returns the number of locks that a statement between {@link #WAITS} and {@link #WAITED} took. */
    static int waited(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return row.getInt("locks");
        }
    }

    /** Commits durably even if other commits are not, because an epoch that a crash undoes would be assigned again. */
    @Override
    public final long nextEpoch(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.in("""
                        UPDATE @hier_lock_epoch SET epoch = epoch + 1
                        RETURNING epoch, CASE WHEN current_setting('synchronous_commit') = 'off'
                            THEN set_config('synchronous_commit', 'on', true) END"""));
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new BucketSpaceException(
                        "the table hier_lock_epoch of schema '%s' has no row; insert a number above any that was assigned"
                                .formatted(schema),
                        null);
            }
            return row.getLong("epoch");
        }
    }
}

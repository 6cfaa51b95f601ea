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

/** Locks of either strategy on PostgreSQL, without the statements that take them. */
abstract class PostgresLocks implements LockSql {
    /** For the select list of a statement that takes locks: the session, and whether its locks are effective. */
    static final String SESSION = """
            pg_backend_pid() AS session,
            pg_is_in_recovery() AS replica,
            current_setting('transaction_isolation') AS isolation,
            (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint AS began""";

    /** The same for a transaction of a handle, of which no limit ends a wait but those that are asked for. */
    static final String HANDLE_SESSION = SESSION + ", set_config('spream.waits', 'unlimited', true)";

    /**
     * For the beginning of a statement that waits: lifts the limit of statements from what follows, in a transaction of a
     * handle. {@link #WAITED} puts it back: what the handle's work does has the limit that the session has.
     */
    static final String WAITS = """
            SELECT set_config('spream.statement_timeout', current_setting('statement_timeout'), true),
                CASE WHEN current_setting('spream.waits', true) = 'unlimited'
                    THEN set_config('statement_timeout', '0', true) END;
            """;

    /** For its end, if it has not failed; without a snapshot, see below. */
    static final String WAITED =
            "; SELECT set_config('statement_timeout', current_setting('spream.statement_timeout'), true)";

    private static final String UNDEFINED_OBJECT = "42704";
    private static final String INVALID_TEXT = "22P02";

    /**
     * For the end of a statement that may be the last one for long. The driver keeps a query open until the next, and its
     * snapshot keeps the server from cleaning up; this is a next one without a snapshot and without a round trip.
     *
     * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY">PostgreSQL: an unnamed
     *     portal lives until the next, or the end of the transaction</a>
     */
    static final String NO_SNAPSHOT = "; SHOW lock_timeout";

    /**
     * What {@code lock_timeout} has to be for a wait: the shorter of the parameter, in milliseconds, and what the session has
     * already, of which 0 means no limit.
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

    /** The same, and from now on the database ends the transaction when the process is suspended for that long. */
    static String standstill(Duration holderTimeout) {
        return "; SET LOCAL idle_in_transaction_session_timeout = " + holderTimeout.toMillis();
    }

    /** The parameter of {@link #WAIT_LIMIT}. */
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
     * Runs a statement that may be the first of a transaction. Where transactions are not READ COMMITTED by default, the first
     * is run again in one that is; where they are, that costs no round trip.
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
                    ("taking locks failed: the transaction is %s, and after a wait would still see the state before"
                                    + " it; make it READ COMMITTED")
                            .formatted(row.getString("isolation").toUpperCase(Locale.ROOT)),
                    null);
        }
        return new AcquiredLocks(
                row.getInt("locks"), Integer.toString(row.getInt("session")), Long.toString(row.getLong("began")));
    }

    /** READ UNCOMMITTED is the same here. */
    private static boolean isReadCommitted(ResultSet row) throws SQLException {
        String isolation = row.getString("isolation");
        return isolation.equals("read committed") || isolation.equals("read uncommitted");
    }

    /** Fails in a transaction that failed before, and on a connection that is gone. Needs no snapshot, see above. */
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
     * Commits the transaction that began then, in one round trip. One that a statement of the work began after it did so later,
     * be it by {@code COMMIT AND CHAIN}: then the setting is read that there is not, by the run and not by the planner.
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

    /** Returns whether the running transaction began then. Where none runs, the question would begin one. */
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

    /** Begins a transaction that fails, so that the server takes nothing but its rollback. */
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
            throw new SQLException("the driver has taken the failure back, as with autosave");
        }
    }

    /** As the driver knows without asking; false of another driver. */
    private static boolean isIn(Connection connection, TransactionState state) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() == state;
    }

    /** The number of locks that a statement between {@link #WAITS} and {@link #WAITED} took. */
    static int waited(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            return row.getInt("locks");
        }
    }

    /** Committed durably even where commits are not, because a number that a crash takes back would be given out again. */
    @Override
    public final long nextEpoch(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.in("""
                        UPDATE @hier_lock_epoch SET epoch = epoch + 1
                        RETURNING epoch, CASE WHEN current_setting('synchronous_commit') = 'off'
                            THEN set_config('synchronous_commit', 'on', true) END"""));
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new BucketSpaceException(
                        "the table hier_lock_epoch of schema '%s' has no row; insert a number above any that was given out"
                                .formatted(schema),
                        null);
            }
            return row.getLong("epoch");
        }
    }
}

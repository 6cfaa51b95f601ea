package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.BucketSpaceException;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The session of a connection: its identity, whether its locks are effective, and its wait limits. Settings of a
 * session outlive its transactions and return to the pool with the connection, so the former values are saved in
 * session variables and restored.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/set-variable.html">MySQL: SET, which changes all or nothing</a>
 */
final class MySqlSession {
    /** The longest lock wait of MySQL in seconds. */
    private static final long MYSQL_LONGEST_LOCK_WAIT = 1 << 30;

    private static final long MARIADB_LONGEST_LOCK_WAIT = 100_000_000;

    private static final Duration MYSQL_LONGEST_STATEMENT = Duration.ofMillis(0xffff_ffffL);
    private static final Duration MARIADB_LONGEST_STATEMENT = Duration.ofDays(365);

    private static final int QUERY_INTERRUPTED = 1317;
    private static final int NO_SUCH_SAVEPOINT = 1305;
    private static final int RESTORE_ATTEMPTS = 3;

    private static final AtomicLong LAST_MARK = new AtomicLong();
    private static final SecureRandom TOKENS = new SecureRandom();

    /**
     * The counters of a session that increase when a transaction ends: those of all statements except the ones that
     * never end a transaction, and {@code Handler_rollback}, which counts the transactions and statements that the
     * server rolled back, for example after a deadlock.
     */
    private static final String ENDINGS = """
            VARIABLE_NAME = 'HANDLER_ROLLBACK'
                OR LEFT(VARIABLE_NAME, 4) = 'COM_'
                    AND LEFT(VARIABLE_NAME, 9) NOT IN ('COM_SHOW_', 'COM_STMT_')
                    AND VARIABLE_NAME NOT IN ('COM_SELECT', 'COM_INSERT', 'COM_INSERT_SELECT', 'COM_UPDATE',
                        'COM_UPDATE_MULTI', 'COM_DELETE', 'COM_DELETE_MULTI', 'COM_REPLACE', 'COM_REPLACE_SELECT',
                        'COM_LOAD', 'COM_CALL_PROCEDURE', 'COM_COMPOUND_SQL', 'COM_DO', 'COM_PREPARE_SQL',
                        'COM_EXECUTE_SQL', 'COM_EXECUTE_IMMEDIATE', 'COM_DEALLOC_SQL', 'COM_SAVEPOINT',
                        'COM_ROLLBACK_TO_SAVEPOINT', 'COM_RELEASE_SAVEPOINT', 'COM_CHANGE_DB', 'COM_ADMIN_COMMANDS',
                        'COM_EMPTY_QUERY', 'COM_EXPLAIN_OTHER')""";

    private static final String COUNTED_ENDINGS =
            "(SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.session_status WHERE %s)"
                    .formatted(ENDINGS);

    /**
     * Part of each {@code SET} of this class in a transaction, so that it is not counted as the end of a transaction.
     */
    private static final String COUNTED = "@spream_settings = COALESCE(@spream_settings, 0) + 1";

    private final MySqlDialect dialect;
    private final String columns;
    private final String prepare;
    private final String restore;
    private final String endings;

    MySqlSession(MySqlDialect dialect) {
        this.dialect = dialect;
        this.columns =
                "CONNECTION_ID() AS session, @@SESSION.%s AS isolation, @@GLOBAL.read_only AS replica, @@GLOBAL.innodb_read_only AS frozen"
                        .formatted(dialect.isolation());
        this.prepare = """
                SET @spream_isolation = @@SESSION.%1$s, @spream_stand_still = @@SESSION.%2$s,
                    SESSION %1$s = 'READ-COMMITTED', SESSION autocommit = 0,
                    SESSION %2$s =\s""".formatted(dialect.isolation(), standStill());
        this.endings =
                "SELECT %s - COALESCE(@spream_settings, 0) AS endings, CONNECTION_ID() AS session, @spream_token AS token"
                        .formatted(dialect.mariadb() ? COUNTED_ENDINGS : "0");
        this.restore = """
                SET SESSION %1$s = @spream_isolation, SESSION %2$s = @spream_stand_still, SESSION autocommit =\s""".formatted(dialect.isolation(), standStill());
    }

    /**
     * Returns the columns of the session for the select list of a statement that takes locks, to be {@linkplain #read
     * read}.
     */
    String columns() {
        return columns;
    }

    /** Returns the session, read by a separate statement. */
    String ask(Connection connection) throws SQLException {
        return Statements.answer(connection, "SELECT " + columns, this::read);
    }

    /**
     * Returns the session from the {@link #columns}. They have the isolation of the session's next transactions, since
     * that of the running one cannot be read; so callers have to set it before the transaction begins.
     *
     * @throws BucketSpaceException if its locks would have no effect
     */
    String read(ResultSet row) throws SQLException {
        requireWritable(row);
        String isolation = row.getString("isolation");
        if (!isolation.equals("READ-COMMITTED")) {
            throw new BucketSpaceException(
                    "taking locks failed: the session's transactions are %s, which do not read changes committed during a wait; use READ COMMITTED, set by setTransactionIsolation before the transaction begins"
                            .formatted(isolation.replace('-', ' ')),
                    null);
        }
        return row.getString("session");
    }

    void requireWritable(Connection connection) throws SQLException {
        Statements.answer(connection, "SELECT " + columns, MySqlSession::requireWritable);
    }

    private static boolean requireWritable(ResultSet row) throws SQLException {
        if (isOn(row.getString("replica")) || isOn(row.getString("frozen"))) {
            throw new BucketSpaceException(
                    "the server is read-only, like a replica, where locks have no effect on the primary; connect to the primary",
                    null);
        }
        return true;
    }

    /** Returns whether a flag is set, which is a number or, if it has more than two values, a word. */
    private static boolean isOn(String value) {
        return !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }

    /**
     * Prepares the session for a transaction of a handle, including auto-commit. The server closes the connection of a
     * process that is suspended for longer than that. It is one statement, so that MariaDB's driver learns the
     * auto-commit mode from the session and does not set it again.
     *
     * @see <a href="https://mariadb.com/kb/en/transaction-timeouts/">MariaDB: transaction timeouts</a>
     */
    void prepare(Connection connection, Duration holderTimeout) throws SQLException {
        Statements.execute(connection, prepare + holderTimeout.toSeconds());
        connection.setAutoCommit(false);
    }

    /** Reverts {@link #prepare}. No transaction may be open: auto-commit would commit it. */
    void restore(Connection connection, boolean autoCommit) throws SQLException {
        Statements.execute(connection, restore + (autoCommit ? 1 : 0));
        connection.setAutoCommit(autoCommit);
    }

    /**
     * Marks the running transaction by a savepoint, which the end of the transaction removes, however it ends.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/savepoint.html">MySQL: savepoints are deleted by a commit
     *     or a rollback</a>
     */
    static String mark(Connection connection) throws SQLException {
        String mark = "spream_" + LAST_MARK.incrementAndGet();
        Statements.execute(connection, "SAVEPOINT " + mark);
        return mark;
    }

    /**
     * Returns an identifier of the running transaction among those of this session, without changing the transaction. A
     * statement that fails or sets a variable changes the identifier as well, so one transaction may have several. Two
     * transactions may have the same one if the counters are reset between them: a reset of the session also removes
     * its token, but {@code FLUSH STATUS} does not.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html">MySQL: status variables</a>
     * @see <a href="https://dev.mysql.com/doc/c-api/8.4/en/mysql-reset-connection.html">MySQL: what a reset takes</a>
     */
    String transaction(Connection connection) throws SQLException {
        return endings(connection).name();
    }

    /**
     * Returns the same identifier; sets the token of the session first if it has none, as in a new session or after a
     * reset.
     */
    String nameTransaction(Connection connection) throws SQLException {
        Endings found = endings(connection);
        if (found.token() != null) {
            return found.name();
        }
        Endings named = new Endings(found.session(), Long.toHexString(TOKENS.nextLong()), found.count());
        Statements.execute(connection, "SET @spream_token = '%s', %s".formatted(named.token(), COUNTED));
        return named.name();
    }

    /** The identity of a session, its token, which a reset removes, and the sum of its {@link #ENDINGS}. */
    private record Endings(String session, @Nullable String token, String count) {
        String name() {
            return session + " " + token + " " + count;
        }
    }

    private Endings endings(Connection connection) throws SQLException {
        long shown = dialect.mariadb() ? 0 : shownEndings(connection);
        return Statements.answer(
                connection,
                endings,
                row -> new Endings(
                        row.getString("session"),
                        row.getString("token"),
                        Long.toString(row.getLong("endings") + shown)));
    }

    /**
     * Returns the sum of the {@link #ENDINGS} in MySQL, which has those of statements in no table.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/performance-schema-status-variable-tables.html">MySQL: status
     *     variable tables</a>
     */
    private static long shownEndings(Connection connection) throws SQLException {
        long sum = 0;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS WHERE " + ENDINGS)) {
            while (row.next()) {
                sum += row.getLong("Value");
            }
        }
        return sum;
    }

    /**
     * Begins a read-only transaction.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/commit.html">MySQL: START TRANSACTION READ ONLY</a>
     */
    static void refuseChanges(Connection connection) throws SQLException {
        Statements.execute(connection, "START TRANSACTION READ ONLY");
    }

    /**
     * Returns whether the running transaction had that mark; removes it, with the savepoints that were set after it.
     */
    static boolean unmark(Connection connection, String mark) throws SQLException {
        try {
            Statements.execute(connection, "RELEASE SAVEPOINT " + mark);
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the variable of the idle timeout; MySQL's applies to idle sessions with or without a transaction. */
    private String standStill() {
        return dialect.mariadb() ? "idle_transaction_timeout" : "wait_timeout";
    }

    private long longestLockWait() {
        return dialect.mariadb() ? MARIADB_LONGEST_LOCK_WAIT : MYSQL_LONGEST_LOCK_WAIT;
    }

    /**
     * Runs a {@linkplain #limited limited} statement without the server's own limit of waits, which is in whole
     * seconds. MariaDB can raise that limit for a single statement, MySQL only for the session.
     */
    <T> T unlimited(Connection connection, LockSql.Execution<T> wait) throws SQLException {
        if (dialect.mariadb()) {
            return wait.run();
        }
        Statements.execute(
                connection,
                "SET @spream_before = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = %d, %s"
                        .formatted(longestLockWait(), COUNTED));
        T result;
        try {
            result = wait.run();
        } catch (SQLException | RuntimeException e) {
            try {
                restoreLimit(connection);
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        restoreLimit(connection);
        return result;
    }

    /** Restores the limit. A cancellation that came too late for the wait may cancel this statement instead. */
    private static void restoreLimit(Connection connection) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                Statements.execute(connection, "SET SESSION innodb_lock_wait_timeout = @spream_before, " + COUNTED);
                return;
            } catch (SQLException e) {
                if (e.getErrorCode() != QUERY_INTERRUPTED || attempt == RESTORE_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns a {@code SELECT} that the server ends after that time.
     *
     * @param rest the statement after the word SELECT
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/optimizer-hints.html#optimizer-hints-execution-time">MySQL:
     *     statement execution time</a>
     * @see <a href="https://mariadb.com/kb/en/set-statement/">MariaDB: SET STATEMENT</a>
     */
    String limited(String rest, Optional<Duration> left) {
        return dialect.mariadb() ? limitedByMariaDb(rest, left) : limitedByMySql(rest, left);
    }

    private static String limitedByMariaDb(String rest, Optional<Duration> left) {
        String limit = left.map(time -> shorter(time, MARIADB_LONGEST_STATEMENT).plusNanos(999))
                .map(time -> ", max_statement_time = %d.%06d".formatted(time.toSeconds(), time.toNanosPart() / 1_000))
                .orElse("");
        return "SET STATEMENT innodb_lock_wait_timeout = %d%s FOR SELECT %s"
                .formatted(MARIADB_LONGEST_LOCK_WAIT, limit, rest);
    }

    /**
     * Returns a {@code SELECT} of rows by a list of keys, read in the order of the index. MariaDB would otherwise
     * convert a long list to a table and join it.
     *
     * @param rest the statement after the word SELECT
     * @see <a href="https://mariadb.com/kb/en/conversion-of-big-in-predicates-into-subqueries/">MariaDB: big IN
     *     predicates</a>
     */
    String inKeyOrder(String rest) {
        return (dialect.mariadb() ? "SET STATEMENT in_predicate_conversion_threshold = 0 FOR SELECT " : "SELECT ")
                + rest;
    }

    private static String limitedByMySql(String rest, Optional<Duration> left) {
        return left.map(time -> shorter(time.plusNanos(999_999), MYSQL_LONGEST_STATEMENT)
                        .toMillis())
                .map("SELECT /*+ MAX_EXECUTION_TIME(%d) */ "::formatted)
                .orElse("SELECT ")
                .concat(rest);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}

package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.BucketSpaceException;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The session of a connection: its identity, whether its locks are effective, and its wait limits. Settings of a
 * session outlive its transactions and return to the pool with the connection, so former values are kept in variables
 * of the session, and restored.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/set-variable.html">MySQL: SET, which changes all or nothing</a>
 */
final class MySqlSession {
    /** In seconds; as long as each of the two can wait. */
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
     * The counters of a session that grow when a transaction ends: of all statements but those that never end one, and {@code
     * Handler_rollback}, which counts the transactions and statements that the server rolled back by itself, as after a deadlock.
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

    /** Added to each {@code SET} of our own in a transaction, so that it does not count as the end of one. */
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
                "SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) - COALESCE(@spream_settings, 0) AS endings, CONNECTION_ID() AS session, @spream_token AS token FROM %s.session_status WHERE %s"
                        .formatted(dialect.mariadb() ? "information_schema" : "performance_schema", ENDINGS);
        this.restore = """
                SET SESSION %1$s = @spream_isolation, SESSION %2$s = @spream_stand_still, SESSION autocommit =\s""".formatted(dialect.isolation(), standStill());
    }

    /** For the select list of a statement that takes locks, to be {@linkplain #read read}. */
    String columns() {
        return columns;
    }

    /** The session, read by a statement of its own. */
    String ask(Connection connection) throws SQLException {
        return Statements.answer(connection, "SELECT " + columns, this::read);
    }

    /**
     * The session, from the {@link #columns}. They have the isolation of the session's next transactions; that of the
     * running one cannot be read. So callers have to set it before the transaction begins.
     *
     * @throws BucketSpaceException if its locks would have no effect
     */
    String read(ResultSet row) throws SQLException {
        requireWritable(row);
        String isolation = row.getString("isolation");
        if (!isolation.equals("READ-COMMITTED")) {
            throw new BucketSpaceException(
                    "taking locks failed: the session's transactions are %s, and after a wait would still see the state before it; make them READ COMMITTED, by setTransactionIsolation before the transaction begins"
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

    /** A flag is a number or, where it has more than two values, a word. */
    private static boolean isOn(String value) {
        return !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }

    /**
     * Prepares it for a transaction of a handle, auto-commit included. A process that is suspended for longer than that
     * loses its connection. All in one statement: what the session then says it is, MariaDB's driver need not make it.
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
     * Marks the running transaction by a savepoint, which is gone when the transaction has ended, whatever ended it.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/savepoint.html">MySQL: savepoints are deleted by a commit or a
     *     rollback</a>
     */
    static String mark(Connection connection) throws SQLException {
        String mark = "spream_" + LAST_MARK.incrementAndGet();
        Statements.execute(connection, "SAVEPOINT " + mark);
        return mark;
    }

    /**
     * Identifies the running transaction among those of this session, without changing it. A statement that fails or
     * sets a variable changes it too, so that it may be another in the same transaction. It may be the same in two if
     * the counters are set back between them: a reset of the session takes its token as well, but {@code FLUSH STATUS}
     * does not.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/server-status-variables.html">MySQL: status variables</a>
     * @see <a href="https://dev.mysql.com/doc/c-api/8.4/en/mysql-reset-connection.html">MySQL: what a reset takes</a>
     */
    String transaction(Connection connection) throws SQLException {
        return endings(connection).name();
    }

    /** The same; the first time in a session, and after each reset, by one statement more, which gives it a token. */
    String nameTransaction(Connection connection) throws SQLException {
        Endings found = endings(connection);
        if (found.token() != null) {
            return found.name();
        }
        Endings named = new Endings(found.session(), Long.toHexString(TOKENS.nextLong()), found.count());
        Statements.execute(connection, "SET @spream_token = '%s', %s".formatted(named.token(), COUNTED));
        return named.name();
    }

    /** Of a session: what nothing else on the server is called, what a reset takes from it, and its {@link #ENDINGS}. */
    private record Endings(String session, @Nullable String token, String count) {
        String name() {
            return session + " " + token + " " + count;
        }
    }

    private Endings endings(Connection connection) throws SQLException {
        return Statements.answer(
                connection,
                endings,
                row -> new Endings(row.getString("session"), row.getString("token"), row.getString("endings")));
    }

    /**
     * Begins a transaction that can change nothing.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/commit.html">MySQL: START TRANSACTION READ ONLY</a>
     */
    static void refuseChanges(Connection connection) throws SQLException {
        Statements.execute(connection, "START TRANSACTION READ ONLY");
    }

    /** Returns whether the running transaction had that mark; it has it no more, nor any savepoint that was set after it. */
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

    /** MySQL ends a session that says nothing, whether it is in a transaction or not. */
    private String standStill() {
        return dialect.mariadb() ? "idle_transaction_timeout" : "wait_timeout";
    }

    private long longestLockWait() {
        return dialect.mariadb() ? MARIADB_LONGEST_LOCK_WAIT : MYSQL_LONGEST_LOCK_WAIT;
    }

    /**
     * Runs a {@linkplain #limited limited} statement, without the limit that the server has for waits and that is in whole
     * seconds. MariaDB lifts it for a single statement, MySQL for the session.
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

    /** A cancellation that came too late for the wait may hit this instead. */
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
     * A {@code SELECT} that the server ends after that time.
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
     * A {@code SELECT} of rows by a list of keys, read in the order of the index. MariaDB would turn a long list into a table, and
     * join that.
     *
     * @param rest the statement after the word SELECT
     * @see <a href="https://mariadb.com/kb/en/conversion-of-big-in-predicates-into-subqueries/">MariaDB: big IN predicates</a>
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

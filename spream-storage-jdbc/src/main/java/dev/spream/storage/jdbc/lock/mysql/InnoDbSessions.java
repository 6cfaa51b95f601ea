package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.inspection.LockSession;
import dev.spream.storage.jdbc.internal.MySqlAnswers;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks.Connected;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads InnoDB's sessions and its text form of row locks, on MySQL and MariaDB alike.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/information-schema-innodb-trx-table.html">MySQL: INNODB_TRX</a>
 * @see <a href="https://mariadb.com/kb/en/information-schema-innodb_trx-table/">MariaDB: INNODB_TRX</a>
 */
final class InnoDbSessions {
    static final String ENDING = "KILL ?";

    /** Selects the sessions. Times of transactions are in the server's time zone, so ages are computed there. */
    private static final String SESSIONS = """
            SELECT UTC_TIMESTAMP(6) AS now, t.trx_mysql_thread_id AS session, p.USER AS client, p.HOST AS address,
                p.COMMAND AS command, p.STATE AS state, p.TIME AS seconds,
                TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) AS open_seconds,
                TIMESTAMPDIFF(SECOND, t.trx_wait_started, NOW()) AS waiting_seconds
            FROM information_schema.INNODB_TRX t
            LEFT JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id""";

    private static final String CLOCK = "SELECT UTC_TIMESTAMP(6) AS now";

    /** The errors of access denied: to a table, to a column, and without the privilege PROCESS. */
    private static final int TABLE_DENIED = 1142;

    private static final int PRIVILEGE_DENIED = 1227;

    /** The text form of a primary key, which has no negative numbers. */
    private static final Pattern KEY = Pattern.compile("(\\d+), (\\d+)");

    private InnoDbSessions() {}

    /** Returns the mode of a text such as {@code X,REC_NOT_GAP}. */
    static LockMode mode(String mode) {
        return mode.startsWith("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    /**
     * Returns the key of a text such as {@code 0, 17}; empty if it is not a row, or a row that the server does not have
     * in memory.
     */
    static Optional<LockKey> key(@Nullable String data) {
        Matcher matcher = KEY.matcher(data == null ? "" : data);
        return matcher.matches()
                ? Optional.of(new LockKey(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }

    /** Adds the sessions, and returns the server's time. */
    static Instant read(Connection connection, ShownLocks shown) throws SQLException {
        String zone = MySqlAnswers.text(connection, "SELECT @@session.time_zone");
        Statements.execute(connection, "SET SESSION time_zone = 'SYSTEM'");
        try {
            read(new Statements(connection, UnaryOperator.identity()), shown);
            return Statements.answer(connection, CLOCK, InnoDbSessions::instant);
        } finally {
            Statements.execute(connection, "SET SESSION time_zone = '%s'".formatted(zone.replace("'", "''")));
        }
    }

    private static void read(Statements statements, ShownLocks shown) throws SQLException {
        statements.each(SESSIONS, p -> {}, row -> {
            Instant now = instant(row);
            shown.connected(
                    row.getString("session"),
                    new Connected(
                            new LockSession.Client(
                                    text(row.getString("client")),
                                    text(row.getString("address")),
                                    "",
                                    state(text(row.getString("command")), text(row.getString("state"))),
                                    before(now, row, "seconds")),
                            before(now, row, "open_seconds"),
                            before(now, row, "waiting_seconds")));
        });
    }

    /** Returns the state of a session; InnoDB shows an idle session as asleep, also within a transaction. */
    private static String state(String command, String state) {
        return command.equals("Sleep") ? "idle in transaction" : state.isEmpty() ? command : state;
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static Optional<Instant> before(Instant now, ResultSet row, String seconds) throws SQLException {
        return row.getObject(seconds) == null ? Optional.empty() : Optional.of(now.minusSeconds(row.getLong(seconds)));
    }

    private static Instant instant(ResultSet row) throws SQLException {
        return row.getObject("now", LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    /** Returns or throws the exception for an error; if a privilege is missing, its message names the grant. */
    static SQLException denied(Connection connection, String grants, SQLException failure) throws SQLException {
        if (failure.getErrorCode() != TABLE_DENIED && failure.getErrorCode() != PRIVILEGE_DENIED) {
            return failure;
        }
        throw new LockStoreException(
                "this user may not read the holders of locks: %s. Grant the privilege to %s, or connect as another user: %s"
                        .formatted(
                                failure.getMessage(), connection.getMetaData().getUserName(), grants),
                failure);
    }
}

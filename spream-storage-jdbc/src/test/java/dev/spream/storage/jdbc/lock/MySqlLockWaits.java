package dev.spream.storage.jdbc.lock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/** The waits between sessions, as reported by the server. Safe for use by many threads. */
final class MySqlLockWaits {
    private static final String MYSQL = """
            SELECT DISTINCT blocking.processlist_id FROM performance_schema.data_lock_waits
                JOIN performance_schema.threads requesting ON requesting.thread_id = requesting_thread_id
                JOIN performance_schema.threads blocking ON blocking.thread_id = blocking_thread_id
            WHERE requesting.processlist_id = ?""";

    private static final String MARIADB = """
            SELECT DISTINCT blocking.trx_mysql_thread_id FROM information_schema.innodb_lock_waits
                JOIN information_schema.innodb_trx requesting ON requesting.trx_id = requesting_trx_id
                JOIN information_schema.innodb_trx blocking ON blocking.trx_id = blocking_trx_id
            WHERE requesting.trx_mysql_thread_id = ?""";

    private static final String CONNECTED = "SELECT id FROM information_schema.processlist WHERE id = ?";

    /** MariaDB answers from a copy, and creates another after a tenth of a second without queries. */
    private static final Duration COPY_LASTS = Duration.ofMillis(102);

    private static final ReentrantLock TURN = new ReentrantLock();
    private static long lastAsked = System.nanoTime() - COPY_LASTS.toNanos(); // guarded by TURN

    private final DataSource dataSource;
    private final boolean mariadb;

    MySqlLockWaits(DataSource dataSource) {
        this.dataSource = dataSource;
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("SELECT VERSION()")) {
            version.next();
            this.mariadb = version.getString(1).contains("MariaDB");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean mariadb() {
        return mariadb;
    }

    Set<String> blockersOf(String session) {
        if (!mariadb) {
            return ask(MYSQL, session);
        }
        TURN.lock();
        try {
            long left = COPY_LASTS.toNanos() - (System.nanoTime() - lastAsked);
            if (left > 0) {
                ask("SELECT SLEEP(? / 1e9)", Long.toString(left));
            }
            Set<String> blockers = ask(MARIADB, session);
            lastAsked = System.nanoTime();
            return blockers;
        } finally {
            TURN.unlock();
        }
    }

    /** Returns when the server has ended the session, and with it the transaction. */
    void kill(String session) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement kill = connection.prepareStatement("KILL CONNECTION ?")) {
            kill.setLong(1, Long.parseLong(session));
            kill.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!ask(CONNECTED, session).isEmpty()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the server does not end session " + session);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private Set<String> ask(String sql, String parameter) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, Long.parseLong(parameter));
            try (ResultSet rows = statement.executeQuery()) {
                Set<String> answers = new HashSet<>();
                while (rows.next()) {
                    answers.add(rows.getString(1));
                }
                return answers;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

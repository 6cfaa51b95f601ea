package dev.spream.benchmarks.locks;

import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Plain SQL without spream, for locks whose keys and order are known: no plan, no limits, no checks. */
enum BareLocks {
    /** All locks in one statement. PostgreSQL calls the functions from left to right, but does not guarantee it. */
    ADVISORY_AT_ONCE("advisory, bare, one statement") {
        @Override
        void lock(Connection connection, List<PlannedLock> locks) throws SQLException {
            StringBuilder sql = new StringBuilder("SELECT ");
            for (PlannedLock lock : locks) {
                sql.append(sql.length() > "SELECT ".length() ? ", " : "").append(function(lock));
            }
            try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
                for (int i = 0; i < locks.size(); i++) {
                    statement.setLong(i + 1, advisoryKey(locks.get(i)));
                }
                statement.executeQuery().close();
            }
        }
    },
    ADVISORY_ONE_BY_ONE("advisory, bare, a statement each") {
        @Override
        void lock(Connection connection, List<PlannedLock> locks) throws SQLException {
            for (PlannedLock lock : locks) {
                try (PreparedStatement statement = connection.prepareStatement("SELECT " + function(lock))) {
                    statement.setLong(1, advisoryKey(lock));
                    statement.executeQuery().close();
                }
            }
        }
    },
    ROWS("rows, bare, a statement each") {
        @Override
        void lock(Connection connection, List<PlannedLock> locks) throws SQLException {
            lockRows(connection, locks, "FOR SHARE");
        }
    },
    MARIADB_ROWS("rows, bare, a statement each") {
        @Override
        void lock(Connection connection, List<PlannedLock> locks) throws SQLException {
            lockRows(connection, locks, "LOCK IN SHARE MODE");
        }
    };

    private final String label;

    BareLocks(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    abstract void lock(Connection connection, List<PlannedLock> locks) throws SQLException;

    /** Takes the locks in a transaction of its own, and releases them. */
    void lockAndRelease(DataSource database, List<PlannedLock> locks) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, locks);
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static String function(PlannedLock lock) {
        return lock.mode() == LockMode.SHARED ? "pg_advisory_xact_lock_shared(?)" : "pg_advisory_xact_lock(?)";
    }

    private static long advisoryKey(PlannedLock lock) {
        return (long) lock.key().level() << 60 | lock.key().bucket();
    }

    private static void lockRows(Connection connection, List<PlannedLock> locks, String shared) throws SQLException {
        for (PlannedLock lock : locks) {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT bucket FROM hier_lock_buckets WHERE level = ? AND bucket = ? "
                            + (lock.mode() == LockMode.SHARED ? shared : "FOR UPDATE"))) {
                statement.setInt(1, lock.key().level());
                statement.setLong(2, lock.key().bucket());
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        throw new IllegalStateException("there is no row of " + lock.key());
                    }
                }
            }
        }
    }
}

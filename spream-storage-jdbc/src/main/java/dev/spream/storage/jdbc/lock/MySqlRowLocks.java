package dev.spream.storage.jdbc.lock;

import dev.spream.core.lock.BucketsNotProvisionedException;
import dev.spream.core.lock.LockMode;
import dev.spream.core.lock.LockSpaceException;
import dev.spream.core.lock.PlannedLock;
import dev.spream.core.lock.TakenLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Locks of rows in MySQL or MariaDB, each in a statement of its own that names the whole primary key, so that it locks that
 * row and nothing beside it. One statement for several rows would lock them in the order in which the server reads them, which
 * is the optimizer's affair, and with SKIP LOCKED go on after a row that it skipped: it then had locked what comes after the
 * one that it has to wait for.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/innodb-locking-reads.html">MySQL: locking reads</a>
 * @see <a href="https://mariadb.com/kb/en/lock-in-share-mode/">MariaDB: LOCK IN SHARE MODE</a>
 */
final class MySqlRowLocks implements LockSql {
    private final LockTables tables;
    private final MySqlSession session;
    private final String row;
    private final String shared;
    private final LockErrors errors = new MySqlErrors();

    MySqlRowLocks(MySqlDialect dialect, LockTables tables) {
        this.tables = tables;
        this.session = new MySqlSession(dialect);
        this.row = " FROM " + tables.in("@hier_lock_buckets WHERE level = ? AND bucket = ? ");
        this.shared = dialect.shared();
    }

    @Override
    public LockErrors errors() {
        return errors;
    }

    @Override
    public void requirePrimary(Connection connection) throws SQLException {
        session.requireWritable(connection);
    }

    @Override
    public void begin(Connection connection, Duration holderTimeout) throws SQLException {
        session.prepare(connection, holderTimeout);
    }

    @Override
    public void restore(Connection connection, boolean autoCommit) throws SQLException {
        session.restore(connection, autoCommit);
    }

    @Override
    public TakenLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException {
        Optional<String> holder = tryFirst(connection, locks.getFirst());
        int taken = holder.isPresent() ? 1 : 0;
        while (taken > 0 && taken < locks.size() && tryRow(connection, locks.get(taken))) {
            taken++;
        }
        String session = holder.isPresent() ? holder.get() : this.session.ask(connection);
        if (taken < locks.size()) {
            requireRow(connection, locks.get(taken));
        }
        return new TakenLocks(taken, session, "");
    }

    /** Who has the row now; empty if somebody else is in the way, or there is no row. */
    private Optional<String> tryFirst(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, trySql(session.columns(), lock), lock);
                ResultSet found = statement.executeQuery()) {
            return found.next() ? Optional.of(session.read(found)) : Optional.empty();
        }
    }

    /** The same for those that follow, of whom nothing else has to be asked. */
    private boolean tryRow(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, trySql("1", lock), lock);
                ResultSet found = statement.executeQuery()) {
            return found.next();
        }
    }

    private String trySql(String columns, PlannedLock lock) {
        return "SELECT " + columns + row + mode(lock) + " SKIP LOCKED";
    }

    /** Reads without locking, for which it does not matter who has the row. */
    private void requireRow(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, "SELECT 1" + row, lock);
                ResultSet found = statement.executeQuery()) {
            if (!found.next()) {
                throw notProvisioned(lock);
            }
        }
    }

    @Override
    public int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, CancellableWait wait)
            throws SQLException {
        PlannedLock first = locks.getFirst();
        String sql = session.limited("1" + row + mode(first), left);
        return session.unlimited(connection, () -> {
            try (PreparedStatement statement = prepare(connection, sql, first)) {
                return wait.run(statement, () -> waitForRow(statement, first));
            }
        });
    }

    /** By {@code execute}, because to MySQL's driver a query is what begins with SELECT. */
    private int waitForRow(PreparedStatement statement, PlannedLock lock) throws SQLException {
        statement.execute();
        try (ResultSet found = statement.getResultSet()) {
            if (!found.next()) {
                throw notProvisioned(lock);
            }
            return 1;
        }
    }

    private String mode(PlannedLock lock) {
        return lock.mode() == LockMode.SHARED ? shared : "FOR UPDATE";
    }

    private static PreparedStatement prepare(Connection connection, String sql, PlannedLock lock) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setInt(1, lock.key().level());
            statement.setLong(2, lock.key().bucket());
            return statement;
        } catch (SQLException e) {
            try (statement) {
                throw e;
            }
        }
    }

    private BucketsNotProvisionedException notProvisioned(PlannedLock lock) {
        return new BucketsNotProvisionedException(
                "taking lock %s failed: the table hier_lock_buckets of %s has no row for bucket %d of level %d; create all of them with ./spream locks provision"
                        .formatted(
                                lock,
                                tables.place(),
                                lock.key().bucket(),
                                lock.key().level()),
                null);
    }

    @Override
    public String mark(Connection connection, TakenLocks taken) throws SQLException {
        return MySqlSession.mark(connection);
    }

    @Override
    public String name(Connection connection, TakenLocks taken) throws SQLException {
        return session.transaction(connection);
    }

    @Override
    public boolean isNamed(Connection connection, String name) throws SQLException {
        return session.transaction(connection).equals(name);
    }

    @Override
    public void refuseChanges(Connection connection) throws SQLException {
        MySqlSession.refuseChanges(connection);
    }

    @Override
    public void commitMarked(Connection connection, String mark) throws SQLException {
        if (!MySqlSession.unmark(connection, mark)) {
            throw LockSql.ended();
        }
        connection.commit();
    }

    @Override
    public boolean isAlive(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute("SELECT 1");
        }
    }

    /**
     * As durable as commits of this server are: where {@code innodb_flush_log_at_trx_commit} is not 1, a crash may take numbers
     * back.
     */
    @Override
    public long nextEpoch(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (statement.executeUpdate(
                            tables.in("UPDATE @hier_lock_epoch SET epoch = LAST_INSERT_ID(epoch + 1) WHERE id = 1"))
                    != 1) {
                throw new LockSpaceException(
                        "the table hier_lock_epoch of %s has no row; insert a number above any that was given out"
                                .formatted(tables.place()),
                        null);
            }
            try (ResultSet row = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}

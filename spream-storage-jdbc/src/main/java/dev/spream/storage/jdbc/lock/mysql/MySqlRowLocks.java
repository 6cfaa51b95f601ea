package dev.spream.storage.jdbc.lock.mysql;

import static java.util.stream.Collectors.joining;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Locks of rows in MySQL or MariaDB, by statements that specify whole primary keys, so that they lock only those rows.
 *
 * <p>A few rows are locked by a statement each. Many consecutive rows of one mode are locked by one statement that
 * reads them in the order of the primary key, which it is forced to use: whether by ranges or by a scan of the whole
 * index, it locks them in that order. With {@code NOWAIT} it fails at the first row that is not available; the rows
 * before it stay locked, and their number is found by bisection. With {@code SKIP LOCKED} it would continue after a row
 * that it skipped, and then hold rows after the one that it has to wait for.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/innodb-locking-reads.html">MySQL: locking reads</a>
 * @see <a href="https://mariadb.com/kb/en/lock-in-share-mode/">MariaDB: LOCK IN SHARE MODE</a>
 */
final class MySqlRowLocks implements LockSql {
    /**
     * The maximum number of rows of a statement, which takes half a megabyte of MySQL's {@code
     * range_optimizer_max_mem_size} of eight.
     */
    private static final int ROWS_PER_STATEMENT = 1000;

    /**
     * The minimum number of rows of a statement; for fewer, finding the blocked row takes more statements than this
     * saves.
     */
    private static final int LEAST_ROWS_PER_STATEMENT = 4;

    private static final int NOWAIT = 3572;
    private static final int NOWAIT_MARIADB = 1205;

    private final LockTables tables;
    private final MySqlSession session;
    private final String row;
    private final String rows;
    private final String shared;
    private final int rowsPerStatement;

    MySqlRowLocks(MySqlDialect dialect, LockTables tables) {
        this.tables = tables;
        this.session = new MySqlSession(dialect);
        this.row = " FROM " + tables.in("@hier_lock_buckets WHERE level = ? AND bucket = ? ");
        this.rows = session.inKeyOrder(
                "bucket FROM " + tables.in("@hier_lock_buckets FORCE INDEX (PRIMARY) WHERE level = "));
        this.shared = dialect.shared();
        this.rowsPerStatement = dialect.rollsBackOnTimeout() ? 1 : ROWS_PER_STATEMENT;
    }

    @Override
    public LockException exception(String failed, SQLException cause) {
        return MySqlErrors.exception(failed, cause);
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
    public AcquiredLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException {
        Optional<String> holder = tryFirst(connection, locks.getFirst());
        int taken = holder.isPresent() ? 1 + tryRest(connection, locks.subList(1, locks.size())) : 0;
        String session = holder.isPresent() ? holder.get() : this.session.ask(connection);
        if (taken < locks.size()) {
            requireRow(connection, locks.get(taken));
        }
        return new AcquiredLocks(taken, session, "");
    }

    /** Returns the session if it now holds the row; empty if another session holds it, or there is no row. */
    private Optional<String> tryFirst(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, trySql(session.columns(), lock), lock);
                ResultSet found = statement.executeQuery()) {
            return found.next() ? Optional.of(session.read(found)) : Optional.empty();
        }
    }

    /**
     * Takes the following locks, without reading the session again; returns the number of locks held, from the first
     * on.
     */
    private int tryRest(Connection connection, List<PlannedLock> locks) throws SQLException {
        int taken = 0;
        while (taken < locks.size()) {
            List<PlannedLock> run = run(locks.subList(taken, locks.size()));
            int more = tryRun(connection, run);
            taken += more;
            if (more < run.size()) {
                break;
            }
        }
        return taken;
    }

    /** Returns the first locks if one statement can take several, or else the first alone. */
    private List<PlannedLock> run(List<PlannedLock> locks) {
        PlannedLock first = locks.getFirst();
        int size = 1;
        while (size < Math.min(locks.size(), rowsPerStatement)
                && locks.get(size).mode() == first.mode()
                && locks.get(size).key().level() == first.key().level()) {
            size++;
        }
        return locks.subList(0, size < LEAST_ROWS_PER_STATEMENT ? 1 : size);
    }

    private int tryRun(Connection connection, List<PlannedLock> run) throws SQLException {
        if (run.size() == 1) {
            return tryRow(connection, run.getFirst()) ? 1 : 0;
        }
        if (tryRows(connection, run)) {
            return run.size();
        }
        int half = run.size() / 2;
        int taken = tryRun(connection, run.subList(0, half));
        return taken < half ? taken : half + tryRun(connection, run.subList(half, run.size()));
    }

    /**
     * Returns whether all rows are locked now; if not, the rows before the first that is locked by others or missing
     * are.
     */
    private boolean tryRows(Connection connection, List<PlannedLock> run) throws SQLException {
        String buckets =
                run.stream().map(lock -> Long.toString(lock.key().bucket())).collect(joining(", "));
        String sql = "%s%d AND bucket IN (%s) ORDER BY level, bucket %s NOWAIT"
                .formatted(rows, run.getFirst().key().level(), buckets, mode(run.getFirst()));
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            try (ResultSet found = statement.getResultSet()) {
                int count = 0;
                while (found.next()) {
                    count++;
                }
                return count == run.size();
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == NOWAIT || e.getErrorCode() == NOWAIT_MARIADB) {
                return false;
            }
            throw e;
        }
    }

    private boolean tryRow(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, trySql("1", lock), lock);
                ResultSet found = statement.executeQuery()) {
            return found.next();
        }
    }

    private String trySql(String columns, PlannedLock lock) {
        return "SELECT " + columns + row + mode(lock) + " SKIP LOCKED";
    }

    /** Requires the row, by a read without a lock, even if another session has locked it. */
    private void requireRow(Connection connection, PlannedLock lock) throws SQLException {
        try (PreparedStatement statement = prepare(connection, "SELECT 1" + row, lock);
                ResultSet found = statement.executeQuery()) {
            if (!found.next()) {
                throw notProvisioned(lock);
            }
        }
    }

    @Override
    public int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, Waiting waiting)
            throws SQLException {
        PlannedLock first = locks.getFirst();
        String sql = session.limited("1" + row + mode(first), left);
        int waited = session.unlimited(connection, () -> {
            try (PreparedStatement statement = prepare(connection, sql, first)) {
                return waiting.run(statement, () -> waitForRow(statement, first));
            }
        });
        return waited + tryRest(connection, locks.subList(waited, locks.size()));
    }

    /** Waits by {@code execute}, because MySQL's driver accepts only statements that begin with SELECT as queries. */
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
    public String mark(Connection connection, AcquiredLocks taken) throws SQLException {
        return MySqlSession.mark(connection);
    }

    @Override
    public String name(Connection connection, AcquiredLocks taken) throws SQLException {
        return session.nameTransaction(connection);
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
     * Increments the epoch, as durably as this server commits: unless {@code innodb_flush_log_at_trx_commit} is 1, a
     * crash may undo it.
     */
    @Override
    public long nextEpoch(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (statement.executeUpdate(
                            tables.in("UPDATE @hier_lock_epoch SET epoch = LAST_INSERT_ID(epoch + 1) WHERE id = 1"))
                    != 1) {
                throw new BucketSpaceException(
                        "the table hier_lock_epoch of %s has no row; insert a number above any that was assigned"
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

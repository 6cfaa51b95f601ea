package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockLayout;
import dev.spream.lock.LockSpaceException;
import dev.spream.lock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The tables of the locks in a database of MySQL or MariaDB. */
final class MySqlLockTables implements LockTables {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$-]{1,64}");

    private static final String LOCKABLE = "SELECT COUNT(*) FROM information_schema.tables"
            + " WHERE table_schema = ? AND table_name = 'hier_lock_buckets' AND engine = 'InnoDB'";

    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private final DataSource dataSource;
    private final String database;

    MySqlLockTables(DataSource dataSource, String database) {
        if (!NAME.matcher(database).matches()) {
            throw new IllegalArgumentException(
                    "malformed database name '%s': expected letters, digits, _, $ and -, 64 at most"
                            .formatted(database));
        }
        this.dataSource = dataSource;
        this.database = database;
    }

    /** The database that a connection is for. */
    static String database(Connection connection) throws SQLException {
        @Nullable String current = connection.getCatalog();
        if (current == null || current.isEmpty()) {
            throw new LockStoreException(
                    "it is not said in which database the locks are: name it at the end of the URL, or as the schema",
                    null);
        }
        return current;
    }

    @Override
    public String place() {
        return "database '%s'".formatted(database);
    }

    @Override
    public String schema() {
        return database;
    }

    @Override
    public String in(String sql) {
        return sql.replace("@", '`' + database + "`.");
    }

    @Override
    public void ensure(boolean migrate) {
        migration().ensure(migrate);
    }

    private MySqlLockMigration migration() {
        return new MySqlLockMigration(dataSource, this);
    }

    @Override
    public boolean exist() {
        try (Connection connection = dataSource.getConnection()) {
            return migration().storedVersion(connection) > 0;
        } catch (SQLException e) {
            throw LockTableErrors.of("looking for the tables of hierarchical locks in " + place(), e);
        }
    }

    @Override
    public LockStrategy defaultStrategy() {
        return LockStrategy.ROWS;
    }

    @Override
    public LockSql sql(LockStrategy strategy) {
        if (strategy != LockStrategy.ROWS) {
            throw new LockSpaceException(
                    "locks in %s cannot be advisory, which only PostgreSQL knows; use the strategy rows"
                            .formatted(place()),
                    null);
        }
        try (Connection connection = dataSource.getConnection()) {
            MySqlDialect dialect = MySqlDialect.of(connection);
            if (MySqlAnswers.number(connection, LOCKABLE, database) == 0) {
                throw new LockSpaceException(
                        "the table hier_lock_buckets of %s is not one of InnoDB, whose rows alone can be locked; convert it with ALTER TABLE hier_lock_buckets ENGINE = InnoDB"
                                .formatted(place()),
                        null);
            }
            return new MySqlRowLocks(dialect, this);
        } catch (SQLException e) {
            throw LockTableErrors.of("looking at the server of the locks in " + place(), e);
        }
    }

    @Override
    public String recordSpace() {
        return """
                INSERT IGNORE INTO @hier_lock_space (id, strategy, hash, buckets, levels, recorded_at)
                VALUES (1, ?, ?, ?, ?, UTC_TIMESTAMP(6))""";
    }

    /**
     * Numbers are digits crossed with digits, as many as the chunk has: a recursion would be limited by the server. A row that
     * is there is left out by a read that waits for nobody; to insert it in vain would wait for who has it locked.
     */
    @Override
    public String makeBuckets(int chunk) {
        int digits = Integer.toString(chunk - 1).length();
        String number = IntStream.range(0, digits)
                .mapToObj(i -> "d%d.d * %d".formatted(i, (long) Math.pow(10, i)))
                .collect(Collectors.joining(" + "));
        String tables = IntStream.range(0, digits)
                .mapToObj(i -> "(SELECT 0 AS d"
                        + " UNION ALL SELECT %d".repeat(9).formatted(1, 2, 3, 4, 5, 6, 7, 8, 9) + ") AS d" + i)
                .collect(Collectors.joining(" CROSS JOIN "));
        return """
                INSERT IGNORE INTO @hier_lock_buckets (level, bucket)
                SELECT wanted.level, wanted.first + numbers.n
                FROM (SELECT ? AS level, ? AS first, ? AS many) AS wanted
                    JOIN (SELECT %s AS n FROM %s) AS numbers ON numbers.n < wanted.many
                    LEFT JOIN @hier_lock_buckets AS there
                        ON there.level = wanted.level AND there.bucket = wanted.first + numbers.n
                WHERE there.bucket IS NULL
                ORDER BY 1, 2""".formatted(number, tables);
    }

    /**
     * A table cannot be truncated while a transaction has used it. This commits by itself, so it is noted before that nothing
     * is complete any more.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/metadata-locking.html">MySQL: metadata locking</a>
     */
    @Override
    public Optional<String> clear(Connection connection) throws SQLException {
        long timeout = MySqlAnswers.number(connection, "SELECT @@lock_wait_timeout");
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION lock_wait_timeout = 1");
            long provisioned =
                    MySqlAnswers.number(connection, in("SELECT COALESCE(MAX(provisioned), 0) FROM @hier_lock_space"));
            statement.execute(in("UPDATE @hier_lock_space SET provisioned = 0"));
            connection.commit();
            try {
                statement.execute(in("TRUNCATE TABLE @hier_lock_buckets"));
            } catch (SQLException e) {
                statement.execute(in("UPDATE @hier_lock_space SET provisioned = %d".formatted(provisioned)));
                connection.commit();
                if (e.getErrorCode() == LOCK_WAIT_TIMEOUT) {
                    return Optional.of("somebody uses them");
                }
                throw e;
            } finally {
                statement.execute("SET SESSION lock_wait_timeout = %d".formatted(timeout));
            }
            statement.execute(in("DELETE FROM @hier_lock_owner"));
            statement.execute(in("DELETE FROM @hier_lock_wait"));
            statement.execute(in("DELETE FROM @hier_lock_space"));
            return Optional.empty();
        }
    }

    @Override
    public LockReports reports() {
        return new LockReports(ReportSql.MYSQL, this::in);
    }

    @Override
    public LockWatch watch(Connection connection, LockLayout layout) throws SQLException {
        return MySqlDialect.of(connection).mariadb() ? new MariaDbLockWatch(database) : new MySqlLockWatch(database);
    }

    @Override
    public String server(Connection connection) throws SQLException {
        String version = MySqlAnswers.text(connection, "SELECT VERSION()");
        return (version.contains("MariaDB") ? "MariaDB " : "MySQL ") + version.replaceFirst("-.*", "");
    }

    @Override
    public Facts facts(Connection connection, LockStrategy strategy) throws SQLException {
        List<String> facts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (MySqlAnswers.number(connection, "SELECT @@global.read_only") != 0) {
            problems.add(
                    "this server is read-only, as a replica is, where locks exclude nobody; connect to the primary");
        }
        facts.add("a wait for a lock ends after %d s at the latest where you set no deadline (innodb_lock_wait_timeout)"
                .formatted(MySqlAnswers.number(connection, "SELECT @@innodb_lock_wait_timeout")));
        facts.add(isolation(connection.getTransactionIsolation()));
        return new Facts(facts, problems);
    }

    private static String isolation(int isolation) {
        return isolation == Connection.TRANSACTION_READ_COMMITTED
                ? "the default isolation is READ COMMITTED, as locks need it"
                : "the default isolation is not READ COMMITTED; a transaction of yours that takes locks has to set it, handles do so themselves";
    }
}

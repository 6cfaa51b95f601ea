package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.MySqlAnswers;
import dev.spream.storage.jdbc.internal.MySqlVersion;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import dev.spream.storage.jdbc.lock.dialect.ReportSql;
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
public final class MySqlLockTables implements LockTables {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$-]{1,64}");

    private static final String LOCKABLE = "SELECT COUNT(*) FROM information_schema.tables"
            + " WHERE table_schema = ? AND table_name = 'hier_lock_buckets' AND engine = 'InnoDB'";

    private static final int LOCK_WAIT_TIMEOUT = 1205;

    /** Uses {@code VALUES()}, which both MySQL and MariaDB support. */
    private static final ReportSql REPORTS = new ReportSql(
            """
            INSERT INTO @hier_lock_owner
                (process, session, label, held, wanted, held_since, waiting_since, expires_at)
            VALUES (?, ?, ?, ?, ?,
                UTC_TIMESTAMP(6) - INTERVAL NULLIF(?, 0) MICROSECOND,
                UTC_TIMESTAMP(6) - INTERVAL NULLIF(?, 0) MICROSECOND,
                UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)
            ON DUPLICATE KEY UPDATE label = VALUES(label), held = VALUES(held), wanted = VALUES(wanted),
                held_since = VALUES(held_since), waiting_since = VALUES(waiting_since),
                expires_at = VALUES(expires_at)""",
            """
            INSERT INTO @hier_lock_wait (level, bucket, hour, waits, waited_micros)
            VALUES (?, ?, DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:00:00'), ?, ?)
            ON DUPLICATE KEY UPDATE waits = waits + VALUES(waits),
                waited_micros = waited_micros + VALUES(waited_micros)""",
            """
            SELECT process, session, label, held, wanted,
                TIMESTAMPDIFF(MICROSECOND, held_since, UTC_TIMESTAMP(6)) AS held_micros,
                TIMESTAMPDIFF(MICROSECOND, waiting_since, UTC_TIMESTAMP(6)) AS waiting_micros
            FROM @hier_lock_owner WHERE expires_at > UTC_TIMESTAMP(6) ORDER BY expires_at DESC""",
            """
            SELECT level, bucket, CAST(SUM(waits) AS SIGNED) AS waits,
                CAST(SUM(waited_micros) AS SIGNED) AS waited_micros
            FROM @hier_lock_wait WHERE hour > UTC_TIMESTAMP() - INTERVAL ? HOUR GROUP BY level, bucket""",
            "SELECT DISTINCT process FROM @hier_lock_owner WHERE expires_at <= UTC_TIMESTAMP(6) ORDER BY process",
            "DELETE FROM @hier_lock_owner WHERE process = ? AND expires_at <= UTC_TIMESTAMP(6)",
            "DELETE FROM @hier_lock_wait WHERE hour <= UTC_TIMESTAMP() - INTERVAL ? HOUR");

    private final DataSource dataSource;
    private final String database;

    private MySqlLockTables(DataSource dataSource, String database) {
        if (!NAME.matcher(database).matches()) {
            throw new IllegalArgumentException(
                    "malformed database name '%s': expected letters, digits, _, $ and -, 64 at most"
                            .formatted(database));
        }
        this.dataSource = dataSource;
        this.database = database;
    }

    /** Returns the tables in the database of that name, or in the database of the connection. */
    public static MySqlLockTables in(DataSource dataSource, Connection connection, Optional<String> database)
            throws SQLException {
        return new MySqlLockTables(dataSource, database.isPresent() ? database.get() : database(connection));
    }

    private static String database(Connection connection) throws SQLException {
        @Nullable String current = connection.getCatalog();
        if (current == null || current.isEmpty()) {
            throw new LockStoreException(
                    "the database of the locks is not specified: add it to the end of the URL, or specify it as the schema",
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
            throw LockTables.failure("looking for the tables of hierarchical locks in " + place(), e);
        }
    }

    @Override
    public boolean hasAdvisoryLocks() {
        return false;
    }

    @Override
    public LockSql advisoryLocks() {
        throw new BucketSpaceException(
                "locks in %s cannot be advisory locks, which need PostgreSQL; use the strategy rows".formatted(place()),
                null);
    }

    @Override
    public LockSql rowLocks() {
        try (Connection connection = dataSource.getConnection()) {
            MySqlDialect dialect = MySqlDialect.of(connection);
            if (MySqlAnswers.number(connection, LOCKABLE, database) == 0) {
                throw new BucketSpaceException(
                        "the table hier_lock_buckets of %s does not use InnoDB, the only engine with row locks; convert it with ALTER TABLE hier_lock_buckets ENGINE = InnoDB"
                                .formatted(place()),
                        null);
            }
            return new MySqlRowLocks(dialect, this);
        } catch (SQLException e) {
            throw LockTables.failure("inspecting the server of the locks in " + place(), e);
        }
    }

    @Override
    public String recordSpace() {
        return """
                INSERT IGNORE INTO @hier_lock_space (id, strategy, hash, buckets, levels, recorded_at)
                VALUES (1, ?, ?, ?, ?, UTC_TIMESTAMP(6))""";
    }

    /**
     * Generates the numbers as a cross join of digits, since servers limit recursions. Existing rows are excluded by a
     * read without locks; an insert of one would wait for its lock and fail.
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
     * A table cannot be truncated while a transaction uses it. {@code TRUNCATE} commits implicitly, so the layout is
     * marked as incomplete before.
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
                    return Optional.of("another session uses them");
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
    public ReportSql reports() {
        return REPORTS;
    }

    @Override
    public LockMonitor watch(Connection connection, boolean advisory, BucketSpace space) throws SQLException {
        return MySqlDialect.of(connection).mariadb()
                ? new MariaDbLockMonitor("`%s`.`hier_lock_buckets`".formatted(database))
                : new MySqlLockMonitor(database);
    }

    @Override
    public String server(Connection connection) throws SQLException {
        return MySqlVersion.of(MySqlAnswers.text(connection, "SELECT VERSION()"))
                .toString();
    }

    @Override
    public Facts facts(Connection connection, boolean advisory) throws SQLException {
        List<String> facts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (MySqlAnswers.number(connection, "SELECT @@global.read_only") != 0) {
            problems.add(
                    "this server is read-only, like a replica, where locks have no effect on the primary; connect to the primary");
        }
        facts.add("a wait for a lock without a deadline ends after %d s at the latest (innodb_lock_wait_timeout)"
                .formatted(MySqlAnswers.number(connection, "SELECT @@innodb_lock_wait_timeout")));
        facts.add(isolation(connection.getTransactionIsolation()));
        return new Facts(facts, problems);
    }

    private static String isolation(int isolation) {
        return isolation == Connection.TRANSACTION_READ_COMMITTED
                ? "the default isolation is READ COMMITTED, as locks require"
                : "the default isolation is not READ COMMITTED; your transactions that take locks must set it; handles do so themselves";
    }
}

package dev.spream.storage.jdbc.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.lock.LockLayout;
import dev.spream.core.lock.LockSpaceException;
import dev.spream.core.lock.LockStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of the locks in a database of MySQL or MariaDB, created by a script that can be run again: what creates a table
 * there is committed at once.
 */
final class MySqlLockTables implements LockTables {
    private static final Logger log = LoggerFactory.getLogger(MySqlLockTables.class);

    private static final int VERSION = 1;
    private static final String SCRIPT = "/dev/spream/storage/jdbc/lock/mysql/V1__hierarchical_locks.sql";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$-]{1,64}");

    /** Taken by one process at a time for all that it creates; a name of a lock has 64 characters at most. */
    private static final String LOCK = "SELECT GET_LOCK(LEFT(SHA2(CONCAT('spream locks ', ?), 256), 60), 60)";

    private static final String UNLOCK = "SELECT RELEASE_LOCK(LEFT(SHA2(CONCAT('spream locks ', ?), 256), 60))";
    private static final String DATABASE_EXISTS =
            "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    private static final String HISTORY_EXISTS = "SELECT COUNT(*) FROM information_schema.tables"
            + " WHERE table_schema = ? AND table_name = 'hier_lock_history'";

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
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                if (migrate && storedVersion(connection) < VERSION) {
                    migrate(connection);
                }
                check(storedVersion(connection));
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw LockTableErrors.of("migrating the tables of hierarchical locks in " + place(), e);
        }
    }

    /** Processes that start at once wait for each other; the later ones find nothing to do. */
    private void migrate(Connection connection) throws SQLException {
        if (ask(connection, LOCK, database) != 1) {
            throw new LockStoreException(
                    "another process has been creating the tables of hierarchical locks in %s for a minute; look at it, or try again"
                            .formatted(place()),
                    null);
        }
        try {
            if (storedVersion(connection) < VERSION) {
                runScript(connection);
                log.info("[{}] created the tables of hierarchical locks, version {}", database, VERSION);
            }
        } finally {
            ask(connection, UNLOCK, database);
        }
    }

    private void runScript(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (ask(connection, DATABASE_EXISTS, database) == 0) {
                statement.execute("CREATE DATABASE IF NOT EXISTS `%s`".formatted(database));
            }
            for (String sql : statements()) {
                statement.execute(in(sql));
            }
        }
    }

    private static List<String> statements() {
        try (InputStream script = Objects.requireNonNull(MySqlLockTables.class.getResourceAsStream(SCRIPT), SCRIPT)) {
            String sql = new String(script.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .collect(Collectors.joining("\n"));
            return List.of(sql.strip().split(";\\s*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(long stored) {
        if (stored == 0) {
            throw new LockStoreException(
                    "%s has no tables of hierarchical locks; create them with ./spream locks provision, by a user who may, or name the database that has them"
                            .formatted(place()),
                    null);
        }
        if (stored > VERSION) {
            throw new LockStoreException(
                    "the tables of hierarchical locks in %s are of version %d, this spream knows versions up to %d; use the version of spream that migrated them, or a newer one"
                            .formatted(place(), stored, VERSION),
                    null);
        }
    }

    /** 0 if there are no tables, or not all. */
    private long storedVersion(Connection connection) throws SQLException {
        if (ask(connection, HISTORY_EXISTS, database) == 0) {
            return 0;
        }
        return ask(connection, in("SELECT COALESCE(MAX(version), 0) FROM @hier_lock_history"));
    }

    private static long ask(Connection connection, String question, String... names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(question)) {
            for (int i = 0; i < names.length; i++) {
                statement.setString(i + 1, names[i]);
            }
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() ? answer.getLong(1) : 0;
            }
        }
    }

    @Override
    public boolean exist() {
        try (Connection connection = dataSource.getConnection()) {
            return storedVersion(connection) > 0;
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
            if (ask(connection, LOCKABLE, database) == 0) {
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
        long timeout = ask(connection, "SELECT @@lock_wait_timeout");
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION lock_wait_timeout = 1");
            long provisioned = ask(connection, in("SELECT COALESCE(MAX(provisioned), 0) FROM @hier_lock_space"));
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
        String version = text(connection, "SELECT VERSION()");
        return (version.contains("MariaDB") ? "MariaDB " : "MySQL ") + version.replaceFirst("-.*", "");
    }

    @Override
    public Facts facts(Connection connection, LockStrategy strategy) throws SQLException {
        List<String> facts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (ask(connection, "SELECT @@global.read_only") != 0) {
            problems.add(
                    "this server is read-only, as a replica is, where locks exclude nobody; connect to the primary");
        }
        facts.add("a wait for a lock ends after %d s at the latest where you set no deadline (innodb_lock_wait_timeout)"
                .formatted(ask(connection, "SELECT @@innodb_lock_wait_timeout")));
        facts.add(isolation(connection.getTransactionIsolation()));
        return new Facts(facts, problems);
    }

    private static String isolation(int isolation) {
        return isolation == Connection.TRANSACTION_READ_COMMITTED
                ? "the default isolation is READ COMMITTED, as locks need it"
                : "the default isolation is not READ COMMITTED; a transaction of yours that takes locks has to set it, handles do so themselves";
    }

    private static String text(Connection connection, String question) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            return answer.getString(1);
        }
    }
}

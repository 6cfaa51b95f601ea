package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.core.StorageException;
import dev.spream.lock.BucketSpace;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import dev.spream.storage.jdbc.lock.dialect.ReportSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The tables of the locks in a schema of PostgreSQL. */
public final class PostgresLockTables implements LockTables {
    private static final String SCHEMA = "spream";

    private static final MigratedTables TABLES = new MigratedTables(
                    "hierarchical locks",
                    "dev/spream/storage/jdbc/lock/postgresql",
                    "hier_lock_history",
                    1,
                    "migrate(true), in a configuration locks.jdbc.migrate=true, or by ./spream locks provision")
            .with(List.of("V1__hierarchical_locks"));

    private static final String TABLE_EXISTS =
            "SELECT FROM pg_tables WHERE schemaname = ? AND tablename = 'hier_lock_space'";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String LOCK_TABLES =
            "LOCK TABLE @hier_lock_space, @hier_lock_buckets IN ACCESS EXCLUSIVE MODE";

    private static final String ONLY_MAINTENANCE = """
            SELECT COALESCE(bool_and(mode = 'ShareUpdateExclusiveLock'), true) FROM pg_locks
            WHERE locktype = 'relation' AND pid <> pg_backend_pid() AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND relation IN ('@hier_lock_space'::regclass, '@hier_lock_buckets'::regclass)""";

    private static final String WAIT_FOR_CANCELLATION = """
            SELECT set_config('lock_timeout', (setting::bigint + 2000)::text, true)
            FROM pg_settings WHERE name = 'deadlock_timeout'""";

    /** The advisory locks whose key is a single number; the server does not know their purpose. */
    private static final String ADVISORY_LOCKS = """
            SELECT string_agg(DISTINCT pid::text, ', ') FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 1 AND pid <> pg_backend_pid()
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    private static final String FACTS = """
            SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only'),
                current_setting('default_transaction_isolation'), current_setting('max_locks_per_transaction')""";

    /** The statements of reports. The hour is that of the server's clock in UTC. */
    private static final ReportSql REPORTS = new ReportSql(
            """
            INSERT INTO @hier_lock_owner
                (process, session, label, held, wanted, held_since, waiting_since, expires_at)
            SELECT r.process, r.session, r.label, r.held, r.wanted,
                clock.now - nullif(r.held_micros, 0) * interval '1 microsecond',
                clock.now - nullif(r.waiting_micros, 0) * interval '1 microsecond',
                clock.now + r.live_micros * interval '1 microsecond'
            FROM (SELECT clock_timestamp() AS now) AS clock,
                (SELECT ?::text, ?::text, ?::text, ?::text, ?::text, ?::bigint, ?::bigint, ?::bigint)
                    AS r (process, session, label, held, wanted, held_micros, waiting_micros, live_micros)
            ON CONFLICT (process, session) DO UPDATE SET label = excluded.label, held = excluded.held,
                wanted = excluded.wanted, held_since = excluded.held_since, waiting_since = excluded.waiting_since,
                expires_at = excluded.expires_at""",
            """
            INSERT INTO @hier_lock_wait AS w (level, bucket, hour, waits, waited_micros)
            VALUES (?, ?, date_trunc('hour', clock_timestamp(), 'UTC'), ?, ?)
            ON CONFLICT (level, bucket, hour) DO UPDATE
            SET waits = w.waits + excluded.waits, waited_micros = w.waited_micros + excluded.waited_micros""",
            """
            SELECT process, session, label, held, wanted,
                (extract(epoch FROM clock_timestamp() - held_since) * 1000000)::bigint AS held_micros,
                (extract(epoch FROM clock_timestamp() - waiting_since) * 1000000)::bigint AS waiting_micros
            FROM @hier_lock_owner WHERE expires_at > clock_timestamp() ORDER BY expires_at DESC""",
            """
            SELECT level, bucket, sum(waits)::bigint AS waits, sum(waited_micros)::bigint AS waited_micros
            FROM @hier_lock_wait WHERE hour > clock_timestamp() - ? * interval '1 hour' GROUP BY level, bucket""",
            "SELECT DISTINCT process FROM @hier_lock_owner WHERE expires_at <= clock_timestamp() ORDER BY process",
            "DELETE FROM @hier_lock_owner WHERE process = ? AND expires_at <= clock_timestamp()",
            "DELETE FROM @hier_lock_wait WHERE hour <= clock_timestamp() - ? * interval '1 hour'");

    private final DataSource dataSource;
    private final SchemaName schema;

    private PostgresLockTables(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /** Returns the tables in the schema of that name, or in the schema {@code spream}. */
    public static PostgresLockTables in(DataSource dataSource, Optional<String> schema) {
        return new PostgresLockTables(dataSource, new SchemaName(schema.orElse(SCHEMA)));
    }

    @Override
    public String place() {
        return "schema '%s'".formatted(schema);
    }

    @Override
    public String schema() {
        return schema.value();
    }

    @Override
    public String in(String sql) {
        return schema.in(sql);
    }

    @Override
    public void ensure(boolean migrate) {
        try {
            new SchemaMigration(dataSource, schema, TABLES).ensure(migrate);
        } catch (StorageException e) {
            throw LockTables.failure(e);
        }
    }

    @Override
    public boolean exist() {
        try (Connection connection = dataSource.getConnection()) {
            return !new Statements(connection, schema::in)
                    .rows(TABLE_EXISTS, p -> p.text(schema.value()), row -> true)
                    .isEmpty();
        } catch (SQLException e) {
            throw LockTables.failure("looking for the tables of hierarchical locks in " + place(), e);
        }
    }

    @Override
    public boolean hasAdvisoryLocks() {
        return true;
    }

    @Override
    public LockSql advisoryLocks() {
        return new PostgresAdvisoryLocks(schema);
    }

    @Override
    public LockSql rowLocks() {
        return new PostgresRowLocks(schema);
    }

    @Override
    public String recordSpace() {
        return """
                INSERT INTO @hier_lock_space (id, strategy, hash, buckets, levels) VALUES (1, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING""";
    }

    @Override
    public String makeBuckets(int chunk) {
        return """
                INSERT INTO @hier_lock_buckets (level, bucket)
                SELECT wanted.level, wanted.first + n FROM (SELECT ?::int, ?::int, ?::int) AS wanted (level, first, count),
                    generate_series(0, wanted.count - 1) AS n
                ON CONFLICT DO NOTHING""";
    }

    /**
     * Locks the tables, which conflicts with every row lock. Waits only for maintenance, such as an automatic vacuum or
     * analyze of the buckets, which PostgreSQL cancels for a session that has waited for {@code deadlock_timeout}; a
     * longer wait would block the requests that queue behind it.
     *
     * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-TABLES">PostgreSQL:
     *     table-level locks</a>
     */
    @Override
    public Optional<String> clear(Connection connection) throws SQLException {
        if (!takeTables(connection, LOCK_TABLES + " NOWAIT") && !waitForMaintenance(connection)) {
            return Optional.of("another session uses them");
        }
        Optional<String> advisory = advisoryHolders(connection);
        if (advisory.isEmpty()) {
            Statements.execute(
                    connection, in("TRUNCATE @hier_lock_space, @hier_lock_buckets, @hier_lock_owner, @hier_lock_wait"));
        }
        return advisory;
    }

    private boolean waitForMaintenance(Connection connection) throws SQLException {
        if (!Statements.answer(connection, in(ONLY_MAINTENANCE), row -> row.getBoolean(1))) {
            return false;
        }
        String before = Statements.answer(connection, "SHOW lock_timeout", row -> row.getString(1));
        Statements.answer(connection, WAIT_FOR_CANCELLATION, row -> row.getString(1));
        boolean taken = takeTables(connection, LOCK_TABLES);
        Statements.execute(connection, "SET LOCAL lock_timeout = '%s'".formatted(before));
        return taken;
    }

    private boolean takeTables(Connection connection, String sql) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            Statements.execute(connection, in(sql));
            return true;
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback(before);
            return false;
        }
    }

    private Optional<String> advisoryHolders(Connection connection) throws SQLException {
        boolean advisory = Statements.answer(
                connection,
                in("SELECT EXISTS (SELECT FROM @hier_lock_space WHERE strategy = 'advisory')"),
                row -> row.getBoolean(1));
        return advisory
                ? Statements.answer(connection, ADVISORY_LOCKS, row -> Optional.ofNullable(row.getString(1)))
                        .map("the sessions %s hold advisory locks, which may be these"::formatted)
                : Optional.empty();
    }

    @Override
    public ReportSql reports() {
        return REPORTS;
    }

    @Override
    public LockMonitor watch(Connection connection, boolean advisory, BucketSpace space) {
        return new PostgresLockMonitor(schema, advisory, space);
    }

    @Override
    public String server(Connection connection) throws SQLException {
        return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
    }

    @Override
    public Facts facts(Connection connection, boolean advisory) throws SQLException {
        return Statements.answer(connection, FACTS, row -> facts(row, advisory));
    }

    private static Facts facts(ResultSet row, boolean advisory) throws SQLException {
        List<String> facts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (row.getBoolean(1)) {
            problems.add("this server is a replica, where locks have no effect on the primary; connect to the primary");
        } else if (row.getString(2).equals("on")) {
            problems.add("transactions are read-only by default (default_transaction_read_only) and cannot lock rows;"
                    + " connect to a server, or as a user, where they are not");
        }
        facts.add(isolation(row.getString(3)));
        if (advisory) {
            facts.add("max_locks_per_transaction is %s; a transaction with very many advisory locks may need more"
                    .formatted(row.getString(4)));
        }
        return new Facts(facts, problems);
    }

    private static String isolation(String isolation) {
        return isolation.equals("read committed")
                ? "the default isolation is read committed, as locks require"
                : "the default isolation is %s; your transactions that take locks must set READ COMMITTED; handles do so themselves"
                        .formatted(isolation);
    }
}

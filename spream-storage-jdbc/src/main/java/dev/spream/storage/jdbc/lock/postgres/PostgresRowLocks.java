package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Locks of rows, a few of them in one statement.
 *
 * <p>Their order is that of nested CASE expressions: the subquery that locks the next row is in the branch that is
 * evaluated only after the row before was locked. A single locking SELECT of several rows would lock them in their
 * order as well, but with SKIP LOCKED it would continue after a skipped row, and then hold rows after the one that it
 * has to wait for.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-expressions.html#SYNTAX-EXPRESS-EVAL">PostgreSQL: CASE
 *     forces the order of evaluation</a>
 * @see <a href="https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE">PostgreSQL: locking
 *     clauses</a>
 */
@SuppressWarnings("InlineFormatString") // the statements are easier to read as templates
final class PostgresRowLocks extends PostgresLocks {
    /** The number of locks of a statement in mixed modes; the server keeps a plan for each sequence of modes. */
    private static final int LOCKS_PER_STATEMENT = 4;

    /** The number of locks of a statement in one mode. */
    private static final int EQUAL_LOCKS_PER_STATEMENT = 32;

    /**
     * Takes the parameters of {@link #bind}. Materialized, because a subquery that locks must not be evaluated twice.
     */
    private static final String TRY = """
            WITH given AS MATERIALIZED (SELECT ?::int[] AS levels, ?::bigint[] AS buckets
            ), step AS MATERIALIZED (SELECT levels, buckets, %s AS locks FROM given)
            SELECT locks, locks = cardinality(buckets) OR EXISTS (
                    SELECT FROM @hier_lock_buckets b
                    WHERE b.level = levels[locks + 1] AND b.bucket = buckets[locks + 1]) AS provisioned,
                %s
            FROM step""";

    private static final String WAIT = WAITS + """
            WITH given AS MATERIALIZED (
                SELECT ?::int[] AS levels, ?::bigint[] AS buckets, current_setting('lock_timeout') AS before, %s AS during
            ), step AS MATERIALIZED (
                SELECT before, CASE WHEN set_config('lock_timeout', during, true) IS NULL THEN 0
                    WHEN (%s) THEN %s ELSE 0 END AS locks
                FROM given
            )
            SELECT locks, set_config('lock_timeout', CASE WHEN locks > 0 THEN before ELSE before END, true)
            FROM step""" + WAITED + NO_SNAPSHOT;

    PostgresRowLocks(SchemaName schema) {
        super(schema);
    }

    @Override
    public AcquiredLocks tryInHandle(Connection connection, List<PlannedLock> locks, Duration holderTimeout)
            throws SQLException {
        List<PlannedLock> some = some(locks);
        String sql = tries(some, HANDLE_SESSION) + standstill(holderTimeout);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, some);
            AcquiredLocks first = tryInHandle(connection, statement, row -> taken(row, some));
            return first.count() < some.size() ? first : tryRest(connection, locks, first);
        }
    }

    @Override
    public AcquiredLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException {
        List<PlannedLock> some = some(locks);
        AcquiredLocks first = trySome(connection, some);
        return first.count() < some.size() ? first : tryRest(connection, locks, first);
    }

    private AcquiredLocks tryRest(Connection connection, List<PlannedLock> locks, AcquiredLocks before)
            throws SQLException {
        int count = before.count();
        while (count < locks.size()) {
            List<PlannedLock> some = some(locks.subList(count, locks.size()));
            int more = trySome(connection, some).count();
            count += more;
            if (more < some.size()) {
                break;
            }
        }
        return new AcquiredLocks(count, before.session(), before.transaction());
    }

    private AcquiredLocks trySome(Connection connection, List<PlannedLock> some) throws SQLException {
        String sql = tries(some, SESSION);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, some);
            return tryLock(statement, row -> taken(row, some));
        }
    }

    private String tries(List<PlannedLock> some, String session) {
        return schema.in(TRY.formatted(steps(some, 0), session));
    }

    private AcquiredLocks taken(ResultSet row, List<PlannedLock> some) throws SQLException {
        AcquiredLocks taken = taken(row);
        if (!row.getBoolean("provisioned")) {
            throw notProvisioned(some.get(taken.count()));
        }
        return taken;
    }

    /**
     * Waits for the first lock and tries the others, so that the next blocking lock is known and gets a time limit of
     * its own.
     */
    @Override
    public int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, Waiting waiting)
            throws SQLException {
        List<PlannedLock> some = some(locks);
        String sql = WAIT.formatted(WAIT_LIMIT, row(some.getFirst(), 0), steps(some, 1));
        try (PreparedStatement statement = connection.prepareStatement(schema.in(sql))) {
            bind(statement, some);
            statement.setLong(3, waitLimit(left));
            int taken = waiting.run(statement, () -> waited(statement));
            if (taken == 0) {
                throw notProvisioned(some.getFirst());
            }
            return taken;
        }
    }

    /** Returns the locks for the next statement, from the first on. */
    private static List<PlannedLock> some(List<PlannedLock> locks) {
        int equal = 1;
        while (equal < Math.min(locks.size(), EQUAL_LOCKS_PER_STATEMENT)
                && locks.get(equal).mode() == locks.getFirst().mode()) {
            equal++;
        }
        return locks.subList(
                0,
                equal > LOCKS_PER_STATEMENT
                        ? Integer.highestOneBit(equal)
                        : Math.min(locks.size(), LOCKS_PER_STATEMENT));
    }

    /**
     * Returns an expression for the number of locks that are taken when those from that index on are tried one by one.
     */
    private static String steps(List<PlannedLock> locks, int from) {
        StringBuilder sql = new StringBuilder();
        for (int i = from; i < locks.size(); i++) {
            sql.append("CASE WHEN (%s SKIP LOCKED) IS NULL THEN %d ELSE ".formatted(row(locks.get(i), i), i));
        }
        return sql.append(locks.size())
                .append(" END".repeat(locks.size() - from))
                .toString();
    }

    /** Returns the query of a row; arrays begin at 1. */
    private static String row(PlannedLock lock, int index) {
        return "SELECT true FROM @hier_lock_buckets b WHERE b.level = levels[%1$d] AND b.bucket = buckets[%1$d] FOR %2$s"
                .formatted(index + 1, lock.mode() == LockMode.SHARED ? "SHARE" : "UPDATE");
    }

    /** Binds two parameters. */
    private static void bind(PreparedStatement statement, List<PlannedLock> locks) throws SQLException {
        int[] levels = new int[locks.size()];
        long[] buckets = new long[locks.size()];
        for (int i = 0; i < levels.length; i++) {
            levels[i] = locks.get(i).key().level();
            buckets[i] = locks.get(i).key().bucket();
        }
        statement.setObject(1, levels);
        statement.setObject(2, buckets);
    }

    private BucketsNotProvisionedException notProvisioned(PlannedLock lock) {
        return new BucketsNotProvisionedException(
                ("taking lock %s failed: the table hier_lock_buckets of schema '%s' has no row for bucket %d of level %d;"
                                + " create all of them with ./spream locks provision")
                        .formatted(lock, schema, lock.key().bucket(), lock.key().level()),
                null);
    }
}

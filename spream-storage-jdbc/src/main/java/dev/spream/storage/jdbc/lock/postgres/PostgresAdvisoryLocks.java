package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockMode;
import dev.spream.lock.PlannedLock;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Advisory locks that end with their transaction, any number of them in one statement.
 *
 * <p>Their order is fixed by data dependencies. A few locks are taken by nested CASE expressions, where the next lock
 * is in the branch that is evaluated only after the previous one was acquired. Many locks are taken by a recursion:
 * each step reads the row of the previous step, takes one lock and returns one row, and the recursion ends at a lock
 * that is not available. A select list over sorted rows would not guarantee the order, because it may be evaluated
 * before the sort.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-expressions.html#SYNTAX-EXPRESS-EVAL">PostgreSQL: CASE
 *     forces the order of evaluation</a>
 * @see <a href="https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-RECURSIVE">PostgreSQL: how
 *     recursive queries are evaluated</a>
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS">PostgreSQL: advisory
 *     locks</a>
 */
final class PostgresAdvisoryLocks extends PostgresLocks {
    /** The number of locks up to which a statement without recursion is faster, by a fifth. */
    private static final int FEW = 8;

    /** Takes three parameters for each lock, see {@link #bindFew}. */
    private static final List<String> TRY_FEW = IntStream.rangeClosed(0, FEW)
            .mapToObj(PostgresAdvisoryLocks::tryFew)
            .toList();

    /** Takes four parameters, see {@link #bindSteps}. */
    private static final String STEPS = """
            UNION ALL
                SELECT n + 1, before, CASE WHEN (?::boolean[])[n + 1]
                    THEN pg_try_advisory_xact_lock((?::bigint[])[n + 1])
                    ELSE pg_try_advisory_xact_lock_shared((?::bigint[])[n + 1]) END
                FROM step WHERE taken AND n < ?
            )
            """;

    private static final String TRY_MANY = """
            WITH RECURSIVE step(n, before, taken) AS (
                SELECT 0, '', true
            %s SELECT count(*) FILTER (WHERE taken) - 1 AS locks, %%s FROM step""".formatted(STEPS);

    /**
     * Waits for the first lock and tries the others, so that the next blocking lock is known and gets a time limit of
     * its own.
     */
    private static final String WAIT = WAITS + """
            WITH RECURSIVE given AS MATERIALIZED (
                SELECT ?::boolean AS exclusive, ?::bigint AS key,
                    current_setting('lock_timeout') AS before, %s AS during
            ), step(n, before, taken) AS (
                SELECT 1, before, CASE
                    WHEN set_config('lock_timeout', during, true) IS NULL THEN false
                    WHEN exclusive THEN pg_advisory_xact_lock(key) IS NOT NULL
                    ELSE pg_advisory_xact_lock_shared(key) IS NOT NULL END
                FROM given
            %s SELECT count(*) FILTER (WHERE taken) AS locks, set_config('lock_timeout', max(before), true)
            FROM step""".formatted(WAIT_LIMIT, STEPS) + WAITED + NO_SNAPSHOT;

    private final AdvisoryKeys keys;

    PostgresAdvisoryLocks(SchemaName schema) {
        super(schema);
        this.keys = new AdvisoryKeys(schema);
    }

    @Override
    public AcquiredLocks tryInHandle(Connection connection, List<PlannedLock> locks, Duration holderTimeout)
            throws SQLException {
        String sql = tries(locks).formatted(HANDLE_SESSION) + standstill(holderTimeout);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, locks);
            return tryInHandle(connection, statement, PostgresLocks::taken);
        }
    }

    @Override
    public AcquiredLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException {
        String sql = tries(locks).formatted(SESSION);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, locks);
            return tryLock(statement, PostgresLocks::taken);
        }
    }

    private static String tries(List<PlannedLock> locks) {
        return locks.size() > FEW ? TRY_MANY : TRY_FEW.get(locks.size());
    }

    private static String tryFew(int count) {
        StringBuilder sql = new StringBuilder("SELECT ");
        for (int taken = 0; taken < count; taken++) {
            sql.append("""
                    CASE WHEN NOT (CASE WHEN ?
                        THEN pg_try_advisory_xact_lock(?)
                        ELSE pg_try_advisory_xact_lock_shared(?) END) THEN %d ELSE
                    """.formatted(taken));
        }
        return sql.append(count)
                .append(" END".repeat(count))
                .append(" AS locks, %s")
                .toString();
    }

    private void bind(PreparedStatement statement, List<PlannedLock> locks) throws SQLException {
        if (locks.size() > FEW) {
            bindSteps(statement, 1, locks);
        } else {
            bindFew(statement, locks);
        }
    }

    private void bindFew(PreparedStatement statement, List<PlannedLock> locks) throws SQLException {
        int parameter = 0;
        for (PlannedLock lock : locks) {
            long number = keys.number(lock.key());
            statement.setBoolean(++parameter, isExclusive(lock));
            statement.setLong(++parameter, number);
            statement.setLong(++parameter, number);
        }
    }

    @Override
    public int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, Waiting waiting)
            throws SQLException {
        PlannedLock first = locks.getFirst();
        try (PreparedStatement statement = connection.prepareStatement(WAIT)) {
            statement.setBoolean(1, isExclusive(first));
            statement.setLong(2, keys.number(first.key()));
            statement.setLong(3, waitLimit(left));
            bindSteps(statement, 4, locks);
            return waiting.run(statement, () -> waited(statement));
        }
    }

    private void bindSteps(PreparedStatement statement, int first, List<PlannedLock> locks) throws SQLException {
        boolean[] exclusive = new boolean[locks.size()];
        long[] numbers = new long[locks.size()];
        for (int i = 0; i < numbers.length; i++) {
            exclusive[i] = isExclusive(locks.get(i));
            numbers[i] = keys.number(locks.get(i).key());
        }
        statement.setObject(first, exclusive);
        statement.setObject(first + 1, numbers);
        statement.setObject(first + 2, numbers);
        statement.setInt(first + 3, numbers.length);
    }

    private static boolean isExclusive(PlannedLock lock) {
        return lock.mode() == LockMode.EXCLUSIVE;
    }
}

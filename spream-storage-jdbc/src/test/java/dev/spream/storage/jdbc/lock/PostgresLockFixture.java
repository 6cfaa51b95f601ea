package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockWait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;

/** One test's use of namespaces of locks in PostgreSQL. */
final class PostgresLockFixture extends JdbcLockFixture {
    static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private static final int HANDLES = 16;

    private static final String BLOCKERS = "SELECT unnest(pg_blocking_pids(?::int))";

    /** The second argument is how many milliseconds to wait for the end of the session. */
    private static final String KILL = "SELECT pg_terminate_backend(?::int, 10000)";

    private static final String KILL_TRANSACTIONS = """
            SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                AND backend_type = 'client backend'""";

    private final PostgresLockNamespaces namespaces;

    PostgresLockFixture(PostgresLockNamespaces namespaces) {
        super(namespaces);
        this.namespaces = namespaces;
    }

    static LockDeadline in(Duration time) {
        return LockDeadline.start(LockWait.atMost(time), InstantSource.system());
    }

    /** For a store that the test closes. */
    JdbcLockStore.Builder builder(BucketSpace space) {
        return builder(space, namespaces.pool()).handles(HANDLES);
    }

    @Override
    public Set<String> blockersOf(String session) {
        return ask(BLOCKERS, session);
    }

    @Override
    public void kill(String session) {
        ask(KILL, session);
    }

    private Set<String> ask(String sql, String... parameters) {
        try (Connection connection = namespaces.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
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

    @Override
    void endTransactions() {
        ask(KILL_TRANSACTIONS);
    }
}

package dev.spream.storage.jdbc.lock;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A process that holds locks or waits for some, in one transaction, and says so when told to. */
final class LockingProcess implements AutoCloseable {
    private final String process;
    private final JdbcLockStore store;
    private final Connection connection;
    private String session = "";
    private Map<LockTarget, LockMode> held = Map.of();
    private Map<LockTarget, LockMode> wanted = Map.of();
    private @Nullable Thread waiting;
    private @Nullable Statement running;

    private LockingProcess(String process, JdbcLockStore store, Connection connection) {
        this.process = process;
        this.store = store;
        this.connection = connection;
    }

    static LockingProcess open(String process, JdbcLockStore store, DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return new LockingProcess(process, store, connection);
    }

    String session() {
        return session;
    }

    LockingProcess holds(LockRequest request) {
        List<PlannedLock> locks = LockPlan.of(request, store.space()).locks();
        AcquiredLocks taken = store.tryLock(connection, locks);
        if (taken.count() < locks.size()) {
            throw new AssertionError("another session holds locks of " + request);
        }
        session = taken.session();
        held = request.targets();
        return this;
    }

    LockingProcess waitsFor(LockRequest request) {
        List<PlannedLock> locks = LockPlan.of(request, store.space()).locks();
        AcquiredLocks taken = store.tryLock(connection, locks);
        session = taken.session();
        wanted = request.targets();
        List<PlannedLock> rest = locks.subList(taken.count(), locks.size());
        return inBackground(
                () -> store.lock(connection, rest, LockDeadline.start(LockWait.FOREVER, InstantSource.system())));
    }

    /** Runs a statement of the work, which may wait. */
    LockingProcess runs(String sql) throws SQLException {
        Statement statement = connection.createStatement();
        running = statement;
        return inBackground(() -> statement.execute(sql));
    }

    LockingProcess ran(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return this;
    }

    private interface Work {
        void run() throws Exception;
    }

    private LockingProcess inBackground(Work work) {
        waiting = Thread.ofVirtual().start(() -> {
            try {
                work.run();
            } catch (Exception e) {
                Thread.currentThread().interrupt(); // the party was closed
            }
        });
        return this;
    }

    LockingProcess reports() {
        return reports(List.of());
    }

    LockingProcess reports(List<LockReport.BucketWaits> waits) {
        store.report(new LockReport(
                process,
                List.of(new LockReport.Owner(
                        session,
                        "testing",
                        held,
                        wanted,
                        held.isEmpty() ? Duration.ZERO : Duration.ofMinutes(7),
                        wanted.isEmpty() ? Duration.ZERO : Duration.ofMinutes(2))),
                waits));
        return this;
    }

    /** Ends its wait, and gives its locks back. */
    @Override
    public void close() throws SQLException, InterruptedException {
        @Nullable Thread wait = waiting;
        @Nullable Statement statement = running;
        if (statement != null) {
            statement.cancel();
        } else if (wait != null) {
            wait.interrupt();
        }
        if (wait != null) {
            wait.join();
        }
        connection.rollback();
        connection.setAutoCommit(true);
        connection.close();
    }
}

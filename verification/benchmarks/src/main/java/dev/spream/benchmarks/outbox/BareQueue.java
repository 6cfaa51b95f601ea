package dev.spream.benchmarks.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The floor of a queue: a table of numbers, and threads that delete rows, hand them over and commit. It keeps no results,
 * attempts, failures or order.
 */
final class BareQueue implements WorkQueue {
    private static final int THREADS = 4;

    private final HikariDataSource database;
    private final int batch;
    private volatile boolean stopping;
    private @Nullable ExecutorService workers;

    BareQueue(HikariDataSource database, int batch) throws SQLException {
        this.database = database;
        this.batch = batch;
        Sql.run(database, "CREATE TABLE bare_queue (id bigserial PRIMARY KEY, number bigint NOT NULL)");
    }

    @Override
    public String label() {
        return "bare SQL";
    }

    @Override
    public void load(int entries) throws SQLException {
        Sql.run(
                database,
                "INSERT INTO bare_queue (number) SELECT -1 FROM generate_series(1, %d)".formatted(entries),
                "ANALYZE bare_queue");
    }

    @Override
    public void enqueue(long number) throws SQLException {
        Sql.run(database, "INSERT INTO bare_queue (number) VALUES (%d)".formatted(number));
    }

    @Override
    public void start(Handler handler) {
        stopping = false;
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (int i = 0; i < THREADS; i++) {
            var unused = threads.submit(() -> work(handler));
        }
        workers = threads;
    }

    private Void work(Handler handler) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement claim = connection.prepareStatement("""
                        DELETE FROM bare_queue WHERE id = ANY (ARRAY(
                            SELECT id FROM bare_queue ORDER BY id LIMIT %d FOR UPDATE SKIP LOCKED))
                        RETURNING number""".formatted(batch))) {
            connection.setAutoCommit(false);
            while (!stopping) {
                boolean found = false;
                try (ResultSet rows = claim.executeQuery()) {
                    while (rows.next()) {
                        found = true;
                        handler.handle(rows.getLong(1));
                    }
                }
                connection.commit();
                if (!found) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
            connection.setAutoCommit(true);
        }
        return null;
    }

    @Override
    public void stop() {
        stopping = true;
        ExecutorService threads = workers;
        if (threads != null) {
            threads.close();
            workers = null;
        }
    }

    @Override
    public long left() throws SQLException {
        return Sql.count(database, "bare_queue");
    }
}

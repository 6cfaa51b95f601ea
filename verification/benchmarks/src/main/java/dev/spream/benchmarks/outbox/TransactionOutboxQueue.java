package dev.spream.benchmarks.outbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * transaction-outbox as its documentation shows it: a scheduled task is executed after the commit by a pool of threads,
 * and the rest by repeated flushes.
 */
final class TransactionOutboxQueue implements WorkQueue {
    private static final int FLUSH_BATCH = 4_096; // the library's own default
    private static final int LOADED_AT_ONCE = 1_000;

    private final HikariDataSource database;
    private final int threads;
    private final TransactionManager transactions;
    private final TransactionOutbox outbox;
    private volatile @Nullable Handler handler;
    private volatile @Nullable ExecutorService workers;
    private volatile @Nullable Thread flushing;

    public interface Task {
        void run(long number);
    }

    TransactionOutboxQueue(HikariDataSource database, int threads) {
        this.database = database;
        this.threads = threads;
        this.transactions = TransactionManager.fromDataSource(database);
        this.outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> (Task) this::handle))
                .submitter(submitter())
                .flushBatchSize(FLUSH_BATCH)
                .attemptFrequency(Duration.ofMinutes(2))
                .build();
    }

    /** Nothing is submitted before the start; it is found by a flush. */
    private Submitter submitter() {
        return (entry, local) -> {
            ExecutorService running = workers;
            if (running != null && !running.isShutdown()) {
                running.execute(() -> local.accept(entry));
            }
        };
    }

    private void handle(long number) {
        Handler current = handler;
        if (current != null) {
            current.handle(number);
        }
    }

    @Override
    public String label() {
        return "transaction-outbox";
    }

    @Override
    public void load(int entries) throws SQLException {
        for (int i = 0; i < entries; i += LOADED_AT_ONCE) {
            int size = Math.min(LOADED_AT_ONCE, entries - i);
            transactions.inTransaction(() -> {
                for (int j = 0; j < size; j++) {
                    outbox.schedule(Task.class).run(-1);
                }
            });
        }
        Sql.run(database, "UPDATE txno_outbox SET nextattempttime = now() - interval '1 minute'"); // due for a flush
    }

    @Override
    public void enqueue(long number) {
        transactions.inTransaction(() -> outbox.schedule(Task.class).run(number));
    }

    @Override
    public void start(Handler handler) {
        this.handler = handler;
        workers = Executors.newFixedThreadPool(threads);
        flushing = Thread.ofPlatform().name("flush").start(this::flushUntilInterrupted);
    }

    private void flushUntilInterrupted() {
        try {
            while (true) {
                if (!outbox.flush()) {
                    Thread.sleep(100);
                }
            }
        } catch (InterruptedException e) {
            // stopped
        }
    }

    @Override
    public void stop() {
        Thread flush = flushing;
        ExecutorService running = workers;
        if (flush == null || running == null) {
            return;
        }
        try {
            flush.interrupt();
            flush.join();
            running.shutdown();
            if (!running.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("transaction-outbox is still at work after a minute");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
        flushing = null;
        workers = null;
    }

    @Override
    public long left() throws SQLException {
        return Sql.count(database, "txno_outbox WHERE NOT processed");
    }
}

package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of dead letters. A transaction that failed because of the server or the network is retried, so that a
 * failover does not stop a subscription. Safe for use by many threads.
 */
final class DeadLetterDatabase {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterDatabase.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration MAX_DELAY = Duration.ofSeconds(2);

    private final Transactions transactions;
    private final SchemaName schema;
    private final CountDownLatch closed = new CountDownLatch(1);

    DeadLetterDatabase(DataSource dataSource, SchemaName schema, Duration timeLimit) {
        this.transactions = new Transactions(dataSource, timeLimit);
        this.schema = schema;
    }

    interface OpenWork<T> {
        T run(Transactions.Open transaction, Statements statements) throws SQLException;
    }

    /** Runs the work and commits, at READ COMMITTED. {@code what} names the call in the message of a failure. */
    <T> T run(String what, Database.Work<T> work) throws InterruptedException {
        return open(what, (transaction, statements) -> {
            try (transaction) {
                T result = work.run(statements);
                transaction.commit();
                return result;
            }
        });
    }

    /** Begins a transaction that the caller ends, and returns after the first work in it has succeeded. */
    <T> T open(String what, OpenWork<T> work) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        ExponentialBackoff backoff = new ExponentialBackoff(FIRST_DELAY, MAX_DELAY, ThreadLocalRandom.current());
        while (true) {
            Duration delay = backoff.next();
            try {
                return openOnce(work);
            } catch (SQLException e) {
                StorageException failure = SqlErrors.storageException(what, e);
                if (Thread.interrupted()) {
                    throw interruption(failure);
                }
                if (!failure.retryable() || System.nanoTime() - deadline > 0) {
                    throw failure;
                }
                log.warn("{}; trying again in {}", LoggedFailure.message(failure), DurationText.of(delay));
            }
            pause(delay);
        }
    }

    private <T> T openOnce(OpenWork<T> work) throws SQLException {
        requireOpen();
        Transactions.Open transaction = transactions.open();
        try {
            Statements.execute(transaction.connection(), transactions.begin());
            return work.run(transaction, new Statements(transaction.connection(), schema::in));
        } catch (Throwable e) {
            try (transaction) {
                throw e;
            }
        }
    }

    private static InterruptedException interruption(StorageException failure) {
        InterruptedException interruption = new InterruptedException(failure.getMessage());
        interruption.initCause(failure);
        return interruption;
    }

    private void requireOpen() {
        if (closed.getCount() == 0) {
            throw new DeadLetterException("the dead letter store is closed; open another");
        }
    }

    /** Waits without holding a connection. */
    void pause(Duration time) throws InterruptedException {
        if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            requireOpen();
        }
    }

    void close() {
        closed.countDown();
    }
}

package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs transactions at READ COMMITTED, the default, and runs one again that failed because of the server or the way to it:
 * a fail-over does not stop a subscription. Safe for use by many threads.
 */
final class Transactions {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_DELAY = Duration.ofMillis(50);
    private static final Duration MAX_DELAY = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final SchemaName schema;
    private final Duration timeLimit;
    private final CountDownLatch closed = new CountDownLatch(1);

    Transactions(DataSource dataSource, SchemaName schema, Duration timeLimit) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.timeLimit = timeLimit;
    }

    /** What is done in a transaction, perhaps more than once. */
    interface Work<T> {
        T run(Transaction transaction) throws SQLException;
    }

    /**
     * Commits what was done.
     *
     * @param what names the call in the message of a failure
     */
    <T> T run(String what, Work<T> work) throws InterruptedException {
        return repeating(what, () -> {
            try (Transaction transaction = begin()) {
                T result = work.run(transaction);
                transaction.commit();
                return result;
            }
        });
    }

    /** Begins one that the caller ends, after the first work in it has succeeded. */
    <T> T open(String what, Work<T> work) throws InterruptedException {
        return repeating(what, () -> {
            Transaction transaction = begin();
            try {
                return work.run(transaction);
            } catch (SQLException | RuntimeException e) {
                try (transaction) {
                    throw e;
                }
            }
        });
    }

    private interface Attempt<T> {
        T run() throws SQLException;
    }

    private <T> T repeating(String what, Attempt<T> attempt) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Duration delay = FIRST_DELAY;
        while (true) {
            try {
                return attempt.run();
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
            delay = delay.multipliedBy(2).compareTo(MAX_DELAY) < 0 ? delay.multipliedBy(2) : MAX_DELAY;
        }
    }

    private static InterruptedException interruption(StorageException failure) {
        InterruptedException interruption = new InterruptedException(failure.getMessage());
        interruption.initCause(failure);
        return interruption;
    }

    private Transaction begin() throws SQLException {
        requireOpen();
        Connection connection = dataSource.getConnection();
        return Transaction.on(connection, schema, timeLimit);
    }

    private void requireOpen() {
        if (closed.getCount() == 0) {
            throw new DeadLetterException("the dead letter store is closed; open another");
        }
    }

    /** Waits without a connection. */
    void pause(Duration time) throws InterruptedException {
        if (closed.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            requireOpen();
        }
    }

    void close() {
        closed.countDown();
    }
}

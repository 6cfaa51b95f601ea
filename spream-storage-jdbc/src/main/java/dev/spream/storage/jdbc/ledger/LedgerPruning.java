package dev.spream.storage.jdbc.ledger;

import dev.spream.core.LoggedFailure;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of settled changes from time to time, on the thread of one caller; other callers do not wait. A call
 * removes a limited number of rows and leaves the rest to the next one. A failure is harmless: the rows stay until a
 * later call.
 */
final class LedgerPruning {
    private static final Logger log = LoggerFactory.getLogger(LedgerPruning.class);
    private static final int MAX_ROWS = 20_000;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** Later appliers queue behind the pruner, which waits for all earlier ones; so its wait is short. */
    private static final String LOCK_TIMEOUT = "SET LOCAL lock_timeout = 100";

    private static final String ALONE = "SELECT FROM pg_advisory_xact_lock(hashtextextended(?, 0))";

    private static final String RAISE =
            "UPDATE @applied_ledger SET settled_below = greatest(settled_below, ?) WHERE name = ?";

    private static final String DELETE = """
            DELETE FROM @applied_change
            WHERE NOT replayed AND ctid = ANY (ARRAY(
                SELECT ctid FROM @applied_change
                WHERE ledger = (SELECT id FROM @applied_ledger WHERE name = ?)
                    AND commit_nanos >= ? AND commit_nanos < ? AND NOT replayed
                LIMIT %d))
            """.formatted(MAX_ROWS);

    private final Transactions transactions;
    private final SchemaName schema;
    private final String name;
    private final String lockName;
    private final Duration pause;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.
    private Instant settledBelow = Instant.MIN;
    private Instant removedBelow = Instant.MIN; // in this process
    private boolean rowsLeft;
    private long lastAt;
    private Duration nextPause = Duration.ZERO;
    private boolean failing;

    LedgerPruning(
            Transactions transactions,
            SchemaName schema,
            String name,
            String lockName,
            Duration pause,
            LongSupplier nanoTime) {
        this.transactions = transactions;
        this.schema = schema;
        this.name = name;
        this.lockName = lockName;
        this.pause = pause;
        this.nanoTime = nanoTime;
    }

    /** Prunes if it is due; never throws. */
    void pruneIfDue(Instant lowWatermark) {
        if (!lock.tryLock()) {
            return;
        }
        try {
            boolean isDue = nanoTime.getAsLong() - lastAt >= nextPause.toNanos();
            if (isDue && (rowsLeft || lowWatermark.isAfter(settledBelow))) {
                tryPrune(lowWatermark);
                lastAt = nanoTime.getAsLong();
            }
        } finally {
            lock.unlock();
        }
    }

    private void tryPrune(Instant lowWatermark) {
        try {
            prune(lowWatermark);
            nextPause = rowsLeft ? Duration.ZERO : pause;
            failing = false;
        } catch (SQLException e) {
            failed(lowWatermark, SqlErrors.storageException("pruning the ledger", e));
        } catch (RuntimeException e) {
            failed(lowWatermark, e);
        }
    }

    /** Logs the first failure and retries at growing intervals, because a wait for the lock delays others. */
    private void failed(Instant lowWatermark, RuntimeException failure) {
        Duration longer = nextPause.compareTo(pause) < 0 ? pause : nextPause.multipliedBy(2);
        nextPause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        if (failing) {
            log.debug("[{}] pruning the ledger failed again", name, LoggedFailure.of(failure));
        } else {
            log.warn(
                    "[{}] removing the ledger's rows below {} failed and is retried: {}",
                    name,
                    lowWatermark,
                    LoggedFailure.message(failure));
        }
        failing = true;
    }

    private void prune(Instant lowWatermark) throws SQLException {
        if (lowWatermark.isAfter(settledBelow)) {
            transactions.run(connection -> raise(connection, lowWatermark));
            settledBelow = lowWatermark;
        }
        Instant below = settledBelow;
        rowsLeft = transactions.run(connection -> delete(connection, below)) == MAX_ROWS;
        if (!rowsLeft) {
            // This stays true, since no rows are written below; later deletes start here, because the index has many
            // dead entries before.
            removedBelow = below;
        }
    }

    /**
     * Raises {@code settled_below}, the only write that needs the lock: once it is committed, the rows below are no
     * longer read.
     */
    private int raise(Connection connection, Instant lowWatermark) throws SQLException {
        Statements statements = begin(connection);
        statements.rows(ALONE, p -> p.text(lockName), row -> true);
        return statements.update(
                RAISE, p -> p.number(LedgerTime.nanos(lowWatermark)).text(name));
    }

    private int delete(Connection connection, Instant below) throws SQLException {
        return begin(connection)
                .update(
                        DELETE,
                        p -> p.text(name).number(LedgerTime.nanos(removedBelow)).number(LedgerTime.nanos(below)));
    }

    private Statements begin(Connection connection) throws SQLException {
        Statements.execute(connection, transactions.begin() + LOCK_TIMEOUT);
        return new Statements(connection, schema::in);
    }
}

package dev.spream.storage.jdbc.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs how long open transactions that have inserted events have blocked all readers, and the oldest of them. Confined
 * to the tailer's thread.
 */
final class BlockedBarrier {
    private static final Logger log = LoggerFactory.getLogger(BlockedBarrier.class);

    /** The duration after which a block is logged; longer than most transactions are open. */
    private static final Duration FIRST_TOLD = Duration.ofMillis(200);

    private static final Duration BETWEEN_TOLD = Duration.ofSeconds(1);
    private static final Duration FIRST_REPORT = Duration.ofSeconds(2);
    private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(30);

    private final Connection connection;
    private final EventTable table;
    private int attempts;
    private long since;
    private long nextTold;
    private long nextReport;
    private boolean reported;

    BlockedBarrier(Connection connection, EventTable table) {
        this.connection = connection;
        this.table = table;
    }

    /** Called when the barrier is blocked. Returns the pause before the next attempt. */
    Duration found() throws SQLException {
        long now = System.nanoTime();
        if (attempts++ == 0) {
            since = now;
            nextTold = now + FIRST_TOLD.toNanos();
            nextReport = now + FIRST_REPORT.toNanos();
        }
        if (now - nextReport >= 0) {
            nextReport = now + BETWEEN_REPORTS.toNanos();
            reported = true;
            report(Duration.ofNanos(now - since));
        }
        return HighWaterMark.pause(attempts);
    }

    boolean shouldReport() {
        long now = System.nanoTime();
        if (now - nextTold < 0) {
            return false;
        }
        nextTold = now + BETWEEN_TOLD.toNanos();
        return true;
    }

    /** Returns when it was first found blocked, by the JVM's nanosecond clock. */
    long since() {
        return since;
    }

    private void report(Duration shut) throws SQLException {
        List<AppendBlocker> blockers = OpenAppendTransactions.find(connection, table);
        log.warn(
                "[{}] no new event could be read for {} ms: {} transactions that have inserted events are open, the oldest by {};"
                        + " events wait until they end; commit soon after appending, and set"
                        + " idle_in_transaction_session_timeout",
                table,
                shut.toMillis(),
                blockers.size(),
                blockers.isEmpty() ? "a session that has just ended" : blockers.getFirst());
    }

    void open() {
        if (reported) {
            log.info("[{}] new events can be read again", table);
        }
        attempts = 0;
        reported = false;
    }
}

package dev.spream.core.subscription.reading;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open stream of a query, watched for stalls: a half-open connection returns neither records nor a failure. Only
 * the time in which the reader waits for the stream counts, not that in which its consumer holds it up. One thread
 * reads; {@link #cancelIfStalled} and {@link #close} may be called from any.
 */
final class WatchedCursor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WatchedCursor.class);

    private final ChangeStreamCursor cursor;
    private final String stream;
    private final MonotonicTime time;
    private final Function<Boolean, Duration> stallTimeout;
    private volatile OptionalLong waitingSince = OptionalLong.empty();
    private volatile boolean returnedRow;
    private volatile boolean stalled;

    WatchedCursor(
            ChangeStreamCursor cursor, String stream, MonotonicTime time, Function<Boolean, Duration> stallTimeout) {
        this.cursor = cursor;
        this.stream = stream;
        this.time = time;
        this.stallTimeout = stallTimeout;
    }

    /** Returns the next record, as {@link ChangeStreamCursor#next}; a stall is a transient failure. */
    Optional<ChangeRecord> next() throws InterruptedException {
        waitingSince = OptionalLong.of(time.nanoTime());
        try {
            Optional<ChangeRecord> next = cursor.next();
            returnedRow = true;
            return next;
        } catch (SourceException e) {
            throw stalled
                    ? new SourceException(
                            SourceException.Kind.TRANSIENT,
                            "no record and no heartbeat for " + DurationText.of(timeout()),
                            e)
                    : e;
        } finally {
            waitingSince = OptionalLong.empty();
        }
    }

    /** Returns whether {@link #next} may have to wait for the server. */
    boolean mayWait() {
        return cursor.prefetched() == 0;
    }

    /** Cancels the stream if it has returned nothing for too long. Called periodically. */
    void cancelIfStalled() {
        OptionalLong since = waitingSince;
        if (since.isPresent() && time.nanoTime() - since.getAsLong() > timeout().toNanos()) {
            stalled = true;
            close();
        }
    }

    private Duration timeout() {
        return stallTimeout.apply(!returnedRow);
    }

    /** Cancels the stream. A failure to do so is logged, since the caller has other resources to close. */
    @Override
    public void close() {
        try {
            cursor.close();
        } catch (RuntimeException e) {
            log.warn(
                    "[{}] closing a query failed; it ends when its reader detects that it was cancelled",
                    stream,
                    LoggedFailure.of(e));
        }
    }
}

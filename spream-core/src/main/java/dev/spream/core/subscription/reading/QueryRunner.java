package dev.spream.core.subscription.reading;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the queries of one reader, one at a time, and its waits between them; {@link #close} ends either when the reader
 * is stopped. {@link #cancelIfStalled} and {@link #close} may be called from any thread, the others from the reader's.
 */
public final class QueryRunner {
    private static final Duration SERVER_TIME_POLL = Duration.ofMillis(5);

    /**
     * The receiver of a query's records. It returns false if it did not accept a record; it is then given no further
     * one.
     */
    public interface Taker {
        boolean take(ChangeRecord record) throws InterruptedException;

        /** Called before the reader may wait for the next record, and at the end of the query. */
        default void handOver() {}

        /** Takes a row that could not be decoded, or throws the failure if it has to stop the reader. */
        default boolean takeUndecodable(UndecodableChange change, SourceException failure) throws InterruptedException {
            throw failure;
        }
    }

    private final ChangeStreamSource source;
    private final MonotonicTime time;
    private final Function<Boolean, Duration> stallTimeout;
    private final BooleanSupplier isReading;
    private final Waiter closed;
    private volatile @Nullable WatchedCursor cursor;

    /**
     * @param stallTimeout how long a stream may return nothing, before its first row if true, or after it
     * @param isReading checked before the query, and before each record is taken; code that makes it false also calls
     *     {@link #close}
     */
    public QueryRunner(
            ChangeStreamSource source,
            MonotonicTime time,
            Function<Boolean, Duration> stallTimeout,
            BooleanSupplier isReading) {
        this.source = source;
        this.time = time;
        this.stallTimeout = stallTimeout;
        this.isReading = isReading;
        this.closed = new Waiter(time);
    }

    /** Reads a query to its end, unless the reader has to stop before. */
    public StreamEnd run(PartitionQuery query, Taker taker) throws InterruptedException {
        if (!isReading.getAsBoolean()) {
            return new StreamEnd.Stopped();
        }
        try (WatchedCursor open = new WatchedCursor(source.query(query), source.streamName(), time, stallTimeout)) {
            cursor = open;
            boolean reads = isReading.getAsBoolean(); // close() may have come before there was a cursor
            while (reads) {
                if (open.mayWait()) {
                    taker.handOver();
                }
                Optional<ChangeRecord> next;
                try {
                    next = open.next();
                } catch (SourceException e) {
                    if (!isTaken(e, taker)) {
                        return new StreamEnd.Stopped();
                    }
                    continue;
                }
                if (next.isEmpty()) {
                    return new StreamEnd.Ok();
                }
                reads = isReading.getAsBoolean() && taker.take(next.get());
            }
            return new StreamEnd.Stopped();
        } catch (SourceException e) {
            return isReading.getAsBoolean() ? new StreamEnd.Broken(e) : new StreamEnd.Stopped();
        } finally {
            cursor = null;
            taker.handOver();
        }
    }

    /** Waits for that long, unless it is closed before. */
    public void pause(Duration delay) throws InterruptedException {
        closed.await(delay);
    }

    /** Waits until the server's time is past that time; returns false if the reader has to stop before. */
    public boolean awaitServerPassed(Instant time) throws InterruptedException {
        while (isReading.getAsBoolean()) {
            Duration ahead = Duration.between(source.serverTime(), time);
            if (ahead.isNegative()) {
                return true;
            }
            pause(ahead.plus(SERVER_TIME_POLL));
        }
        return false;
    }

    private boolean isTaken(SourceException failure, Taker taker) throws InterruptedException {
        UndecodableChange change = failure.undecodableChange().orElseThrow(() -> failure);
        return isReading.getAsBoolean() && taker.takeUndecodable(change, failure);
    }

    /** Cancels the query if it has returned nothing for too long; its reader then reconnects. Called periodically. */
    public void cancelIfStalled() {
        WatchedCursor open = cursor;
        if (open != null) {
            open.cancelIfStalled();
        }
    }

    /** Cancels the query that is open, and ends a wait. */
    public void close() {
        closed.signal();
        WatchedCursor open = cursor;
        if (open != null) {
            open.close();
        }
    }
}

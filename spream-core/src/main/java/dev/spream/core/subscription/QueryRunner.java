package dev.spream.core.subscription;

import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the queries of one partition's reader, one at a time, so that whoever stops the reader reaches the one that is open.
 * {@link #run} is confined to the reader's thread; the others may be called from any.
 */
final class QueryRunner {

    /** Where the records of a query go; false if one was not taken, and then no later one may be. */
    interface Taker {
        boolean take(ChangeRecord record) throws InterruptedException;
    }

    private final EngineContext context;
    private final BooleanSupplier isReading;
    private volatile @Nullable WatchedCursor cursor;

    /** @param isReading asked before the query, and before and after each record; who makes it false {@linkplain #close closes} what is open */
    QueryRunner(EngineContext context, BooleanSupplier isReading) {
        this.context = context;
        this.isReading = isReading;
    }

    /** Reads a query to its end, unless the reader has to stop before. */
    StreamEnd run(PartitionQuery query, Taker taker) throws InterruptedException {
        if (!isReading.getAsBoolean()) {
            return new StreamEnd.Stopped();
        }
        try (WatchedCursor open = new WatchedCursor(context, context.source().query(query))) {
            cursor = open;
            while (isReading.getAsBoolean()) {
                Optional<ChangeRecord> next = open.next();
                if (next.isEmpty()) {
                    return new StreamEnd.Ok();
                }
                if (isReading.getAsBoolean() && !taker.take(next.get())) {
                    return new StreamEnd.Stopped();
                }
            }
            return new StreamEnd.Stopped();
        } catch (SourceException e) {
            return isReading.getAsBoolean() ? new StreamEnd.Broken(e) : new StreamEnd.Stopped();
        } finally {
            cursor = null;
        }
    }

    /** Cancels the query if it has shown no life for too long; its reader then connects anew. Called from time to time. */
    void cancelIfStalled() {
        WatchedCursor open = cursor;
        if (open != null) {
            open.cancelIfStalled();
        }
    }

    /** Cancels the query that is open. */
    void close() {
        WatchedCursor open = cursor;
        if (open != null) {
            open.close();
        }
    }
}

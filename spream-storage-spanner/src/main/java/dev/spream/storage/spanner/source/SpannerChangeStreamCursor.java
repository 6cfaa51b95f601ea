package dev.spream.storage.spanner.source;

import static com.google.cloud.spanner.SpannerOptions.CALL_CONTEXT_CONFIGURATOR_KEY;

import com.google.cloud.spanner.ResultSet;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.Prefetch;
import dev.spream.storage.spanner.client.PrefetchInterceptor;
import dev.spream.storage.spanner.client.SpannerErrors;
import dev.spream.storage.spanner.client.StreamAttempts;
import io.grpc.Context;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over one query, backed by a result set of the client.
 *
 * <p>A result set belongs to one thread, and closing it from another does not wake a waiting reader. So the query runs
 * in a gRPC context of its own: cancelling it ends the call on both sides, including the client's waits, and the result
 * set is closed by the holder of {@link #use}, either the reader when it returns or the closer.
 */
public final class SpannerChangeStreamCursor implements ChangeStreamCursor {
    private final String description;
    private final Prefetch prefetch;
    private final Reading reading;
    private final Consumer<SpannerChangeStreamCursor> onClose;
    private final Context.CancellableContext context;
    private final ReentrantLock use = new ReentrantLock();
    private volatile boolean closed;

    /** Guarded by {@link #use}, like the following. */
    private @Nullable ResultSet rows;

    private boolean ended;

    private Iterator<ChangeRecord> row = List.<ChangeRecord>of().iterator();

    /**
     * @param description the description of the query in messages
     * @param prefetch limits and counts prefetched chunks
     * @param reading the query, which the first {@link #next} starts
     * @param onClose called at least once when this cursor is closed
     */
    public SpannerChangeStreamCursor(
            String description, Prefetch prefetch, Reading reading, Consumer<SpannerChangeStreamCursor> onClose) {
        this.description = description;
        this.prefetch = prefetch;
        this.reading = reading;
        this.onClose = onClose;
        this.context = Context.ROOT
                .withValue(CALL_CONTEXT_CONFIGURATOR_KEY, StreamAttempts.one(prefetch, reading.readsEncoded()))
                .withCancellation();
    }

    @Override
    public Optional<ChangeRecord> next() throws InterruptedException {
        use.lockInterruptibly();
        Context previous = context.attach();
        try {
            return nextRecord();
        } catch (RuntimeException e) {
            throw failure(e);
        } finally {
            context.detach(previous);
            use.unlock();
            if (closed) {
                closeRows();
            }
        }
    }

    private Optional<ChangeRecord> nextRecord() throws InterruptedException {
        while (!row.hasNext()) {
            if (closed) {
                throw cancelled(null);
            }
            ResultSet open = rows;
            if (open == null) {
                Optional<ChangeRecord> meanwhile = reading.await();
                if (meanwhile.isPresent()) {
                    return meanwhile;
                }
                open = reading.open();
                rows = open;
            }
            if (ended) {
                return Optional.empty();
            }
            if (open.next()) {
                row = decode(open).iterator();
            } else {
                ended = true;
                row = reading.end().iterator();
            }
        }
        return Optional.of(row.next());
    }

    private List<ChangeRecord> decode(ResultSet open) {
        try {
            return reading.row(open);
        } catch (RuntimeException e) {
            String message = "%s failed: a row cannot be decoded: %s".formatted(description, e.getMessage());
            throw reading.undecodable(open)
                    .map(change -> SourceException.undecodable(change, message, e))
                    .orElseGet(() -> new SourceException(SourceException.Kind.MALFORMED, message, e));
        }
    }

    private RuntimeException failure(RuntimeException e) throws InterruptedException {
        // The client turns an interrupt into a cancelled query, and sets the flag again.
        if (Thread.interrupted()) {
            close();
            InterruptedException interrupted = new InterruptedException(description + " was interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
        if (e instanceof SourceException known) {
            return known;
        }
        return closed ? cancelled(e) : SpannerErrors.sourceException(description, e);
    }

    private SourceException cancelled(@Nullable Throwable cause) {
        return new SourceException(
                SourceException.Kind.CANCELLED, description + " ended: the cursor was closed", cause);
    }

    /**
     * Returns the number of prefetched chunks of the server, which usually have a row each; 0 with a client that has no
     * {@link PrefetchInterceptor}.
     */
    @Override
    public int prefetched() {
        return prefetch.chunksAhead();
    }

    @Override
    public void close() {
        closed = true;
        context.cancel(null);
        closeRows();
        onClose.accept(this);
    }

    private void closeRows() {
        if (!use.tryLock()) {
            return;
        }
        try {
            if (rows != null) {
                rows.close();
            }
            reading.close();
        } finally {
            use.unlock();
        }
    }
}

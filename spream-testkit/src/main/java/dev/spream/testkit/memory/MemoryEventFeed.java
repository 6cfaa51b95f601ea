package dev.spream.testkit.memory;

import dev.spream.core.Sha256;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** A feed over the events of an {@link InMemoryEventStore}. */
final class MemoryEventFeed implements EventFeed {
    private static final int SLOTS = 256;

    private final EventLog log;
    private final FeedRequest request;
    private long position;
    private volatile boolean closed;
    private volatile boolean ended;

    MemoryEventFeed(EventLog log, FeedRequest request) {
        this.log = log;
        this.request = request;
        this.position = request.after();
    }

    @Override
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        if (limit < 1) {
            throw new IllegalArgumentException("a poll for %d events".formatted(limit));
        }
        if (closed) {
            return new FeedBatch(List.of(), position, position);
        }
        requireNotEnded();
        FeedBatch batch = log.next(position, this::isWanted, limit, wait, () -> closed || ended);
        if (!closed) {
            requireNotEnded();
        }
        position = batch.position();
        return batch;
    }

    private void requireNotEnded() {
        if (ended) {
            throw new StorageException(
                    "reading events behind position %d failed: the source or its store is closed; open another"
                            .formatted(position),
                    false,
                    null);
        }
    }

    private boolean isWanted(EventEnvelope event) {
        return request.segments() == 1 || slotOf(event.aggregateId()) * request.segments() / SLOTS == request.segment();
    }

    /** Returns the first byte of the SHA-256 of the id in UTF-8. */
    private static int slotOf(String aggregateId) {
        return Byte.toUnsignedInt(Sha256.of(aggregateId)[0]);
    }

    @Override
    public void acknowledge(Collection<FeedItem> items) {}

    /** Closes the feed with its source. */
    void end() {
        ended = true;
        log.wakeAll();
    }

    @Override
    public void close() {
        closed = true;
        log.wakeAll();
    }
}

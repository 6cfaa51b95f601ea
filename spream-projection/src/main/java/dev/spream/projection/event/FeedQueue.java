package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.SectionLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue of the unacknowledged deliveries of a feed without positions: they wait to be polled, or are in flight, which
 * means polled and not acknowledged. For authors of such sources. The source limits its size, by receiving no more
 * while too much is unacknowledged.
 *
 * <p>Safe for use by many threads; only {@link #poll} waits.
 *
 * @param <T> the handle by which the source identifies a delivery
 */
public final class FeedQueue<T> {
    private final SectionLock lock = new SectionLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Deque<Delivery<T>> waiting = new ArrayDeque<>();
    private final Map<Long, T> out = new HashMap<>(); // by delivery id
    private long deliveries;
    private @Nullable RuntimeException failure;
    private @Nullable Supplier<? extends RuntimeException> end;
    private boolean closed;

    /**
     * A delivery that the source adds to the queue.
     *
     * @param handle the handle by which the source identifies it
     * @param item creates the item from a delivery id; called once for each delivery
     */
    public record Delivery<T>(T handle, LongFunction<? extends FeedItem> item) {
        public Delivery {
            requireNonNull(handle, "handle");
            requireNonNull(item, "item");
        }
    }

    /** Adds deliveries after all earlier ones. Deliveries to a queue that is closed or has ended are dropped. */
    public void add(Collection<Delivery<T>> received) {
        change(() -> {
            if (!closed && end == null) {
                waiting.addAll(received);
            }
        });
    }

    /** Changes the queue and wakes a waiting poll. */
    private void change(Runnable change) {
        lock.run(() -> {
            change.run();
            changed.signalAll();
        });
    }

    /**
     * Polls as {@link EventFeed#poll} specifies.
     *
     * @throws RuntimeException the exception of {@link #fail}, once; or that of {@link #end}
     */
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit %d: must be 1 or more".formatted(limit));
        }
        long left = wait.toNanos();
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && failure == null && end == null && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            rethrowFailure();
            requireNotEnded();
            return FeedBatch.of(deliver(limit));
        } finally {
            lock.unlock();
        }
    }

    private void rethrowFailure() {
        RuntimeException thrown = failure;
        failure = null;
        if (thrown != null && !closed) {
            throw thrown;
        }
    }

    private void requireNotEnded() {
        if (end != null && !closed) {
            throw end.get();
        }
    }

    private List<FeedItem> deliver(int limit) {
        List<FeedItem> items = new ArrayList<>(Math.min(limit, waiting.size()));
        while (items.size() < limit && !waiting.isEmpty()) {
            Delivery<T> next = waiting.removeFirst();
            long id = ++deliveries;
            out.put(id, next.handle());
            items.add(next.item().apply(id));
        }
        return items;
    }

    /**
     * Removes items in flight. Items that are not in flight are ignored.
     *
     * @return the handles of the removed items, in the order of the items
     */
    public List<T> settle(Collection<FeedItem> items) {
        List<T> handles = new ArrayList<>(items.size());
        change(() -> items.forEach(
                item -> Optional.ofNullable(out.remove(item.deliveryId())).ifPresent(handles::add)));
        return handles;
    }

    /**
     * Removes waiting deliveries that match.
     *
     * @return the handles of the removed deliveries, in order
     */
    public List<T> withdraw(Predicate<? super T> which) {
        List<T> handles = new ArrayList<>();
        change(() -> waiting.removeIf(delivery -> which.test(delivery.handle()) && handles.add(delivery.handle())));
        return handles;
    }

    /** Fails the next {@link #poll} with the exception: nothing more is delivered until the reader has handled it. */
    public void fail(RuntimeException cause) {
        requireNonNull(cause, "cause");
        change(() -> failure = cause);
    }

    /**
     * Removes everything because the source was closed: from now on every {@link #poll} fails with the exception, until
     * this is closed.
     */
    public void end(Supplier<? extends RuntimeException> cause) {
        requireNonNull(cause, "cause");
        change(() -> {
            end = cause;
            waiting.clear();
            out.clear();
        });
    }

    /** Removes all deliveries; polls return nothing from now on. Closing again is harmless. */
    public void close() {
        change(() -> {
            closed = true;
            waiting.clear();
            out.clear();
        });
    }
}

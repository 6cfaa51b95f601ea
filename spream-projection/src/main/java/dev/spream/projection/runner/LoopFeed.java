package dev.spream.projection.runner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feed of a loop. Another thread may stop it, which closes it if it is being polled. Otherwise confined to the
 * loop's thread.
 */
final class LoopFeed {
    private static final Logger log = LoggerFactory.getLogger(LoopFeed.class);

    private final ManagerContext<?> manager;
    private final VersionStatus status;
    private final String label;
    private final Waiter stopped;
    private volatile boolean stopping;
    private volatile boolean cancelled;
    private @Nullable EventFeed feed; // once it is open
    private @Nullable EventFeed polled; // guarded by this; the feed while it is polled
    private @Nullable CountDownLatch
            closing; // guarded by this; until the feed is closed, if that was begun during a poll

    LoopFeed(ManagerContext<?> manager, VersionStatus status, String label) {
        this.manager = manager;
        this.status = status;
        this.label = label;
        this.stopped = new Waiter(manager.time());
    }

    void open(EventFeed opened) {
        feed = opened;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Polls the open feed; empty if it is stopped. */
    Optional<FeedBatch> poll(int limit, Duration wait) throws InterruptedException {
        EventFeed from = requireNonNull(feed, "feed");
        synchronized (this) {
            if (stopping) {
                return Optional.empty();
            }
            polled = from;
        }
        try {
            return Optional.of(from.poll(limit, wait));
        } catch (RuntimeException e) {
            if (stopping) {
                return Optional.empty(); // it was closed
            }
            throw e;
        } finally {
            synchronized (this) {
                polled = null;
            }
        }
    }

    void acknowledge(Collection<FeedItem> items) {
        if (feed != null) {
            feed.acknowledge(items);
        }
    }

    /** Waits for that long; returns true at once when it is stopped. */
    boolean awaitStop(Duration time) throws InterruptedException {
        return stopping || stopped.await(time);
    }

    /**
     * Returns unprocessed items to the source, so that the next loop gets them; an interrupted loop does not wait for
     * that.
     */
    void leave() {
        CountDownLatch closed;
        synchronized (this) {
            closed = closing;
        }
        if (closed == null) {
            close(requireNonNull(feed, "feed"));
            return;
        }
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the feed. A failure here must neither hide the reason why the loop ends, nor end anything else. */
    private void close(EventFeed from) {
        try {
            from.close();
        } catch (RuntimeException | Error e) {
            if (cancelled) {
                log.debug("[{}] the feed of {} did not close", status.name, label, LoggedFailure.of(e));
            } else {
                status.reporter.outage(label, LoopEnd.broken(e));
            }
        }
    }

    /** Makes polls and pauses end; does not wait. May be called by any thread, any number of times. */
    void stop() {
        EventFeed waiting;
        CountDownLatch closed = new CountDownLatch(1);
        synchronized (this) {
            stopping = true;
            stopped.signal();
            waiting = polled;
            if (waiting == null || closing != null) {
                return;
            }
            closing = closed;
        }
        manager.threads().start("spream-projection-" + status.name + "-close", () -> closeThen(waiting, closed));
    }

    /**
     * Closes the feed on a thread of its own: a source may take long to close, and must not delay the thread that stops
     * a loop.
     */
    private void closeThen(EventFeed waiting, CountDownLatch closed) {
        try {
            close(waiting);
        } finally {
            closed.countDown();
        }
    }

    /** Declares failures meaningless from now on. May be called by any thread. */
    void cancel() {
        cancelled = true;
    }
}

package dev.spream.projection.runner;

import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one feed and applies what it delivers, on a thread of its own, until it is stopped or fails; then another loop
 * continues from the stored checkpoint. Its unprocessed events are released.
 *
 * <p>It takes the available events, up to a batch, and waits only for the first event, unless its batches linger;
 * meanwhile parked aggregates are retried, and no transaction is open. The position of a segment without events is
 * stored when {@link SegmentPosition} says so.
 */
final class FeedLoop<T> implements BatchRun.Loop {
    private static final Logger log = LoggerFactory.getLogger(FeedLoop.class);
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);
    private static final String READING = "reading its source";

    private final ManagerContext<T> manager;
    private final ProjectionSetup<T> setup;
    private final VersionStatus status;
    private final VersionCode<T> code;
    private final FailureHandling failures;
    private final Assignment assignment;
    private final ParkedRetrier<T> retrier;
    private final LoopFeed feed;
    private final FeedLag lag;
    private final String label;
    private ProjectionVersion version; // as found after the segment was claimed

    // Confined to the thread, except for volatile fields.
    private final BatchBuffer gathering; // what is delivered and not in a batch yet
    private final SegmentPosition position;
    private boolean unreadable;
    private volatile boolean worked;
    private volatile boolean ended;
    private volatile @Nullable Thread thread;

    FeedLoop(
            ManagerContext<T> manager,
            ProjectionSetup<T> setup,
            VersionStatus status,
            VersionCode<T> code,
            FailureHandling failures,
            Assignment assignment) {
        this.manager = manager;
        this.setup = setup;
        this.status = status;
        this.code = code;
        this.failures = failures;
        this.assignment = assignment;
        this.label = assignment.label();
        this.feed = new LoopFeed(manager, status, label);
        this.retrier = new ParkedRetrier<>(manager, status, code, failures, this);
        this.gathering = new BatchBuffer(setup.options());
        this.lag = new FeedLag(manager, status.lags, assignment);
        this.position = new SegmentPosition(assignment.request(), manager.now());
        this.version = status.version();
    }

    void run() {
        thread = Thread.currentThread();
        try {
            work();
        } catch (LoopExit end) {
            new LoopEnd(manager, status, assignment).ended(end, version, feed.isCancelled());
        } catch (InterruptedException e) {
            log.debug("[{}] {} was interrupted", status.name, label);
        } catch (RuntimeException | Error e) { // an error ends one feed, but not all projections of the process
            if (!feed.isCancelled() && !feed.isStopping() && !status.isDropped()) {
                status.reporter.outage(label, LoopEnd.broken(e));
            }
        } finally {
            lag.unattended();
            if (unreadable) {
                status.reporter.forget(READING);
            }
            ended = true;
            status.keeperWake.signal();
        }
    }

    private void work() throws LoopExit, InterruptedException {
        VersionEntry<T> entry = new VersionEntry<>(manager.store(), status, code, failures.judge());
        if (assignment.positioned()) {
            version = entry.enter();
        }
        entry.requireModel(version);
        feed.open(open());
        try {
            while (!feed.isStopping()) {
                requireMayWrite();
                retrier.run();
                if (gather()) {
                    applyDue();
                }
            }
            storePosition();
        } finally {
            feed.leave();
        }
    }

    /** A failure to open the source concerns its configuration, not its events. */
    private EventFeed open() {
        try {
            EventFeed opened = setup.source().open(assignment.request());
            return version.isLive() ? opened : following(opened);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new StorageException("the source cannot be opened: " + e.getMessage(), true, e);
        }
    }

    private EventFeed following(EventFeed opened) {
        int segment = assignment.request().segment();
        return new FollowingFeed(
                opened, position.processed(), () -> manager.store().limit(version, segment), manager.time());
    }

    /** Polls the feed if there is room; returns whether it was polled. */
    private boolean gather() throws InterruptedException {
        try {
            Optional<FeedBatch> batch = feed.poll(gathering.room(), Duration.ofNanos(longestWait()));
            batch.ifPresent(delivered -> gathering.add(delivered, manager.now()));
            return batch.isPresent();
        } catch (RuntimeException e) {
            if (gathering.isEmpty()) {
                throw e;
            }
            gathering.makeDue(
                    manager.now()); // what came before is applied; the next poll fails again, or it has passed
            return true;
        }
    }

    private void applyDue() throws LoopExit, InterruptedException {
        if (feed.isStopping() || gathering.isDue(manager.now())) {
            take(gathering.take());
        } else {
            lag.gathered(gathering, position.processed());
        }
        if (untilPositionIsDue() <= 0) {
            storePosition();
        }
    }

    private long longestWait() {
        long idle = Math.min(retrier.idleNanos(), gathering.idleNanos(manager.now()));
        return Math.max(0, Math.min(LONGEST_WAIT, Math.min(idle, position.isAhead() ? untilPositionIsDue() : idle)));
    }

    private long untilPositionIsDue() {
        return position.untilDue(version.isLive(), manager.now());
    }

    private void take(FeedBatch batch) throws LoopExit, InterruptedException {
        if (feed.isStopping() && !assignment.positioned()) {
            return; // the feed may be closed
        }
        List<FeedItem.Event> events = new ArrayList<>(batch.items().size());
        for (FeedItem item : batch.items()) {
            switch (item) {
                case FeedItem.Event event -> events.add(event);
                case FeedItem.Undecodable undecodable -> park(undecodable);
            }
        }
        if (!events.isEmpty()) {
            behind(lag.delivered(batch, events, position.processed()));
            new BatchRun<>(manager, code, failures, this, events, batch.position()).run();
        }
        position.processedUpTo(batch.position(), manager.now());
        behind(lag.processed(batch, events, position.processed()));
        reportReadable(batch);
        works();
    }

    private void park(FeedItem.Undecodable item) {
        manager.store().deadLetter(status.name, item);
        acknowledge(List.of(item));
        status.progressed.set(true);
        log.warn(
                "[{}] the source returned an item that is not an event; it is stored as a dead letter, and its later events continue: {}",
                status.name,
                item);
        manager.tell(listener -> listener.undecodable(status.name, item.origin(), item.reason()));
    }

    /** A version that is built, or only folds its events, gathers more while it is far behind. */
    private void behind(SegmentLags.Sample sample) {
        if (!version.isLive() || code.onlyFolds()) {
            gathering.behind(sample.events().orElse(0));
        }
    }

    /**
     * Reports the readability of a source without positions, which recovers by itself; other sources fail until they
     * can be read.
     */
    private void reportReadable(FeedBatch batch) {
        if (assignment.positioned() || batch.waited().isPositive() == unreadable) {
            return;
        }
        unreadable = batch.waited().isPositive();
        if (unreadable) {
            status.reporter.outage(
                    READING,
                    new StorageException(
                            "part of the event source has been unreadable for %s; unprocessed events remain in the source"
                                    .formatted(DurationText.of(batch.waited())),
                            true,
                            null));
        } else {
            status.reporter.over(READING);
        }
    }

    private void works() {
        worked = true;
        status.reporter.over(label);
    }

    /** Stores a position that moved without events. */
    private void storePosition() throws LoopExit {
        if (!position.isAhead() || !assignment.positioned()) {
            return;
        }
        requireMayWrite();
        long processed = position.processed();
        BatchCheckpoint progress =
                new BatchCheckpoint(Map.of(), Map.of(), List.of(), OptionalLong.of(processed), Optional.empty());
        boolean fenced;
        try {
            fenced = !manager.store().apply(assignment.fence(), Set.of(), (transaction, states) -> progress);
        } catch (Exception e) {
            throw LoopExit.outage(e);
        }
        if (fenced) {
            throw LoopExit.fenced(label);
        }
        position.storedUpTo(processed, manager.now());
        status.progressed.set(true);
    }

    @Override
    public Fence fence() {
        return assignment.fence();
    }

    @Override
    public ProjectionVersion version() {
        return version;
    }

    @Override
    public void requireMayWrite() throws LoopExit {
        if (!assignment.held().getAsBoolean()) {
            throw LoopExit.fenced(label);
        }
    }

    @Override
    public boolean isCancelled() {
        return feed.isCancelled();
    }

    @Override
    public void committed(List<FeedItem.Event> items, OptionalLong upTo) {
        upTo.ifPresent(at -> position.storedUpTo(at, manager.now()));
        status.dealt.set(true);
        works();
        acknowledge(items);
        status.progressed.set(true);
    }

    private void acknowledge(List<? extends FeedItem> items) {
        if (!assignment.positioned()) {
            feed.acknowledge(List.copyOf(items));
        }
    }

    @Override
    public void parked(Duration due) {
        status.parkedChanged.set(true);
        retrier.retryAfter(due);
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        if (feed.awaitStop(time)) {
            throw new InterruptedException(
                    "stopped before a rolled-back batch was repeated; its events are delivered again");
        }
    }

    /** Makes the loop finish its batch and end; does not wait. May be called by any thread, any number of times. */
    void stop() {
        feed.stop();
    }

    /** Makes the loop end at once: its transaction is rolled back. May be called by any thread, any number of times. */
    void cancel() {
        feed.cancel();
        Thread running = thread;
        if (running != null && !ended) {
            running.interrupt();
        }
        stop();
    }

    boolean hasEnded() {
        return ended;
    }

    boolean hasWorked() {
        return worked;
    }
}

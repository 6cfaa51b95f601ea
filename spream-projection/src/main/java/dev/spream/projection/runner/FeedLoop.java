package dev.spream.projection.runner;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
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
 * stored soon after events of other segments move it, and at most five times a second, so that it is not a write for
 * each of them. The segments of a version do so one after another, so that they do not delay the batches of the others.
 */
final class FeedLoop<T> implements BatchRun.Loop {
    private static final Logger log = LoggerFactory.getLogger(FeedLoop.class);
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);
    private static final long POSITION_EVERY = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long POSITION_SPACING = TimeUnit.MILLISECONDS.toNanos(4); // between the segments of a version
    private static final String READING = "reading its source";
    private static final long FOLLOWED_EVERY = TimeUnit.MILLISECONDS.toNanos(50); // a cutover waits for it

    private final ManagerContext<T> manager;
    private final ProjectionSetup<T> setup;
    private final VersionStatus status;
    private final VersionCode<T> code;
    private final FailureHandling failures;
    private final Assignment assignment;
    private final ParkedRetrier<T> retrier;
    private final FeedLag lag;
    private final String label;
    private ProjectionVersion version; // as found after the segment was claimed

    // Confined to the thread, except for volatile fields.
    private final BatchBuffer gathering; // what is delivered and not in a batch yet
    private long stored; // position in the store
    private long seen; // position up to which everything is processed
    private long storedAt;
    private long movedAt; // if it is above the one in the store, since then
    private boolean unreadable;
    private final Waiter stopped;
    private volatile boolean worked;
    private volatile boolean stopping;
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Thread thread;
    private @Nullable EventFeed feed; // once it is open
    private @Nullable EventFeed polled; // guarded by this; the feed while it is polled
    private @Nullable CountDownLatch
            closing; // guarded by this; until the feed is closed, if that was begun during a poll

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
        this.retrier = new ParkedRetrier<>(manager, status, code, failures, this);
        this.gathering = new BatchBuffer(setup.options());
        this.lag = new FeedLag(manager, status.lags, assignment);
        this.stopped = new Waiter(manager.time());
        this.stored = assignment.request().after();
        this.seen = stored;
        this.storedAt = manager.now();
        this.movedAt = storedAt;
        this.label = assignment.label();
        this.version = status.version();
    }

    void run() {
        thread = Thread.currentThread();
        try {
            work();
        } catch (LoopExit end) {
            ended(end);
        } catch (InterruptedException e) {
            log.debug("[{}] {} was interrupted", status.name, label);
        } catch (RuntimeException | Error e) { // an error ends one feed, but not all projections of the process
            if (!cancelled && !stopping && !status.isDropped()) {
                status.reporter.outage(label, broken(e));
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

    private static Exception broken(Throwable e) {
        return e instanceof StorageException storage
                ? storage
                : new StorageException(
                        "a store or a source violated its contract: "
                                + e.getClass().getName(),
                        true,
                        e);
    }

    private void work() throws LoopExit, InterruptedException {
        VersionEntry<T> entry = new VersionEntry<>(manager.store(), status, code, failures.judge());
        if (assignment.positioned()) {
            version = entry.enter();
        }
        entry.requireModel(version);
        EventFeed opened = open();
        feed = opened;
        try {
            while (!stopping) {
                requireMayWrite();
                retrier.run();
                if (gather(opened)) {
                    applyDue();
                }
            }
            storePosition();
        } finally {
            leave(opened);
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
        return new FollowingFeed(opened, seen, () -> manager.store().limit(version, segment), manager.time());
    }

    /**
     * Returns unprocessed items to the source, so that the next loop gets them; an interrupted loop does not wait for
     * that.
     */
    private void leave(EventFeed from) {
        CountDownLatch closed;
        synchronized (this) {
            closed = closing;
        }
        if (closed == null) {
            close(from);
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
                status.reporter.outage(label, broken(e));
            }
        }
    }

    /** Polls the feed if there is room; returns whether it was polled. */
    private boolean gather(EventFeed from) throws InterruptedException {
        synchronized (this) {
            if (stopping) {
                return false;
            }
            polled = from;
        }
        try {
            FeedBatch batch = from.poll(gathering.room(), Duration.ofNanos(longestWait()));
            gathering.add(batch, manager.now());
            return true;
        } catch (RuntimeException e) {
            if (stopping) {
                return false; // it was closed
            }
            if (gathering.isEmpty()) {
                throw e;
            }
            gathering.makeDue(
                    manager.now()); // what came before is applied; the next poll fails again, or it has passed
            return true;
        } finally {
            synchronized (this) {
                polled = null;
            }
        }
    }

    private void applyDue() throws LoopExit, InterruptedException {
        if (stopping || gathering.isDue(manager.now())) {
            take(gathering.take());
        } else {
            lag.gathered(gathering, seen);
        }
        if (untilPositionIsDue() <= 0) {
            storePosition();
        }
    }

    private long longestWait() {
        long idle = Math.min(retrier.idleNanos(), gathering.idleNanos(manager.now()));
        return Math.max(0, Math.min(LONGEST_WAIT, Math.min(idle, seen > stored ? untilPositionIsDue() : idle)));
    }

    private long untilPositionIsDue() {
        long now = manager.now();
        if (!version.isLive()) {
            return storedAt + FOLLOWED_EVERY - now;
        }
        FeedRequest request = assignment.request();
        long every = Math.max(POSITION_EVERY, request.segments() * POSITION_SPACING);
        return Math.max(storedAt + every - now, movedAt + request.segment() * POSITION_SPACING - now);
    }

    private void take(FeedBatch batch) throws LoopExit, InterruptedException {
        if (stopping && !assignment.positioned()) {
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
            behind(lag.delivered(batch, events, seen));
            new BatchRun<>(manager, code, failures, this, events, batch.position()).run();
        }
        if (seen <= stored) {
            movedAt = manager.now();
        }
        seen = Math.max(seen, batch.position());
        behind(lag.processed(batch, events, seen));
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
    private void behind(LagSample sample) {
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
        if (seen <= stored || !assignment.positioned()) {
            return;
        }
        requireMayWrite();
        long position = seen;
        BatchCheckpoint progress =
                new BatchCheckpoint(Map.of(), Map.of(), List.of(), OptionalLong.of(position), Optional.empty());
        boolean fenced;
        try {
            fenced = !manager.store().apply(assignment.fence(), Set.of(), (transaction, states) -> progress);
        } catch (Exception e) {
            throw LoopExit.outage(e);
        }
        if (fenced) {
            throw LoopExit.fenced(label);
        }
        storedUpTo(position);
        status.progressed.set(true);
    }

    private void storedUpTo(long position) {
        stored = position;
        storedAt = manager.now();
    }

    private void ended(LoopExit end) {
        switch (end.reason()) {
            case FENCED -> status.watchWake.signal();
            case OUTAGE -> {
                if (!cancelled && !status.isDropped()) {
                    status.reporter.outage(label, end.failure());
                }
            }
            case LOCAL -> endHere(end.failure());
            case FATAL -> fail(end.failure());
        }
    }

    /**
     * Stops running the version in this process. If it is the live one, the manager ends, unless another version is
     * built here, which may become live instead.
     *
     * @throws ProjectionException to end the manager
     */
    private void endHere(Exception failure) {
        String error = ErrorText.of(manager.store(), failure);
        status.reporter.failed(FailureKind.LOCAL, failure);
        if (!status.endHere(error)) {
            return; // another segment's loop has said so
        }
        String message =
                "this process cannot run '%s': %s; it has released its segments, and other processes are not affected: fix the environment of this process and restart it"
                        .formatted(version.label(), error);
        if (version.isLive() && !isBuiltAnew()) {
            throw new ProjectionException(FailureKind.LOCAL, message, failure);
        }
        log.error("[{}] {}; other versions continue in this process", status.name, message);
    }

    private boolean isBuiltAnew() {
        try {
            return manager.store().versions(version.projection()).stream()
                    .anyMatch(other -> other.role() == VersionRole.CANDIDATE);
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void fail(Exception failure) {
        String error = ErrorText.of(manager.store(), failure);
        status.reporter.failed(FailureKind.FATAL, failure);
        boolean stopped;
        try {
            stopped = manager.store().fail(assignment.fence(), assignment.epoch(), error);
        } catch (RuntimeException e) {
            status.reporter.outage(label, notStopped(error, e)); // the next loop fails the same way, and says so again
            return;
        }
        if (stopped) {
            log.error(
                    "[{}] the projection stops in all processes as FAILED until it is resumed: {}", status.name, error);
        } else {
            log.debug("[{}] {} failed fatally after the projection was stopped: {}", status.name, label, error);
        }
        status.watchWake.signal();
    }

    private static StorageException notStopped(String error, RuntimeException e) {
        return new StorageException(
                "the projection must be stopped (%s), but stopping it failed: %s".formatted(error, ErrorText.of(e)),
                true,
                e);
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
        return cancelled;
    }

    @Override
    public void committed(List<FeedItem.Event> items, OptionalLong position) {
        position.ifPresent(this::storedUpTo);
        status.dealt.set(true);
        works();
        acknowledge(items);
        status.progressed.set(true);
    }

    private void acknowledge(List<? extends FeedItem> items) {
        EventFeed from = feed;
        if (from != null && !assignment.positioned()) {
            from.acknowledge(List.copyOf(items));
        }
    }

    @Override
    public void parked(Duration due) {
        status.parkedChanged.set(true);
        retrier.retryAfter(due);
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        if (stopping || stopped.await(time)) {
            throw new InterruptedException(
                    "stopped before a rolled-back batch was repeated; its events are delivered again");
        }
    }

    /** Makes the loop finish its batch and end; does not wait. May be called by any thread, any number of times. */
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

    /** Makes the loop end at once: its transaction is rolled back. May be called by any thread, any number of times. */
    void cancel() {
        cancelled = true;
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

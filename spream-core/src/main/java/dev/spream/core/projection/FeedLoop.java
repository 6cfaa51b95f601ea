package dev.spream.core.projection;

import dev.spream.core.StorageException;
import dev.spream.core.event.EventFeed;
import dev.spream.core.event.FeedBatch;
import dev.spream.core.event.FeedItem;
import java.time.Duration;
import java.time.Instant;
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
 * Reads one feed and applies what it delivers, on a thread of its own, until it is stopped or something is amiss; then another
 * one goes on, from what is stored. What it has and did not deal with is given back.
 *
 * <p>It takes what is there, up to a batch, and waits for nothing but the first event. The position of a segment without events
 * is stored about once a second, so that an idle projection writes little.
 */
final class FeedLoop<T> implements BatchRun.Loop {
    private static final Logger log = LoggerFactory.getLogger(FeedLoop.class);
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);
    private static final long POSITION_EVERY = TimeUnit.SECONDS.toNanos(1);

    private final ProjectionContext<T> context;
    private final Assignment assignment;
    private final ParkedRetrier<T> retrier;
    private final String label;

    // Confined to the thread, but for what is volatile.
    private final List<FeedItem> open = new ArrayList<>(); // delivered, and not dealt with
    private long stored; // position that the store has
    private long seen; // position up to which nothing is left to deal with
    private long storedAt;
    private LagSample lag = LagSample.NONE;
    private volatile boolean worked;
    private volatile boolean stopping;
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile @Nullable Thread thread;
    private @Nullable EventFeed feed; // once it is open
    private @Nullable EventFeed polled; // guarded by this; the feed while it is polled

    FeedLoop(ProjectionContext<T> context, Assignment assignment) {
        this.context = context;
        this.assignment = assignment;
        this.retrier = new ParkedRetrier<>(context, this);
        this.stored = assignment.request().after();
        this.seen = stored;
        this.storedAt = context.now();
        this.label = assignment.label();
    }

    /** Works until it is stopped or cannot go on. */
    void run() {
        thread = Thread.currentThread();
        try {
            work();
        } catch (LoopEnd end) {
            ended(end);
        } catch (InterruptedException e) {
            log.debug("[{}] {} was interrupted", context.name(), label);
        } catch (RuntimeException e) {
            if (!cancelled && !stopping) {
                context.troubles().outage(label, broken(e));
            }
        } finally {
            ended = true;
            context.keeperWake().raise();
        }
    }

    private static Exception broken(RuntimeException e) {
        return e instanceof StorageException
                ? e
                : new StorageException(
                        "a store or a source broke its contract: "
                                + e.getClass().getName(),
                        true,
                        e);
    }

    private void work() throws LoopEnd, InterruptedException {
        EventFeed opened = open();
        feed = opened;
        try {
            while (!stopping) {
                if (!mayWrite()) {
                    throw LoopEnd.fenced(label);
                }
                retrier.run();
                FeedBatch batch = poll(opened);
                if (batch != null) {
                    take(batch);
                }
            }
            storePosition();
        } finally {
            leave(opened);
        }
    }

    /** What a source says that cannot be opened is of its configuration, and not of events. */
    private EventFeed open() {
        try {
            return context.setup().source().open(assignment.request());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new StorageException("the source cannot be opened: " + e.getMessage(), true, e);
        }
    }

    /** Whatever happens here must not hide why the loop ends; what the feed does not take back comes again when it is closed. */
    private void leave(EventFeed from) {
        try {
            if (!open.isEmpty()) {
                from.giveBack(List.copyOf(open));
            }
            from.close();
        } catch (RuntimeException e) {
            context.troubles().outage(label, broken(e));
        }
    }

    private @Nullable FeedBatch poll(EventFeed from) throws InterruptedException {
        synchronized (this) {
            if (stopping) {
                return null;
            }
            polled = from;
        }
        try {
            FeedBatch batch = from.poll(context.options().batch(), Duration.ofNanos(longestWait()));
            open.addAll(batch.items());
            return batch;
        } catch (RuntimeException e) {
            if (stopping) {
                return null; // it was closed
            }
            throw e;
        } finally {
            synchronized (this) {
                polled = null;
            }
        }
    }

    private long longestWait() {
        return Math.max(0, Math.min(LONGEST_WAIT, retrier.idleNanos()));
    }

    private void take(FeedBatch batch) throws LoopEnd, InterruptedException {
        if (stopping && !assignment.positioned()) {
            return; // the feed may be closed
        }
        List<FeedItem.Event> events = new ArrayList<>(batch.items().size());
        for (FeedItem item : batch.items()) {
            switch (item) {
                case FeedItem.Event event -> events.add(event);
                case FeedItem.Undecodable undecodable -> setAside(undecodable);
            }
        }
        if (!events.isEmpty()) {
            behind(batch, events);
            new BatchRun<>(context, this, events, batch).run();
        }
        caughtUpTo(batch, events);
        works();
        if (context.now() - storedAt >= POSITION_EVERY) {
            storePosition();
        }
    }

    private void setAside(FeedItem.Undecodable item) {
        context.store().deadLetter(context.name(), item);
        acknowledge(List.of(item));
        open.remove(item);
        context.progressed();
        log.warn("[{}] {} is kept among the dead letters", context.name(), item);
        context.tell(listener -> listener.undecodable(context.name(), item.origin(), item.reason()));
    }

    private void behind(FeedBatch batch, List<FeedItem.Event> events) {
        Instant oldest = events.getFirst().envelope().occurredAt();
        for (FeedItem.Event event : events) {
            Instant at = event.envelope().occurredAt();
            oldest = at.isBefore(oldest) ? at : oldest;
        }
        lag(new LagSample(
                assignment.positioned() ? Math.max(events.size(), batch.head() - seen) : events.size(),
                Optional.of(oldest)));
    }

    private void caughtUpTo(FeedBatch batch, List<FeedItem.Event> events) {
        seen = Math.max(seen, batch.position());
        if (!assignment.positioned() || batch.head() <= seen) {
            lag(LagSample.NONE);
            return;
        }
        Optional<Instant> oldest = events.isEmpty()
                ? lag.oldest()
                : Optional.of(events.getLast().envelope().occurredAt());
        lag(new LagSample(batch.head() - seen, oldest));
    }

    private void lag(LagSample sample) {
        lag = sample;
        context.lag(assignment.request().segment(), sample);
    }

    private void works() {
        worked = true;
        context.troubles().over(label);
    }

    /** Stores a position that moved without events. */
    private void storePosition() throws LoopEnd {
        if (seen <= stored || !assignment.positioned()) {
            return;
        }
        if (!mayWrite()) {
            throw LoopEnd.fenced(label);
        }
        long position = seen;
        Progress progress = new Progress(Map.of(), Map.of(), List.of(), OptionalLong.of(position), Optional.empty());
        boolean fenced;
        try {
            fenced = !context.store().apply(assignment.fence(), Set.of(), (transaction, states) -> progress);
        } catch (Exception e) {
            throw LoopEnd.outage(e);
        }
        if (fenced) {
            throw LoopEnd.fenced(label);
        }
        storedUpTo(position);
        context.progressed();
    }

    private void storedUpTo(long position) {
        stored = position;
        storedAt = context.now();
    }

    private void ended(LoopEnd end) {
        switch (end.reason()) {
            case FENCED -> context.watchWake().raise();
            case OUTAGE -> {
                if (!cancelled) {
                    context.troubles().outage(label, end.failure());
                }
            }
            case FATAL -> fail(end.failure());
        }
    }

    private void fail(Exception failure) {
        String error = ErrorText.of(context.store(), failure);
        context.troubles().failed(FailureKind.FATAL, failure);
        boolean stopped;
        try {
            stopped = isOfThisEpoch() && context.store().fail(assignment.fence(), error);
        } catch (RuntimeException e) {
            context.troubles()
                    .outage(label, notStopped(error, e)); // the next loop fails the same way, and says so again
            return;
        }
        if (stopped) {
            log.error(
                    "[{}] no event can be applied: {}; the projection stops everywhere as FAILED and goes on when it is resumed",
                    context.name(),
                    error);
        } else {
            log.debug("[{}] {} found what is fatal after the projection was stopped: {}", context.name(), label, error);
        }
        context.watchWake().raise();
    }

    /**
     * Whether nobody has stopped the projection since this loop began. What it found before somebody mended it and resumed the
     * projection would stop it again.
     */
    private boolean isOfThisEpoch() {
        return context.store()
                .state(context.name())
                .filter(state -> state.epoch() == assignment.epoch())
                .isPresent();
    }

    private static StorageException notStopped(String error, RuntimeException e) {
        return new StorageException(
                "no event can be applied (%s), and the projection could not be stopped: %s"
                        .formatted(error, ErrorText.of(e)),
                true,
                e);
    }

    @Override
    public Fence fence() {
        return assignment.fence();
    }

    @Override
    public boolean mayWrite() {
        return assignment.held().getAsBoolean();
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void committed(List<FeedItem.Event> items, OptionalLong position) {
        position.ifPresent(this::storedUpTo);
        works();
        acknowledge(items);
        open.subList(0, items.size()).clear();
    }

    private void acknowledge(List<? extends FeedItem> items) {
        EventFeed from = feed;
        if (from != null && !assignment.positioned()) {
            from.acknowledge(List.copyOf(items));
        }
    }

    @Override
    public void parked(Duration due) {
        retrier.hurry(due);
    }

    /** Has it finish its batch and end. Called by any thread, as often as wanted. */
    void stop() {
        EventFeed waiting;
        synchronized (this) {
            stopping = true;
            waiting = polled;
        }
        if (waiting != null) {
            waiting.close();
        }
    }

    /** Has it end at once: its transaction is rolled back. Called by any thread, as often as wanted. */
    void cancel() {
        cancelled = true;
        stop();
        Thread running = thread;
        if (running != null && !ended) {
            running.interrupt();
        }
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether it got anything done. */
    boolean hasWorked() {
        return worked;
    }

    boolean isRunBy(Thread other) {
        return other.equals(thread);
    }
}

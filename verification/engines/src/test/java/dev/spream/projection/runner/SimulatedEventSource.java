package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A source as a process of a simulation sees it: it waits in the simulation's time, and fails while there is trouble. */
final class SimulatedEventSource implements EventSource {
    private static final long LONGEST_NAP = TimeUnit.MILLISECONDS.toNanos(50);

    private final EventSource source;
    private final SimulatedProcess process;
    private final SplittableRandom random;
    private final BooleanSupplier troubled;
    private final List<EventFeed> feeds = new ArrayList<>();

    SimulatedEventSource(
            EventSource source, SimulatedProcess process, SplittableRandom random, BooleanSupplier troubled) {
        this.source = source;
        this.process = process;
        this.random = random;
        this.troubled = troubled;
    }

    @Override
    public boolean positioned() {
        return source.positioned();
    }

    @Override
    public EventFeed open(FeedRequest request) {
        mayFail("opening a feed");
        EventFeed feed = source.open(request);
        feeds.add(feed);
        return new SimulatedFeed(feed);
    }

    /** The process is gone: what its feeds hold comes again. */
    @Override
    public void close() {
        List.copyOf(feeds).forEach(EventFeed::close);
    }

    private void mayFail(String what) {
        if (troubled.getAsBoolean() && random.nextInt(50) == 0) {
            throw new StorageException(what + " failed", true, null);
        }
    }

    private final class SimulatedFeed implements EventFeed {
        private final EventFeed feed;
        private boolean closed;

        SimulatedFeed(EventFeed feed) {
            this.feed = feed;
        }

        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            mayFail("a poll");
            long until = process.nanoTime() + wait.toNanos();
            while (true) {
                FeedBatch batch = feed.poll(random.nextInt(limit) + 1, Duration.ZERO);
                long left = until - process.nanoTime();
                if (!batch.items().isEmpty() || left <= 0 || closed) {
                    return batch;
                }
                process.sleep(Math.min(left, 1 + random.nextLong(LONGEST_NAP)));
            }
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            feed.acknowledge(items);
        }

        @Override
        public void close() {
            closed = true;
            feed.close();
        }
    }
}

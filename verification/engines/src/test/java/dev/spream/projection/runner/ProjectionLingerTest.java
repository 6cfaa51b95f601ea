package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.event.QueueEventSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Batches that wait to be full, longer than any test does. */
final class ProjectionLingerTest {
    private static final ProjectionOptions TIMEOUT = ManagerBench.OPTIONS
            .withSegments(1)
            .withBatch(3)
            .withLinger(ProjectionOptions.MAX_LINGER)
            .withLease(Duration.ofSeconds(2));

    private final ManagerBench bench = new ManagerBench();
    private final QueueEventSource queue = new QueueEventSource();

    @AfterEach
    void stop() {
        bench.close();
        queue.close();
    }

    private Running start(Balances projection, EventSource source, ProjectionOptions options) {
        return bench.start(bench.database.store(), builder -> builder.add(projection, source, options));
    }

    private List<Integer> batches() {
        return bench.told.all(RecordingProjectionListener.Told.Applied.class).stream()
                .map(RecordingProjectionListener.Told.Applied::applied)
                .filter(applied -> applied > 0)
                .toList();
    }

    @Test
    void events_that_come_one_by_one_are_one_batch() {
        OneByOne source = new OneByOne(bench.source);
        Accounts.append(bench.events, "account-1", 1, 2, 3, 4, 5, 6);
        start(new Balances("balances"), source, TIMEOUT);
        bench.awaitBalances("balances");
        bench.await("two batches", () -> batches().equals(List.of(3, 3)));
    }

    @Test
    void a_batch_that_does_not_fill_is_applied_when_the_time_is_over() {
        start(new Balances("balances"), bench.source, TIMEOUT.withLinger(Duration.ofMillis(20)));
        Accounts.append(bench.events, "account-1", 1, 2);
        bench.awaitBalances("balances");
    }

    @Test
    void events_that_wait_for_others_are_lag() {
        Running running = start(new Balances("balances"), bench.source, TIMEOUT);
        Accounts.append(bench.events, "account-1", 1, 2);
        bench.await("both behind", () -> view(running).lagEvents().orElse(0) == 2);
        assertThat(view(running).lag().orElse(Duration.ZERO)).isPositive();
        assertThat(bench.balances("balances")).isEmpty();
    }

    @Test
    void events_without_positions_that_wait_for_others_are_lag() {
        queue.write(Accounts.deposit("account-1", 1, 7));
        queue.writeUndecodable("message-1");
        Running running = start(new Balances("balances"), queue.another(), TIMEOUT);
        bench.await("both behind", () -> view(running).lagEvents().orElse(0) == 2);
        assertThat(view(running).lag().orElse(Duration.ZERO)).isPositive();
        assertThat(bench.balances("balances")).isEmpty();
    }

    private static ProjectionView view(Running running) {
        return running.manager().views().getFirst();
    }

    @Test
    void stopping_does_not_wait_and_loses_nothing() throws Exception {
        queue.write(Accounts.deposit("account-1", 1, 7));
        OneByOne source = new OneByOne(queue.another());
        Running running = start(new Balances("balances"), source, TIMEOUT);
        bench.await("the event delivered", source.delivered::get);
        running.stop();
        assertThat(bench.balances("balances")).isEmpty();
        assertThat(source.acknowledged).isEmpty();
        start(new Balances("balances"), queue.another(), TIMEOUT.withLinger(Duration.ZERO));
        bench.await(
                "the event applied",
                () -> bench.history("balances", "account-1").equals(List.of(1L)));
    }

    @Test
    void stopping_applies_what_a_segment_has() throws Exception {
        Accounts.append(bench.events, "account-1", 7);
        OneByOne source = new OneByOne(bench.source);
        Running running = start(new Balances("balances"), source, TIMEOUT);
        bench.await("the event delivered", source.delivered::get);
        running.stop();
        start(new Balances("balances"), bench.source, TIMEOUT.withLinger(Duration.ZERO));
        bench.awaitBalances("balances");
    }

    @Test
    void a_parked_aggregate_is_tried_while_a_batch_waits() {
        AtomicBoolean fixed = new AtomicBoolean();
        Balances projection = new Balances("balances").failing(event -> {
            if (event.aggregateId().equals("account-1") && !fixed.get()) {
                throw new ProjectionException(FailureKind.POISON, "a test wants it", null);
            }
        });
        OneByOne source = new OneByOne(bench.source);
        Accounts.append(bench.events, "account-1", 1, 2, 3);
        start(projection, source, TIMEOUT);
        bench.awaitParked("balances", "account-1", ParkReason.POISON);
        source.delivered.set(false);
        Accounts.append(bench.events, "account-2", 1);
        bench.await("another batch begun", source.delivered::get);
        fixed.set(true);
        bench.operations.retry("balances", Optional.empty(), ManagerBench.ACT);
        bench.await(
                "the aggregate resumed",
                () -> bench.history("balances", "account-1").equals(List.of(1L, 2L, 3L)));
        assertThat(bench.balances("balances")).doesNotContainKey("account-2");
    }

    @Test
    void a_source_that_fails_does_not_take_back_what_it_delivered() {
        OneByOne source = new OneByOne(bench.source);
        source.failsAfterItems.set(true);
        Accounts.append(bench.events, "account-1", 1, 2, 3, 4);
        start(new Balances("balances"), source, TIMEOUT);
        bench.awaitBalances("balances");
        bench.await("four batches", () -> batches().equals(List.of(1, 1, 1, 1)));
    }

    @Test
    void the_position_before_a_batch_that_waits_is_stored() {
        CutSource source = new CutSource(bench.source);
        start(new Balances("balances"), source, TIMEOUT.withSegments(2));
        bench.await("both segments are read", () -> source.polls(0) > 0 && source.polls(1) > 0);
        appendAndAwait("account-7", 1, source);
        appendAndAwait("account-7", 2, source);
        appendAndAwait("account-0", 1, source);
        bench.await(
                "the position",
                () -> bench.details("balances").segments().getFirst().position() == 2);
        assertThat(source.polls(0)).as("polls of a segment that waits").isLessThan(50);
        assertThat(bench.balances("balances")).isEmpty();
    }

    private void appendAndAwait(String account, long amount, CutSource source) {
        int before = source.polls(0);
        Accounts.append(bench.events, account, amount);
        bench.await("a poll of the first segment", () -> source.polls(0) > before);
    }

    /** Delivers an item at a time. */
    private static final class OneByOne implements EventSource {
        private final EventSource source;
        private final AtomicBoolean delivered = new AtomicBoolean();
        private final AtomicBoolean failsAfterItems = new AtomicBoolean();
        private final Queue<FeedItem> acknowledged = new ConcurrentLinkedQueue<>();

        OneByOne(EventSource source) {
            this.source = source;
        }

        @Override
        public boolean positioned() {
            return source.positioned();
        }

        @Override
        public EventFeed open(FeedRequest request) {
            return new Feed(source.open(request));
        }

        @Override
        public void close() {
            source.close();
        }

        private final class Feed implements EventFeed {
            private final EventFeed feed;
            private boolean failing;

            Feed(EventFeed feed) {
                this.feed = feed;
            }

            @Override
            public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                if (failing && failsAfterItems.get()) {
                    failing = false;
                    throw new StorageException("a test wants it", true, null);
                }
                FeedBatch batch = feed.poll(1, wait);
                if (!batch.items().isEmpty()) {
                    failing = true;
                    delivered.set(true);
                }
                return batch;
            }

            @Override
            public void acknowledge(Collection<FeedItem> items) {
                acknowledged.addAll(items);
                feed.acknowledge(items);
            }

            @Override
            public void close() {
                feed.close();
            }
        }
    }
}

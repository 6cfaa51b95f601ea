package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.event.QueueEventSource;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the lag of a projection behind events that it cannot read yet. */
final class ProjectionLagTest {
    private static final Duration WAITED = Duration.ofMinutes(3);
    private static final int GIVEN = 5;

    private final ManagerBench bench = new ManagerBench();
    private final AtomicBoolean shut = new AtomicBoolean(true);

    @AfterEach
    void stop() {
        bench.close();
    }

    /** A source with an open append after the last event. */
    private record ShutSource(EventSource source, AtomicBoolean shut) implements EventSource {
        @Override
        public boolean positioned() {
            return true;
        }

        @Override
        public EventFeed open(FeedRequest request) {
            return new ShutFeed(source.open(request), shut);
        }

        @Override
        public void close() {}
    }

    private record ShutFeed(EventFeed feed, AtomicBoolean shut) implements EventFeed {
        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            FeedBatch batch = feed.poll(limit, wait);
            return shut.get() && batch.head() == batch.position()
                    ? new FeedBatch(batch.items(), batch.position(), batch.head() + GIVEN, WAITED)
                    : batch;
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {}

        @Override
        public void close() {
            feed.close();
        }
    }

    @Test
    void an_unreadable_source_without_positions_is_an_outage_without_a_number_of_events() {
        QueueEventSource queue = new QueueEventSource();
        EventSource unreadable = ContractBreakers.of(
                EventSource.class,
                queue,
                "open",
                (source, arguments) -> ContractBreakers.of(
                        EventFeed.class, source.open((FeedRequest) arguments[0]), "poll", (feed, limits) -> {
                            FeedBatch batch = feed.poll((int) limits[0], (Duration) limits[1]);
                            return shut.get() ? FeedBatch.of(batch.items(), WAITED) : batch;
                        }));
        ManagerBench.Running running =
                bench.start(bench.database.store(), builder -> builder.add(new Balances("balances"), unreadable));
        bench.await("lag", () -> lag(running).compareTo(WAITED) >= 0);
        assertThat(view(running).lagEvents()).isEmpty();
        bench.await("an outage", () -> view(running).outage().isPresent());
        assertThat(view(running).outage().orElseThrow()).contains("unreadable for 3 min");
        queue.write(Accounts.deposit("account-1", 1, 7));
        bench.await("what can be read", () -> !bench.balances("balances").isEmpty());
        assertThat(view(running).outage()).isPresent();
        shut.set(false);
        bench.await("no lag", () -> view(running).lagEvents().orElse(1) == 0);
        assertThat(view(running).lag()).hasValue(Duration.ZERO);
        bench.await("no outage", () -> view(running).outage().isEmpty());
        running.manager().close();
        queue.close();
    }

    @Test
    void a_closed_store_is_an_outage_and_the_lag_is_unknown() {
        ManagerBench.Running running = bench.start(new Balances("balances"));
        bench.await("no lag", () -> view(running).lagEvents().orElse(1) == 0);
        bench.events.close();
        bench.await("an outage", () -> view(running).outage().isPresent());
        bench.await("no events known", () -> view(running).lagEvents().isEmpty());
        assertThat(view(running).outage().orElseThrow()).contains("closed");
    }

    private ProjectionView view(ManagerBench.Running running) {
        return running.manager().views().getFirst();
    }

    private Duration lag(ManagerBench.Running running) {
        return view(running).lag().orElse(Duration.ZERO);
    }

    @Test
    void unreadable_events_are_lag_since_the_time_they_became_unreadable() {
        Accounts.append(bench.events, "account-1", 1, 2, 3);
        ManagerBench.Running running = bench.start(
                bench.database.store(),
                builder -> builder.add(new Balances("balances"), new ShutSource(bench.source, shut)));
        bench.awaitBalances("balances");
        bench.await("lag", () -> view(running).lagEvents().orElse(0) == GIVEN);
        bench.await("its age", () -> lag(running).compareTo(WAITED) >= 0);
        assertThat(lag(running)).isLessThan(WAITED.multipliedBy(2));
        shut.set(false);
        bench.await("no lag", () -> view(running).lagEvents().orElse(1) == 0);
        assertThat(view(running).lag()).hasValue(Duration.ZERO);
    }
}

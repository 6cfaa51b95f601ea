package dev.spream.core.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.event.EventFeed;
import dev.spream.core.event.EventSource;
import dev.spream.core.event.FeedBatch;
import dev.spream.core.event.FeedItem;
import dev.spream.core.event.FeedRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How far a projection is behind what it cannot read yet. */
final class ProjectionLagTest {
    private static final Duration WAITED = Duration.ofMinutes(3);
    private static final int GIVEN = 5;

    private final ManagerBench bench = new ManagerBench();
    private final AtomicBoolean shut = new AtomicBoolean(true);

    @AfterEach
    void stop() {
        bench.close();
    }

    /** Somebody has been about to append behind the last event, for a while. */
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

    private ProjectionView view(ManagerBench.Running running) {
        return running.manager().views().getFirst();
    }

    private Duration lag(ManagerBench.Running running) {
        return view(running).lag().orElse(Duration.ZERO);
    }

    @Test
    void what_cannot_be_read_yet_is_lag_and_as_old_as_that_it_cannot() {
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

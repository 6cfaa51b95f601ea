package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** The latency of an event, from the start of its append to a reader of the store, and to the committed read model. */
record EventLatency(DataSource database) {
    private static final int PER_SECOND = Integer.getInteger("perSecond", 1_000);
    private static final int SECONDS = Integer.getInteger("seconds", 15);
    private static final int EVENTS = PER_SECOND * SECONDS;
    private static final int PRODUCERS = 8;
    private static final int AGGREGATES = 100;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    void measure() throws Exception {
        Sql.run(database, "DROP SCHEMA IF EXISTS spream CASCADE", "TRUNCATE balances");
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database)) {
            measure("append to reader", store, arrivals -> reader(source, arrivals));
            measure("append to committed read model", store, arrivals -> projection(source, projections, arrivals));
        }
    }

    private void measure(String what, JdbcEventStore store, Function<Consumer<EventEnvelope>, AutoCloseable> reading)
            throws Exception {
        AtomicLongArray startedAt = new AtomicLongArray(EVENTS);
        AtomicLongArray took = new AtomicLongArray(EVENTS);
        String run = Long.toHexString(System.nanoTime());
        AutoCloseable reader = reading.apply(event -> {
            if (event.eventId().startsWith(run + "-")) {
                int number = Integer.parseInt(
                        event.eventId(), run.length() + 1, event.eventId().length(), 10);
                took.set(number, System.nanoTime() - startedAt.get(number));
            }
        });
        try {
            Parallel.paced(PRODUCERS, EVENTS, PER_SECOND, i -> {
                startedAt.set(i, System.nanoTime());
                store.append(
                        "t-" + i % AGGREGATES, ExpectedVersion.any(), List.of(ProjectionRate.event(run + "-" + i)));
            });
            awaitAll(what, took);
        } finally {
            reader.close();
        }
        List<Long> nanos = IntStream.range(0, EVENTS).mapToObj(took::get).toList();
        Measurements.printTimes("%s at %,d/s".formatted(what, PER_SECOND), nanos);
    }

    private static void awaitAll(String what, AtomicLongArray took) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (missing(took) > 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("%s: %d events are missing".formatted(what, missing(took)));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static long missing(AtomicLongArray took) {
        return IntStream.range(0, took.length()).filter(i -> took.get(i) == 0).count();
    }

    private static AutoCloseable reader(EventSource source, Consumer<EventEnvelope> arrivals) {
        EventFeed feed = source.open(FeedRequest.all("tail"));
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                while (!Thread.currentThread().isInterrupted()) {
                    for (FeedItem item : feed.poll(1_000, Duration.ofSeconds(1)).items()) {
                        if (item instanceof FeedItem.Event event) {
                            arrivals.accept(event.envelope());
                        }
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return () -> {
            thread.interrupt();
            thread.join();
            feed.close();
        };
    }

    private static AutoCloseable projection(
            EventSource source, JdbcProjectionStore projections, Consumer<EventEnvelope> arrivals) {
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void eventApplied(String projection, EventEnvelope event, Duration took) {
                arrivals.accept(event);
            }
        };
        ProjectionManager<Connection> manager = ProjectionManager.builder(projections)
                .add(new Folded("tailed_balances", "balances"), source, ProjectionOptions.DEFAULTS)
                .listener(listener)
                .build();
        Thread thread = Thread.ofVirtual().start(manager::run);
        return () -> {
            manager.shutdown(Duration.ofSeconds(10));
            thread.join();
            manager.close();
        };
    }
}

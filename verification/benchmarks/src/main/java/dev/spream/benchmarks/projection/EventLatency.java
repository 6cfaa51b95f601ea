package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.harness.Percentiles;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** How long an event takes, from before it is appended, to a reader of the store, and to the committed read model. */
final class EventLatency {
    private static final int PER_SECOND = Integer.getInteger("perSecond", 1_000);
    private static final int SECONDS = Integer.getInteger("seconds", 15);
    private static final int PRODUCERS = 8;
    private static final int AGGREGATES = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final DataSource database;
    private final int events = PER_SECOND * SECONDS;

    EventLatency(DataSource database) {
        this.database = database;
    }

    /** What is told when an event has arrived. */
    private interface Arrivals {
        void arrived(EventEnvelope event);
    }

    void measure() throws Exception {
        Sql.run(database, "DROP SCHEMA IF EXISTS spream CASCADE", "TRUNCATE balances");
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database)) {
            measure("append to reader", store, arrivals -> reader(source, arrivals));
            measure("append to committed read model", store, arrivals -> projection(source, projections, arrivals));
        }
    }

    private interface Reading {
        AutoCloseable start(Arrivals arrivals);
    }

    private void measure(String what, JdbcEventStore store, Reading reading) throws Exception {
        AtomicLongArray startedAt = new AtomicLongArray(events);
        AtomicLongArray took = new AtomicLongArray(events);
        String run = Long.toHexString(System.nanoTime());
        AutoCloseable reader = reading.start(event -> {
            if (event.eventId().startsWith(run + "-")) {
                int number = Integer.parseInt(
                        event.eventId(), run.length() + 1, event.eventId().length(), 10);
                took.set(number, System.nanoTime() - startedAt.get(number));
            }
        });
        try {
            produce(store, run, startedAt);
            awaitAll(what, took);
        } finally {
            reader.close();
        }
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            nanos.add(took.get(i));
        }
        Percentiles.print("%s at %,d/s".formatted(what, PER_SECOND), nanos);
    }

    private static void awaitAll(String what, AtomicLongArray took) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (missing(took) > 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("%s: %d events are missing".formatted(what, missing(took)));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static long missing(AtomicLongArray took) {
        long missing = 0;
        for (int i = 0; i < took.length(); i++) {
            missing += took.get(i) == 0 ? 1 : 0;
        }
        return missing;
    }

    private static AutoCloseable reader(EventSource source, Arrivals arrivals) {
        EventFeed feed = source.open(FeedRequest.all("tail"));
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                while (!Thread.currentThread().isInterrupted()) {
                    for (FeedItem item : feed.poll(1_000, Duration.ofSeconds(1)).items()) {
                        if (item instanceof FeedItem.Event event) {
                            arrivals.arrived(event.envelope());
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

    private static AutoCloseable projection(EventSource source, JdbcProjectionStore projections, Arrivals arrivals) {
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void eventApplied(String projection, EventEnvelope event, Duration took) {
                arrivals.arrived(event);
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

    private void produce(JdbcEventStore store, String run, AtomicLongArray startedAt) throws Exception {
        long start = System.nanoTime();
        Parallel.sum(Executors.newFixedThreadPool(PRODUCERS), PRODUCERS, first -> () -> {
            for (int i = first; i < events; i += PRODUCERS) {
                Parallel.waitUntil(start + TimeUnit.SECONDS.toNanos(1) * i / PER_SECOND);
                startedAt.set(i, System.nanoTime());
                store.append(
                        "t-" + i % AGGREGATES, ExpectedVersion.any(), List.of(ProjectionRate.event(run + "-" + i)));
            }
            return 0L;
        });
    }
}

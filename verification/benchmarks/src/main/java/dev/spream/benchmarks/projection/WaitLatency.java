package dev.spream.benchmarks.projection;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.waiting.ProjectionWaiter;
import dev.spream.projection.waiting.WaitOutcome;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The time from an append until a caller that waits for the event is told that the read model has it, while the
 * projection runs in the same process, and as if it ran in another one, beside the latency of a reader and of the
 * committed read model.
 */
public final class WaitLatency {
    private static final int PER_SECOND = Integer.getInteger("perSecond", 1_000);
    private static final int SECONDS = Integer.getInteger("seconds", 15);
    private static final int WARM_UP = Integer.getInteger("warmUp", 10); // seconds
    private static final int PRODUCERS = 8;
    private static final int AGGREGATES = 100;
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String NAME = "awaited_balances";
    private static final ProjectionListener SILENT = new ProjectionListener() {};

    private final HikariDataSource database;

    private WaitLatency(HikariDataSource database) {
        this.database = database;
    }

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres();
                HikariDataSource database = Postgres.pool(postgres.url(), 24)) {
            Balances.createTables(database);
            new EventLatency(database).measure();
            WaitLatency waits = new WaitLatency(database);
            waits.measure("append to the end of a wait, same process", true);
            waits.measure("append to the end of a wait, other process", false);
        }
    }

    private void measure(String what, boolean sameProcess) throws Exception {
        Sql.run(database, "DROP SCHEMA IF EXISTS spream CASCADE", "TRUNCATE balances");
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database)) {
            ProjectionWaiter waiter = ProjectionWaiter.of(projections, NAME);
            try (ProjectionManager<Connection> manager = ProjectionManager.builder(projections)
                    .add(new Folded(NAME, "balances"), source)
                    .listener(sameProcess ? waiter.listener() : SILENT)
                    .build()) {
                projections.register(NAME, 4);
                Thread running = Thread.ofVirtual().start(manager::run);
                appendAndWait(store, waiter, PER_SECOND * WARM_UP); // until all is claimed and compiled
                Measurements.printTimes(
                        "%s, at %,d/s".formatted(what, PER_SECOND), appendAndWait(store, waiter, PER_SECOND * SECONDS));
                manager.shutdown(Duration.ofSeconds(10));
                running.join();
            }
        }
    }

    private static List<Long> appendAndWait(JdbcEventStore store, ProjectionWaiter waiter, int events)
            throws Exception {
        String run = Long.toHexString(System.nanoTime());
        ConcurrentLinkedQueue<Future<Long>> waits = new ConcurrentLinkedQueue<>();
        List<Long> took = new ArrayList<>();
        try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
            Parallel.paced(PRODUCERS, events, PER_SECOND, i -> {
                long startedAt = System.nanoTime();
                RecordedEvent appended = store.append(
                                "t-" + i % AGGREGATES,
                                ExpectedVersion.any(),
                                List.of(ProjectionRate.event(run + "-" + i)))
                        .getLast();
                waits.add(calls.submit(() -> {
                    WaitOutcome outcome = waiter.await(appended, LIMIT);
                    if (!outcome.isReached()) {
                        throw new IllegalStateException("%s: %s".formatted(appended.event(), outcome));
                    }
                    return System.nanoTime() - startedAt;
                }));
            });
            for (Future<Long> each : waits) {
                took.add(each.get());
            }
        }
        return took;
    }
}

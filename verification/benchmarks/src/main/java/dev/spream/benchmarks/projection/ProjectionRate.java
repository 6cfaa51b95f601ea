package dev.spream.benchmarks.projection;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.core.DurationText;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import dev.spream.storage.jdbc.table.TableProjection;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Projections of an event store, each event applied once, compared with plain JDBC that reads the same events and
 * writes the same rows over as many connections, without recording its progress: an event a transaction, batches
 * written event by event, and folded batches. Then rows that aggregates of all segments share, with one segment and
 * with four; and the latency of an event from the append to a reader, and to the read model.
 */
public final class ProjectionRate {
    private static final int FEW = Integer.getInteger("few", 10_000);
    private static final int MANY = Integer.getInteger("many", 200_000);
    private static final int SHARED = Integer.getInteger("shared", 500_000); // the start of a manager counts as well
    private static final int ACCOUNTS = Integer.getInteger("accounts", 1_000);
    private static final int BATCH = Integer.getInteger("batch", 1_000);
    private static final int SEGMENTS = Integer.getInteger("segments", 2);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 1);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int CUSTOMERS = Integer.getInteger("customers", 50);
    private static final int FOUR = 4;
    private static final int EVENTS_OF_APPEND = 10;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final HikariDataSource database;
    private int runs;

    private ProjectionRate(HikariDataSource database) {
        this.database = database;
    }

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres();
                HikariDataSource database = Postgres.pool(postgres.url(), 12)) {
            ProjectionRate rate = new ProjectionRate(database);
            rate.compare("an event a transaction", FEW, 1, EventByEvent::new);
            rate.compare("batches, event by event", MANY, BATCH, EventByEvent::new);
            rate.compare("batches, folded", MANY, BATCH, Folded::new);
            rate.share();
            new EventLatency(database).measure();
            new RebuildRate(database).measure();
        }
    }

    private void compare(
            String title,
            int events,
            int batch,
            BiFunction<String, String, ? extends Projection<Connection>> projection)
            throws Exception {
        Balances.createTables(database);
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database)) {
            append(store, events);
            Sql.run(database, "VACUUM ANALYZE spream.events");
            PlainProjection plain = new PlainProjection(database, batch, SEGMENTS);
            new Comparison("projection, %s of %,d, accounts: %,d".formatted(title, batch, ACCOUNTS), events)
                    .add("plain JDBC, the same rows", () -> {
                        Sql.run(database, "TRUNCATE plain.balances");
                        return plain.run(projection.apply("balances", "plain.balances"));
                    })
                    .add("spream, each event once", () -> {
                        Sql.run(database, "TRUNCATE balances");
                        return project(
                                projections,
                                source,
                                name -> projection.apply(name, "balances"),
                                events,
                                batch,
                                SEGMENTS);
                    })
                    .run(WARM_UPS, TURNS);
            Sql.requireEqual(database, "plain.balances", "balances");
        }
    }

    /**
     * Compares segments that write the same rows with plain JDBC over as many connections, with the configured batch and with that
     * which the segments take while they are far behind; and with one segment.
     */
    private void share() throws Exception {
        Balances.createTables(database);
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database)) {
            append(store, SHARED);
            Sql.run(
                    database,
                    "VACUUM ANALYZE spream.events",
                    Balances.table("one_segment"),
                    Balances.table("plain_balances"));
            new Comparison("projection, %,d rows that %,d accounts share".formatted(CUSTOMERS, ACCOUNTS), SHARED)
                    .add("plain JDBC, four connections", () -> sharePlain(BATCH))
                    .add("plain JDBC, ten times the batch", () -> sharePlain(10 * BATCH))
                    .add("four segments", () -> share(projections, source, "balances", FOUR))
                    .add("one segment", () -> share(projections, source, "one_segment", 1))
                    .run(WARM_UPS, TURNS);
            Sql.requireEqual(database, "plain_balances", "balances");
            Sql.requireEqual(database, "plain_balances", "one_segment");
        }
    }

    private long sharePlain(int batch) throws Exception {
        Sql.run(database, "TRUNCATE plain_balances");
        return new PlainProjection(database, batch, FOUR).run(totals("plain_balances", "plain"));
    }

    private long share(JdbcProjectionStore projections, EventSource source, String table, int segments)
            throws Exception {
        Sql.run(database, "TRUNCATE " + table);
        return project(projections, source, name -> totals(table, name), SHARED, BATCH, segments);
    }

    /** Returns the totals of customers, each of which has many accounts, in all segments. */
    private static TableProjection<EventEnvelope> totals(String table, String name) {
        return TableProjection.table(table, Set.of())
                .name(name)
                .key(
                        "account",
                        event -> "c-" + Math.floorMod(event.aggregateId().hashCode(), CUSTOMERS))
                .sum("balance", Balances::amount)
                .count("movements")
                .build();
    }

    private static void append(JdbcEventStore store, int events) {
        for (int i = 0; i < events / EVENTS_OF_APPEND; i++) {
            List<NewEvent> movements = new ArrayList<>();
            for (int j = 0; j < EVENTS_OF_APPEND; j++) {
                movements.add(event("e-%d-%d".formatted(i, j)));
            }
            store.append("a-" + i % ACCOUNTS, ExpectedVersion.any(), movements);
        }
    }

    static NewEvent event(String id) {
        return new NewEvent(id, "MoneyDeposited", "{\"amount\": 7}", Instant.now(), EventMetadata.NONE);
    }

    private long project(
            JdbcProjectionStore store,
            EventSource source,
            Function<String, Projection<Connection>> projection,
            int events,
            int batch,
            int segments)
            throws InterruptedException {
        String name = "balances_" + ++runs;
        ProjectionOptions options =
                ProjectionOptions.DEFAULTS.withSegments(segments).withBatch(batch);
        return project(store, projection.apply(name), source, options, name, events);
    }

    /** Runs a projection until one state of it has that many events; returns the number of events that were applied. */
    static long project(
            JdbcProjectionStore store,
            Projection<Connection> projection,
            EventSource source,
            ProjectionOptions options,
            String state,
            int events)
            throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        AtomicLong applied = new AtomicLong();
        ProjectionListener count = new ProjectionListener() {
            @Override
            public void batchApplied(String name, int now, int duplicates, int parked, Duration took) {
                if (name.equals(state) && applied.addAndGet(now) >= events) {
                    done.countDown();
                }
            }
        };
        try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                .add(projection, source, options)
                .listener(count)
                .build()) {
            Thread running = Thread.ofVirtual().start(manager::run);
            if (!done.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("%s has %d of %d events after %s"
                        .formatted(state, applied.get(), events, DurationText.of(TIMEOUT)));
            }
            manager.shutdown(Duration.ofSeconds(10));
            running.join();
        }
        return applied.get();
    }
}

package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * A version of a projection built from all events during live operation, from the start of its manager until its last
 * event is committed, compared with plain JDBC that reads the same events and writes the same rows in batches of the
 * same size. Reading alone, and reading with folding, are measured as its parts; the rest is writing.
 */
record RebuildRate(DataSource database) {
    private static final int EVENTS = Integer.getInteger("rebuilt", 500_000);
    private static final int ACCOUNTS = Integer.getInteger("accounts", 1_000);
    private static final int SEGMENTS = Integer.getInteger("segments", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 1);

    /** The batch size of a version that is far behind. */
    private static final int BATCH = 10_000;

    private static final int ROUND = ACCOUNTS * 10;
    static final Act ACT = new Act("benchmark", "measuring");

    void measure() throws Exception {
        Balances.createTables(database);
        try (JdbcEventStore store = JdbcEventStore.create(database);
                EventSource source = store.source();
                JdbcProjectionStore projections = JdbcProjectionStore.create(database);
                JdbcProjectionOperations operations = JdbcProjectionOperations.create(database)) {
            insertEvents();
            ProjectionRebuilds rebuilds = operations.rebuilds();
            run(projections, source, RebuiltBalances.NAME);
            PlainProjection plain = new PlainProjection(database, BATCH, SEGMENTS);
            Comparison comparison =
                    new Comparison("rebuild of %,d events, accounts: %,d".formatted(EVENTS, ACCOUNTS), EVENTS);
            ServerCpu server = new ServerCpu(database);
            Map<String, Callable<Long>> ways = new LinkedHashMap<>();
            ways.put("plain JDBC, the same rows", () -> {
                Sql.run(database, "TRUNCATE plain.balances");
                return plain.run(new Folded("plain.balances"));
            });
            ways.put("spream, rebuild", () -> rebuild(projections, source, rebuilds));
            ways.put("of that, reading", () -> read(source, false));
            ways.put("of that, reading and folding", () -> read(source, true));
            ways.forEach((name, way) -> comparison.add(name, server.of(name, way)));
            comparison.goal("spream at 150,000 events a second").run(WARM_UPS, TURNS);
            server.print(WARM_UPS);
            new CutoverPause(database, store, source, projections, rebuilds).measure();
        }
    }

    /** Inserts the events in statements of several thousand, with the same result as appends. */
    private void insertEvents() throws SQLException {
        for (int first = 0; first < EVENTS; first += ROUND) {
            Sql.run(database, """
                    INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
                    SELECT 'r-' || i, 'a-' || i %% %1$d, i / %1$d + 1, 'MoneyDeposited', '{"amount": 7}', now()
                    FROM generate_series(%2$d, %3$d) AS i""".formatted(ACCOUNTS, first, Math.min(first + ROUND, EVENTS) - 1));
        }
        Sql.run(database, "VACUUM ANALYZE spream.events");
    }

    private long rebuild(JdbcProjectionStore projections, EventSource source, ProjectionRebuilds rebuilds)
            throws Exception {
        for (ProjectionVersion version : rebuilds.versions(RebuiltBalances.NAME)) {
            if (!version.isLive()) {
                rebuilds.drop(RebuiltBalances.NAME, version.version(), ACT);
            }
        }
        int version = rebuilds.rebuild(RebuiltBalances.NAME, OptionalInt.empty(), 0, ACT);
        long applied = run(projections, source, ProjectionVersion.stateName(RebuiltBalances.NAME, version));
        Sql.requireEqual(database, "plain.balances", "public__balances_v%d.balances".formatted(version));
        return applied;
    }

    private static long run(JdbcProjectionStore projections, EventSource source, String state)
            throws InterruptedException {
        ProjectionOptions options = ProjectionOptions.DEFAULTS.withSegments(SEGMENTS);
        return ProjectionRate.project(projections, new RebuiltBalances(), source, options, state, EVENTS);
    }

    private static long read(EventSource source, boolean folding) throws Exception {
        return Parallel.sum(
                Executors.newVirtualThreadPerTaskExecutor(),
                SEGMENTS,
                segment -> () -> read(source, new FeedRequest("reading", segment, SEGMENTS, 0), folding));
    }

    private static long read(EventSource source, FeedRequest request, boolean folding) throws InterruptedException {
        Folded folded = new Folded("nowhere");
        long count = 0;
        try (EventFeed feed = source.open(request)) {
            FeedBatch batch;
            do {
                batch = feed.poll(BATCH, Duration.ofSeconds(1));
                Map<String, Folded.Change> changes = new HashMap<>();
                for (FeedItem item : batch.items()) {
                    if (folding && item instanceof FeedItem.Event event) {
                        changes.compute(
                                event.envelope().aggregateId(),
                                (account, before) -> folded.fold(before, event.envelope()));
                    }
                    count++;
                }
            } while (batch.position() < EVENTS);
        }
        return count;
    }
}

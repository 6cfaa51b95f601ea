package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Events in PostgreSQL, projections in PostgreSQL, and two processes that run them: whatever happens on the way, the read model
 * has every event once and in order. Each row is a chain of the ids of its events, so that one that is missing, one too many
 * or two that changed places leave another row.
 */
@Timeout(300)
@Tag("proof")
final class ProjectionEndToEndIT {
    private static final int SEGMENTS = 4;
    private static final int AGGREGATES = 40;
    private static final int VERSIONS = 30;
    private static final int KILLS = 6;
    private static final int LOOKS = 600;
    private static final String SICK = "aggregate7";
    private static final long SICK_VERSION = 5;

    private final TestProjections test = new TestProjections();
    private final HikariDataSource other = test.database().open();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore batches = new Semaphore(0);
    private volatile boolean healed;

    @BeforeEach
    void createReadModel() {
        test.execute("CREATE TABLE public.chains (key text PRIMARY KEY, events bigint NOT NULL, chain text NOT NULL)");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        other.close();
        test.close();
    }

    /** Fails at one event until the test fixes it. */
    private final class Chains implements Projection<Connection> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws SQLException {
            if (event.aggregateId().equals(SICK) && event.eventVersion() == SICK_VERSION && !healed) {
                refuse(transaction);
            }
            link(transaction, event.aggregateId(), event.eventId());
        }
    }

    private static void refuse(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute("INSERT INTO public.chains VALUES ('secret', 1, NULL)");
        }
    }

    private static void link(Connection transaction, String key, String eventId) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement("""
                INSERT INTO public.chains AS c VALUES (?, 1, md5(?))
                ON CONFLICT (key) DO UPDATE SET events = c.events + 1, chain = md5(c.chain || ?)""")) {
            statement.setString(1, key);
            statement.setString(2, eventId);
            statement.setString(3, eventId);
            statement.executeUpdate();
        }
    }

    @Test
    void connections_that_are_killed_a_zombie_and_a_sick_aggregate_leave_the_same_read_model() throws Exception {
        Fence.Segment zombie = zombie();
        test.database().passTime(LEASE.plusSeconds(1));
        try (JdbcEventStore events = JdbcEventStore.create(test.dataSource());
                JdbcEventStore otherEvents = JdbcEventStore.create(other);
                JdbcProjectionStore otherStore = JdbcProjectionStore.create(other);
                ProjectionManager<Connection> one = manager(test.store, events);
                ProjectionManager<Connection> two = manager(otherStore, otherEvents)) {
            List<Future<?>> running = List.of(threads.submit(one::run), threads.submit(two::run));
            List<Future<?>> appending =
                    List.of(threads.submit(() -> append(events, 0)), threads.submit(() -> append(otherEvents, 1)));
            awaitRow(
                    "SELECT true FROM spream.projection_segments WHERE segment = %d AND epoch > %d"
                            .formatted(zombie.segment(), zombie.epoch()),
                    "t");
            for (int kill = 0; kill < KILLS; kill++) {
                awaitBatch();
                killAllSessions();
                assertThat(applyAsZombie(zombie)).as("a zombie's batch").isFalse();
            }
            for (Future<?> appended : appending) {
                appended.get(120, SECONDS);
            }
            awaitEvents(AGGREGATES * VERSIONS - (VERSIONS - (int) SICK_VERSION + 1));
            assertThat(parked()).singleElement().satisfies(parked -> {
                assertThat(parked.key()).isEqualTo(SICK);
                assertThat(parked.firstVersion()).isEqualTo(SICK_VERSION);
                assertThat(parked.error())
                        .contains("SQLSTATE 23502, table public.chains, column chain")
                        .doesNotContain("secret");
            });
            healed = true;
            assertThat(test.operations.retry(NAME, Optional.of(SICK), ACT)).isEqualTo(1);
            awaitEvents(AGGREGATES * VERSIONS);
            assertThat(one.shutdown(Duration.ofSeconds(60))).isTrue();
            assertThat(two.shutdown(Duration.ofSeconds(60))).isTrue();
            for (Future<?> run : running) {
                run.get(60, SECONDS);
            }
            assertThat(parked()).isEmpty();
        }
        assertThat(test.rows("SELECT key, events, chain FROM public.chains ORDER BY key COLLATE \"C\""))
                .isEqualTo(expected());
        assertThat(test.rows("SELECT DISTINCT last_version, parked FROM spream.projection_keys"))
                .containsExactly(VERSIONS + ",f");
        assertThat(test.rows("SELECT FROM spream.projection_owners")).isEmpty();
    }

    /** A former owner of a segment that does not know that its lease has ended. */
    private Fence.Segment zombie() {
        ProjectionOwner owner = ProjectionOwner.of("zombie");
        test.store.register(NAME, SEGMENTS);
        SegmentLease lease =
                test.store.holdSegments(NAME, owner, Set.of(), LEASE).held().getFirst();
        return new Fence.Segment(NAME, owner, lease.segment(), lease.epoch());
    }

    private boolean applyAsZombie(Fence.Segment fence) throws Exception {
        while (true) {
            try {
                return test.store.apply(fence, Set.of("aggregate1"), (connection, states) -> {
                    link(connection, "aggregate1", "a zombie's");
                    return TestProjections.NOTHING;
                });
            } catch (StorageException e) {
                assertThat(e.retryable()).as(e.getMessage()).isTrue();
            }
        }
    }

    private ProjectionManager<Connection> manager(JdbcProjectionStore store, EventStore events) {
        ProjectionOptions options = ProjectionOptions.DEFAULTS
                .withSegments(SEGMENTS)
                .withBatch(50)
                .withLease(Duration.ofSeconds(2))
                .withRetries(10, Duration.ofMillis(10), Duration.ofMillis(100));
        return ProjectionManager.builder(store)
                .options(options)
                .listener(new ProjectionListener() {
                    @Override
                    public void batchApplied(
                            String projection, int applied, int duplicates, int parked, Duration took) {
                        batches.release();
                    }
                })
                .add(new Chains(), events.source())
                .build();
    }

    /** Appends the events of every other aggregate, a few at a time, until they are there. */
    private Void append(EventStore events, int comparison) {
        for (long version = 0; version < VERSIONS; version += 3) {
            for (int number = comparison; number < AGGREGATES; number += 2) {
                appendUntilDone(events, "aggregate" + number, version, 3);
            }
        }
        return null;
    }

    private static void appendUntilDone(EventStore events, String aggregate, long after, int count) {
        List<NewEvent> some = new ArrayList<>();
        for (long version = after + 1; version <= after + count; version++) {
            some.add(new NewEvent(id(aggregate, version), "Happened", "{}", Instant.now(), EventMetadata.NONE));
        }
        while (true) {
            try {
                events.append(aggregate, ExpectedVersion.exactly(after), some);
                return;
            } catch (StorageException e) {
                assertThat(e.retryable()).as(e.getMessage()).isTrue();
            }
        }
    }

    private static String id(String aggregate, long version) {
        return aggregate + "/" + version;
    }

    private void killAllSessions() {
        test.execute("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()""");
    }

    private void awaitBatch() throws InterruptedException {
        batches.drainPermits();
        assertThat(batches.tryAcquire(60, SECONDS)).as("a batch in time").isTrue();
    }

    private void awaitEvents(int count) throws SQLException, InterruptedException {
        awaitRow("SELECT coalesce(sum(events), 0) FROM public.chains", Integer.toString(count));
    }

    private void awaitRow(String query, String expected) throws SQLException, InterruptedException {
        List<String> now = List.of();
        for (int look = 0; look < LOOKS; look++) {
            now = test.rows(query);
            if (now.contains(expected)) {
                return;
            }
            batches.tryAcquire(200, MILLISECONDS);
        }
        throw new AssertionError("%s gives %s and not %s; parked are %s, segments %s"
                .formatted(query, now, expected, parked(), test.rows("SELECT * FROM spream.projection_segments")));
    }

    private List<ParkedAggregate> parked() {
        return test.operations.parked(NAME, 100);
    }

    /** Returns the rows that the events of each aggregate fold to, by a model that is independent of projections. */
    private List<String> expected() throws SQLException {
        return test.rows("""
                WITH RECURSIVE chain AS (
                    SELECT 'aggregate' || n AS key, 1 AS version, md5('aggregate' || n || '/1') AS chain
                    FROM generate_series(0, %d) AS n
                    UNION ALL
                    SELECT key, version + 1, md5(chain || key || '/' || version + 1) FROM chain WHERE version < %d
                )
                SELECT key, version, chain FROM chain WHERE version = %d ORDER BY key COLLATE "C\"""".formatted(AGGREGATES - 1, VERSIONS, VERSIONS));
    }
}

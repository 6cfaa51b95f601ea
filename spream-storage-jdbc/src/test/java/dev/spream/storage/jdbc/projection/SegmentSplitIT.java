package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A projection that is split into other segments while two managers run it and events are appended. */
@Timeout(180)
final class SegmentSplitIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int AGGREGATES = 60;
    private static final String BAD = "k7";

    private final TestProjections test = new TestProjections();
    private final JdbcEventStore events = JdbcEventStore.create(test.dataSource());
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean appending = true;
    private volatile boolean refusing = true;

    @AfterEach
    void close() {
        events.close();
        test.close();
    }

    /** Counts the events of each aggregate; one of them fails in between. */
    private final class Counting implements Projection<Connection> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws SQLException {
            if (refusing && event.aggregateId().equals(BAD) && event.eventVersion() == 3) {
                throw new IllegalArgumentException("no such item");
            }
            TestProjections.add(transaction, event.aggregateId());
        }
    }

    private final class Watch implements ProjectionListener {
        @Override
        public void failed(String projection, FailureKind kind, Exception failure) {
            failures.add(kind + ": " + failure);
        }

        @Override
        public void segmentLost(String projection, int segment) {
            failures.add("lost " + segment);
        }
    }

    private ProjectionManager<Connection> manager(HikariDataSource pool, EventSource source) {
        return ProjectionManager.builder(JdbcProjectionStore.create(pool))
                .add(
                        new Counting(),
                        source,
                        ProjectionOptions.DEFAULTS.withSegments(4).withBatch(20))
                .listener(new Watch())
                .build();
    }

    @Test
    void every_event_counts_once_while_segments_become_more_and_fewer() throws Exception {
        try (HikariDataSource pool = test.database().open();
                EventSource source = events.source();
                EventSource others = events.source();
                ProjectionManager<Connection> one = manager(test.dataSource(), source);
                ProjectionManager<Connection> other = manager(pool, others)) {
            Thread first = Thread.ofVirtual().start(one::run);
            Thread second = Thread.ofVirtual().start(other::run);
            Thread writer = Thread.ofVirtual().start(this::append);
            await("both at work", () -> held(one) == 2 && held(other) == 2);
            await("one parked", () -> test.operations.parked(NAME, 10).size() == 1);
            for (int segments : new int[] {8, 2}) {
                assertThat(test.operations.split(NAME, segments, ACT)).isTrue();
                await(
                        "%d segments shared".formatted(segments),
                        () -> held(one) == segments / 2 && held(other) == segments / 2);
                long from = position();
                await("all of them further", () -> position() > from);
            }
            appending = false;
            writer.join();
            refusing = false;
            assertThat(test.operations.retry(NAME, Optional.of(BAD), ACT)).isEqualTo(1);
            await("every event once", () -> test.balances().equals(appended()));
            one.shutdown(TIMEOUT);
            other.shutdown(TIMEOUT);
            first.join();
            second.join();
        }
        assertThat(test.balances()).isEqualTo(appended());
        assertThat(failures).singleElement().asString().startsWith(FailureKind.POISON + ": ");
        assertThat(test.rows("SELECT segment FROM spream.projection_segments ORDER BY segment"))
                .containsExactly("0", "1");
        assertThat(test.rows("SELECT outcome FROM spream.projection_audit WHERE action = 'segments' ORDER BY id"))
                .containsExactly("4 -> 8", "8 -> 2");
    }

    private void append() {
        for (int i = 0; appending; i++) {
            List<NewEvent> some = IntStream.range(0, 5)
                    .mapToObj(each -> new NewEvent(
                            UUID.randomUUID().toString(), "Happened", "{}", Instant.now(), EventMetadata.NONE))
                    .toList();
            events.append("k" + i % AGGREGATES, ExpectedVersion.any(), some);
            LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
        }
    }

    private List<String> appended() throws SQLException {
        return test.rows("SELECT aggregate_id, count(*) FROM spream.events GROUP BY 1 ORDER BY 1");
    }

    /** Returns the position of the segment that is furthest behind. */
    private long position() throws SQLException {
        return Long.parseLong(test.rows("SELECT min(position) FROM spream.projection_segments")
                .getFirst());
    }

    private static int held(ProjectionManager<Connection> manager) {
        return manager.views().stream().mapToInt(ProjectionView::segmentsHeld).sum();
    }

    private void await(String what, Callable<Boolean> condition) throws Exception {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime())
                    .as("%s in time; failures %s", what, failures)
                    .isLessThan(until);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}

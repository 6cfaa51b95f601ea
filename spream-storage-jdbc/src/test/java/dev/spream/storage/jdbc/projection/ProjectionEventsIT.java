package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A running projection of the event store, and what is amiss there. */
@Timeout(120)
final class ProjectionEventsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final TestProjections test = new TestProjections();
    private final JdbcEventStore events = JdbcEventStore.create(test.dataSource());

    @AfterEach
    void close() {
        events.close();
        test.close();
    }

    private record Counting() implements Projection<Connection> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws SQLException {
            TestProjections.add(transaction, event.aggregateId());
        }
    }

    private ProjectionManager<Connection> manager(EventSource source, int segments) {
        return ProjectionManager.builder(test.store)
                .options(ProjectionOptions.DEFAULTS.withSegments(segments))
                .add(new Counting(), source)
                .build();
    }

    private void append(String aggregate, long version) {
        events.append(
                aggregate,
                ExpectedVersion.exactly(version - 1),
                List.of(new NewEvent(aggregate + "/" + version, "Happened", "{}", Instant.now(), EventMetadata.NONE)));
    }

    private void insertGarbage(String id) {
        test.execute("""
                INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
                VALUES ('%1$s', '%1$s', 1, '', '{"amount": 1.50}', '2026-01-01Z')""".formatted(id));
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - until).as(what).isNegative();
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    @Test
    void undecodable_rows_are_stored_and_their_segment_continues() throws Exception {
        test.execute("ALTER TABLE spream.events DROP CONSTRAINT events_known_type");
        append("a", 1);
        insertGarbage("before");
        append("a", 2);
        try (EventSource source = events.source();
                ProjectionManager<Connection> manager = manager(source, 1)) {
            Thread running = Thread.ofVirtual().start(manager::run);
            await("what was there", () -> test.balances().equals(List.of("a,2")));
            insertGarbage("after");
            append("a", 3);
            await("what came later", () -> test.balances().equals(List.of("a,3")));
            await("no lag", () -> view(manager).lagEvents().equals(OptionalLong.of(0)));
            assertThat(manager.shutdown(TIMEOUT)).isTrue();
            running.join();
        }
        List<FeedItem.Undecodable> kept = test.operations.deadLetters(NAME, 10).stream()
                .map(letter -> ((ProjectionDeadLetter.Undecodable) letter).item())
                .toList();
        assertThat(kept)
                .extracting(FeedItem.Undecodable::origin)
                .containsExactly("position 4 of spream.events", "position 2 of spream.events");
        assertThat(UTF_8.decode(kept.getLast().bytes()).toString())
                .contains("\"event_id\":\"before\"", "{\"amount\": 1.50}");
        assertThat(test.rows("SELECT position FROM spream.projection_segments")).containsExactly("5");
        assertThat(test.operations.parked(NAME, 10)).isEmpty();
    }

    private static ProjectionView view(ProjectionManager<Connection> manager) {
        return manager.views().getFirst();
    }

    @Test
    void a_single_connection_to_the_events_is_an_outage_and_no_segment_is_caught_up() throws Exception {
        append("a", 1);
        try (HikariDataSource single = JdbcPool.open(test.database().url(), Optional.empty(), Optional.empty(), 1);
                JdbcEventStore starved =
                        JdbcEventStore.builder(single).migrate(false).build();
                EventSource source = starved.source();
                ProjectionManager<Connection> manager = manager(source, 2)) {
            Thread running = Thread.ofVirtual().start(manager::run);
            await("an outage", () -> view(manager).outage().isPresent());
            assertThat(view(manager).lagEvents().orElse(1)).isPositive();
            assertThat(view(manager).outage().orElseThrow()).contains("onnection is not available");
            single.setMaximumPoolSize(3);
            await("its events", () -> test.balances().equals(List.of("a,1")));
            await("no lag", () -> view(manager).lagEvents().equals(OptionalLong.of(0)));
            assertThat(manager.shutdown(TIMEOUT)).isTrue();
            running.join();
        }
    }
}

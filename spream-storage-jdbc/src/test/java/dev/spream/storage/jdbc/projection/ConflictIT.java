package dev.spream.storage.jdbc.projection;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.testkit.memory.InMemoryEventStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Segments whose transactions deadlock with each other in PostgreSQL. */
@Timeout(120)
final class ConflictIT {
    private static final int EVENTS = 20;

    private final TestProjections test = new TestProjections();
    private final InMemoryEventStore events = new InMemoryEventStore();

    @AfterEach
    void close() {
        events.close();
        test.close();
    }

    /** Adds to two rows for each event; two aggregates do so in opposite orders, and meet between the two rows of one event. */
    private static final class Crossing implements Projection<Connection> {
        private final Map<String, Boolean> met = new ConcurrentHashMap<>();
        private final CyclicBarrier meeting = new CyclicBarrier(2);

        @Override
        public String name() {
            return "crossing";
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws Exception {
            List<String> rows = event.aggregateId().equals("a") ? List.of("x", "y") : List.of("y", "x");
            if (event.eventVersion() < EVENTS / 2) {
                return;
            }
            TestProjections.add(transaction, rows.getFirst());
            if (met.put(event.aggregateId(), true) == null) {
                meeting.await(60, SECONDS);
            }
            TestProjections.add(transaction, rows.getLast());
        }
    }

    @Test
    void a_deadlock_of_two_segments_repeats_one_batch_as_it_was_and_parks_nothing() throws Exception {
        Queue<FailureKind> failures = new ConcurrentLinkedQueue<>();
        Queue<Integer> batches = new ConcurrentLinkedQueue<>();
        Queue<String> parked = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(2 * EVENTS);
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void batchApplied(String projection, int applied, int duplicates, int aside, Duration took) {
                batches.add(applied);
                for (int i = 0; i < applied; i++) {
                    done.countDown();
                }
            }

            @Override
            public void failed(String projection, FailureKind kind, Exception failure) {
                failures.add(kind);
            }

            @Override
            public void keyParked(String projection, String key, ParkDecision parking) {
                parked.add(key);
            }
        };
        append("a");
        append("b");
        try (var source = events.source();
                ProjectionManager<Connection> manager = ProjectionManager.builder(test.store)
                        .add(new Crossing(), source, ProjectionOptions.DEFAULTS.withSegments(2))
                        .listener(listener)
                        .build()) {
            Thread running = Thread.ofVirtual().start(manager::run);
            assertThat(done.await(60, SECONDS)).as("all events").isTrue();
            manager.shutdown(Duration.ofSeconds(30));
            running.join();
        }
        assertThat(batches).as("the events of each transaction").containsExactly(EVENTS, EVENTS);
        assertThat(parked).isEmpty();
        assertThat(failures).isNotEmpty().containsOnly(FailureKind.CONFLICT);
        assertThat(test.balances()).containsExactly("x,22", "y,22");
        assertThat(test.rows("SELECT error_count > 0, last_error LIKE '%40P01%' FROM spream.projection_states"))
                .containsExactly("t,t");
    }

    private void append(String aggregate) {
        events.append(
                aggregate,
                ExpectedVersion.none(),
                IntStream.rangeClosed(1, EVENTS)
                        .mapToObj(i -> new NewEvent(aggregate + i, "Happened", "{}", Instant.EPOCH, EventMetadata.NONE))
                        .toList());
    }
}

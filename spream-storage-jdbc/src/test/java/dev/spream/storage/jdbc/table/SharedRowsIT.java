package dev.spream.storage.jdbc.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.waiting.ProjectionWaiter;
import dev.spream.projection.waiting.WaitOutcome;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import dev.spream.testkit.memory.InMemoryEventStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that aggregates of all segments share, of transfers between customers: two entries an event. */
@Timeout(120)
final class SharedRowsIT {
    private static final int TRANSFERS = 2_000;
    private static final int WRITERS = 100;
    private static final int CUSTOMERS = 20;
    private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final TestDatabase database = new TestDatabase();
    private final InMemoryEventStore events = new InMemoryEventStore();

    @AfterEach
    void close() {
        events.close();
        database.close();
    }

    /** One side of a transfer. */
    private record Entry(String customer, LocalDate day, long amount) {
        private static List<Entry> of(EventEnvelope event) {
            String[] parts = event.eventData().replace("\"", "").split(" ", -1);
            LocalDate day = LocalDate.ofInstant(event.occurredAt(), ZoneOffset.UTC);
            long amount = Long.parseLong(parts[2]);
            return amount == 0
                    ? List.of()
                    : List.of(new Entry(parts[0], day, -amount), new Entry(parts[1], day, amount));
        }
    }

    private record Totals(long amount, long transfers, long lowest, long highest) {
        static final BinaryOperator<Totals> ADD = (one, other) -> new Totals(
                one.amount + other.amount,
                one.transfers + other.transfers,
                Math.min(one.lowest, other.lowest),
                Math.max(one.highest, other.highest));
    }

    private static TableProjection<Entry> projection() {
        return TableProjection.table("customer_days", Set.of(), Entry::of)
                .name("customer-days")
                .key("customer", Entry::customer)
                .key("day", SqlType.DATE, Entry::day)
                .sum("amount", Entry::amount)
                .count("transfers")
                .min("lowest", SqlType.BIGINT, Entry::amount)
                .max("highest", SqlType.BIGINT, Entry::amount)
                .build();
    }

    @Test
    void segments_add_to_rows_that_they_share_once_and_without_a_deadlock() throws Exception {
        Map<String, Totals> expected = append();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void failed(String projection, FailureKind kind, Exception failure) {
                failures.add(kind + ": " + failure);
            }
        };
        projection().createTable(database.dataSource());
        try (JdbcProjectionStore store = JdbcProjectionStore.create(database.dataSource());
                EventSource source = events.source();
                ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                        .add(
                                projection(),
                                source,
                                ProjectionOptions.DEFAULTS.withSegments(4).withBatch(20))
                        .listener(listener)
                        .build()) {
            store.register("customer-days", 4);
            Thread running = Thread.ofVirtual().start(manager::run);
            ProjectionWaiter waiter = ProjectionWaiter.of(store, "customer-days");
            assertThat(waiter.awaitPosition(TRANSFERS, LIMIT)).isEqualTo(new WaitOutcome.Reached());
            manager.shutdown(LIMIT);
            running.join();
        }
        assertThat(failures).isEmpty();
        assertThat(rows()).isEqualTo(expected);
    }

    private Map<String, Totals> append() {
        Random random = new Random(1);
        Map<String, Totals> expected = new TreeMap<>();
        List<RecordedEvent> appended = new ArrayList<>();
        for (int i = 0; i < TRANSFERS; i++) {
            String data = "\"c%d c%d %d\"".formatted(random.nextInt(CUSTOMERS), random.nextInt(CUSTOMERS), i % 7);
            Instant at = START.plus(Duration.ofMinutes(i));
            appended.addAll(events.append(
                    "writer-" + i % WRITERS,
                    ExpectedVersion.any(),
                    List.of(new NewEvent("e" + i, "Transferred", data, at, EventMetadata.NONE))));
        }
        for (RecordedEvent recorded : appended) {
            for (Entry entry : Entry.of(recorded.event())) {
                expected.merge(
                        entry.customer() + " " + entry.day(),
                        new Totals(entry.amount(), 1, entry.amount(), entry.amount()),
                        Totals.ADD);
            }
        }
        return expected;
    }

    private Map<String, Totals> rows() throws Exception {
        Map<String, Totals> rows = new TreeMap<>();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("TABLE customer_days")) {
            while (row.next()) {
                rows.put(
                        row.getString("customer") + " " + row.getObject("day", LocalDate.class),
                        new Totals(
                                row.getLong("amount"),
                                row.getLong("transfers"),
                                row.getLong("lowest"),
                                row.getLong("highest")));
            }
        }
        return rows;
    }
}

package dev.spream.storage.jdbc.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.TypedEvents;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of declared tables of typed events in the event store: rebuilt, and inline. */
@Timeout(120)
final class TypedTableIT {
    private static final Act ACT = new Act("ann@example", "another column");
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type("Paid", Paid.class, data -> data.putIfAbsent("cents", 1))
            .type("Renamed", Renamed.class)
            .build();
    private static final TypedEvents<Paid> PAID = TypedEvents.of(Paid.class, TYPES);
    private static final TypedEvents<Renamed> RENAMED = TypedEvents.of(Renamed.class, TYPES);

    private static final String FIRST_TOTALS =
            "SELECT string_agg(format('%s %s', customer, cents), ', ' ORDER BY customer) FROM totals";
    private static final String TOTALS =
            "SELECT string_agg(format('%s %s %s', customer, cents, payments), ', ' ORDER BY customer) FROM totals";

    private final TestDatabase database = new TestDatabase();
    private final TableProjection<Paid> first = totals().build();
    private final TableProjection<Paid> second =
            totals().count("payments").revision(2).build();

    private record Paid(String customer, long cents) {}

    private record Renamed(String name) {}

    @AfterEach
    void close() {
        database.close();
    }

    private static TableDeclaration<Paid> totals() {
        return TableProjection.table("totals", PAID)
                .key("customer", Paid::customer)
                .sum("cents", Paid::cents);
    }

    private static void append(EventStore events) {
        events.append("order-1", ExpectedVersion.none(), PAID.newEvents(new Paid("ann", 5), new Paid("bob", 7)));
        events.append("order-2", ExpectedVersion.none(), RENAMED.newEvents(new Renamed("of another class")));
        events.append("order-2", ExpectedVersion.any(), PAID.newEvents(new Paid("ann", 3)));
    }

    private String row(String query) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void a_program_with_another_column_starts_and_rebuilds_the_table() throws Exception {
        first.createTable(database.dataSource());
        second.createTable(database.dataSource());
        run(store -> store.register("totals", 4), () -> {
            try (JdbcProjectionOperations operations = JdbcProjectionOperations.create(database.dataSource())) {
                ProjectionRebuilds rebuilds = operations.rebuilds();
                int version = rebuilds.rebuild("totals", OptionalInt.of(2), 0, ACT);
                // a version is caught up with a live one that has read nothing yet
                await(() -> "ann 8, bob 7".equals(row(FIRST_TOTALS)));
                await(() -> rebuilds.progress("totals").stream()
                        .allMatch(progress -> progress.version().prepared() && progress.isCaughtUp()));
                return rebuilds.cutOver("totals", version, LIMIT, Set.of(), ACT);
            }
        });
        assertThat(row(TOTALS)).isEqualTo("ann 8 2, bob 7 1");
    }

    @Test
    void the_same_program_starts_on_a_new_database() throws Exception {
        second.createTable(database.dataSource());
        run(store -> {}, () -> await(() -> "ann 8 2, bob 7 1".equals(row(TOTALS))));
    }

    /** Runs a manager with both revisions over three events. */
    private void run(Consumer<JdbcProjectionStore> before, Callable<?> work) throws Exception {
        try (JdbcEventStore events = JdbcEventStore.create(database.dataSource());
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database.dataSource());
                ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                        .add(first, source)
                        .add(second, source)
                        .build()) {
            before.accept(store);
            append(events);
            Thread running = Thread.ofVirtual().start(manager::run);
            work.call();
            manager.shutdown(LIMIT);
            running.join();
        }
    }

    private static boolean await(Callable<Boolean> condition) throws Exception {
        while (!condition.call()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return true;
    }

    @Test
    void an_append_writes_the_table_of_its_class_of_events() throws Exception {
        first.createTable(database.dataSource());
        try (JdbcEventStore events =
                JdbcEventStore.builder(database.dataSource()).inline(first).build()) {
            append(events);
        }
        assertThat(row(FIRST_TOTALS)).isEqualTo("ann 8, bob 7");
    }

    @Test
    void an_inline_failure_names_type_class_and_member_of_an_event_that_cannot_be_read() {
        first.createTable(database.dataSource());
        NewEvent event = new NewEvent(
                "e1", "Paid@2", "{\"customer\": \"secret\", \"cents\": \"secret\"}", Instant.now(), EventMetadata.NONE);
        try (JdbcEventStore events =
                JdbcEventStore.builder(database.dataSource()).inline(first).build()) {
            assertThatThrownBy(() -> events.append("order-1", ExpectedVersion.none(), List.of(event)))
                    .isInstanceOf(ProjectionException.class)
                    .hasMessageContainingAll("'totals'", "'Paid@2'", Paid.class.getName(), ".cents")
                    .hasMessageNotContaining("secret");
        }
    }
}

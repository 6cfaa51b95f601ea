package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.TypedEvents;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.waiting.ProjectionWaiter;
import dev.spream.projection.waiting.WaitOutcome;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import dev.spream.storage.jdbc.table.TableProjection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The running total of each customer, over all accounts of the customer. */
public final class Totals {
    record MoneyMoved(String customer, long cents) {}

    static final TypedEvents<MoneyMoved> EVENTS = TypedEvents.of(
            MoneyMoved.class,
            TypeRegistry.builder(JacksonSerializer.create())
                    .type("MoneyMoved", MoneyMoved.class)
                    .build());

    static final TableProjection<MoneyMoved> TOTALS = TableProjection.table("customer_totals", EVENTS)
            .key("customer", MoneyMoved::customer)
            .sum("cents", MoneyMoved::cents)
            .build();

    private Totals() {}

    /** Takes the JDBC URL of a PostgreSQL database. */
    public static void main(String[] args) throws Exception {
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            run(database);
        }
    }

    static void run(DataSource database) throws SQLException, InterruptedException {
        TOTALS.createTable(database);
        try (JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                ProjectionManager<Connection> manager =
                        ProjectionManager.builder(store).add(TOTALS, source).build()) {
            List<RecordedEvent> moved = new ArrayList<>();
            moved.addAll(
                    events.append("account-1", ExpectedVersion.any(), EVENTS.newEvents(new MoneyMoved("ann", 100))));
            moved.addAll(
                    events.append("account-2", ExpectedVersion.any(), EVENTS.newEvents(new MoneyMoved("ann", -30))));
            store.register(TOTALS.name(), 4);
            Thread running = Thread.ofVirtual().start(manager::run);
            ProjectionWaiter waiter = ProjectionWaiter.of(store, TOTALS.name());
            for (RecordedEvent event : moved) {
                WaitOutcome outcome = waiter.await(event, Duration.ofSeconds(30));
                if (!outcome.isReached()) {
                    System.out.println(event.event() + " is not in the totals: " + outcome);
                }
            }
            print(database);
            manager.shutdown(Duration.ofSeconds(10));
            running.join();
        }
    }

    private static void print(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT customer, cents FROM customer_totals")) {
            while (row.next()) {
                System.out.println(row.getString("customer") + " has " + row.getLong("cents"));
            }
        }
    }
}

package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.TypedEvents;
import dev.spream.projection.runner.ProjectionManager;
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
            events.append("account-1", ExpectedVersion.any(), EVENTS.newEvents(new MoneyMoved("ann", 100)));
            events.append("account-2", ExpectedVersion.any(), EVENTS.newEvents(new MoneyMoved("ann", -30)));
            Thread running = Thread.ofVirtual().start(manager::run);
            while (manager.views().stream().anyMatch(view -> view.lagEvents().orElse(1) > 0)) {
                Thread.sleep(Duration.ofMillis(100));
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

package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** A minimal program with a projection: it appends an event, and counts the events of each account in a table. */
public final class ProjectionExample {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private ProjectionExample() {}

    /** Takes the JDBC URL of a PostgreSQL database. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        if (args.length != 1) {
            System.err.println("usage: ProjectionExample <JDBC URL>");
            System.exit(2);
        }
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            run(database);
        }
    }

    static void run(DataSource database) throws SQLException, InterruptedException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS movements (account text PRIMARY KEY, count bigint NOT NULL)");
        }
        try (JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                        .add(new Movements(), source)
                        .build()) {
            events.append("account-1", ExpectedVersion.any(), List.of(deposit()));
            Thread running = Thread.ofVirtual().start(manager::run);
            while (manager.views().stream().anyMatch(ProjectionExample::isBehind)) {
                Thread.sleep(Duration.ofMillis(100));
            }
            manager.shutdown(DRAIN);
            running.join();
        }
    }

    private static NewEvent deposit() {
        return new NewEvent(
                UUID.randomUUID().toString(), "MoneyDeposited", "{\"amount\": 100}", Instant.now(), EventMetadata.NONE);
    }

    private static boolean isBehind(ProjectionView view) {
        return view.lagEvents().orElse(1) > 0;
    }

    /** The projection of the example. */
    static final class Movements implements Projection<Connection> {
        @Override
        public String name() {
            return "movements";
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws SQLException {
            try (PreparedStatement count = transaction.prepareStatement("""
                    INSERT INTO movements AS counted VALUES (?, 1)
                    ON CONFLICT (account) DO UPDATE SET count = counted.count + 1""")) {
                count.setString(1, event.aggregateId());
                count.executeUpdate();
            }
        }
    }
}

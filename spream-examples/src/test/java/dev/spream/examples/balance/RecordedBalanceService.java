package dev.spream.examples.balance;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;

/** Runs {@link RecordedBalances}, in all of their versions, until it is stopped. */
final class RecordedBalanceService {
    private static final ProjectionOptions OPTIONS = ProjectionOptions.DEFAULTS.withLease(Duration.ofSeconds(2));

    /** One for each segment of two versions, two more for each of them, and one that follows the events. */
    private static final int CONNECTIONS = 2 * OPTIONS.segments() + 2 * 2 + 1;

    private RecordedBalanceService() {}

    /** The JDBC URL of a PostgreSQL database that has the tables. */
    public static void main(String[] args) {
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty(), CONNECTIONS);
                JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                        .add(new RecordedBalances(), source, OPTIONS)
                        .build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> manager.shutdown(Duration.ofSeconds(30))));
            System.out.println("projections are running");
            manager.run();
        }
    }
}

package dev.spream.examples.balance;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Keeps balances and statements up to date until it is stopped. Several instances over one database share the work, and
 * replace one that fails.
 */
public final class BalanceService {
    /** One for each of the four segments of two projections, two more for each of these, and one that follows the events. */
    static final int CONNECTIONS = 2 * 4 + 2 * 2 + 1;

    private BalanceService() {}

    /** Takes the JDBC URL of a PostgreSQL database, and optionally the lease of a segment in seconds. */
    public static void main(String[] args) throws SQLException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("usage: BalanceService <JDBC URL> [<seconds of a lease>]");
            System.exit(2);
        }
        ProjectionOptions options = args.length == 1
                ? ProjectionOptions.DEFAULTS
                : ProjectionOptions.DEFAULTS.withLease(Duration.ofSeconds(Long.parseLong(args[1])));
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty(), CONNECTIONS);
                JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database)) {
            createTables(database);
            run(store, source, options);
        }
    }

    /** Creates the tables. Safe for concurrent calls: a second call waits until the tables exist. */
    static void createTables(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('spream-examples balance tables', 0))");
            statement.execute(AccountBalances.TABLE);
            statement.execute(AccountStatements.TABLE);
            connection.commit();
        }
    }

    private static void run(ProjectionStore<Connection> store, EventSource source, ProjectionOptions options) {
        try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                .add(new AccountBalances(), source, options)
                .add(new AccountStatements(), source, options)
                .build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> manager.shutdown(Duration.ofSeconds(30))));
            System.out.println("projections are running");
            manager.run();
        }
    }
}

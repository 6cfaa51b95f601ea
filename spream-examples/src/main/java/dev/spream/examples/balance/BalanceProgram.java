package dev.spream.examples.balance;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Moves money into, out of and between many accounts, on a database of its own, while two read models follow. One event
 * cannot be applied, so that its account alone is parked in both, until the event is skipped.
 */
public final class BalanceProgram {
    private static final int ACCOUNTS = 200;
    private static final int EVENTS_OF_APPEND = 5;
    private static final String POISONED = "account-7";
    private static final Act ACT = new Act("example", "an amount is missing");

    private final HikariDataSource database;
    private final EventStore events;
    private final ProjectionOperations operations;

    private BalanceProgram(HikariDataSource database, EventStore events, ProjectionOperations operations) {
        this.database = database;
        this.events = events;
        this.operations = operations;
    }

    /** Takes the number of events to append (optional). */
    public static void main(String[] args) throws IOException, SQLException, InterruptedException {
        int movements = args.length == 0 ? 20_000 : Integer.parseInt(args[0]);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
                HikariDataSource database = JdbcPool.open(
                        "jdbc:postgresql://localhost:%d/postgres".formatted(postgres.getPort()),
                        Optional.of("postgres"),
                        Optional.empty(),
                        BalanceService.CONNECTIONS + 2); // for the writer and the observer
                JdbcEventStore events = JdbcEventStore.create(database);
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                ProjectionOperations operations = JdbcProjectionOperations.create(database);
                EventSource source = events.source()) {
            BalanceService.createTables(database);
            BalanceProgram program = new BalanceProgram(database, events, operations);
            try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                    .add(new AccountBalances(), source)
                    .add(new AccountStatements(), source)
                    .build()) {
                Thread running = Thread.ofVirtual().start(manager::run);
                program.show(manager, movements);
                manager.shutdown(Duration.ofSeconds(10));
                running.join();
            }
        }
    }

    private void show(ProjectionManager<Connection> manager, int movements) throws SQLException, InterruptedException {
        Thread writer = Thread.ofVirtual().start(() -> append(movements));
        while (writer.isAlive() || manager.views().stream().anyMatch(BalanceProgram::isBehind)) {
            Thread.sleep(Duration.ofSeconds(1));
            manager.views().forEach(BalanceProgram::print);
        }
        for (ProjectionView view : manager.views()) {
            skip(view.state().projection());
        }
        while (!isComplete()) {
            Thread.sleep(Duration.ofMillis(50));
        }
        System.out.println("both read models are what the events say, row by row");
    }

    private void append(int movements) {
        RandomGenerator random = RandomGenerator.getDefault();
        events.append(
                POISONED,
                ExpectedVersion.none(),
                List.of(new NewEvent(
                        UUID.randomUUID().toString(), "MoneyDeposited", "{}", Instant.now(), EventMetadata.NONE)));
        for (int i = 0; i < movements; i += EVENTS_OF_APPEND) {
            List<NewEvent> moved = random.longs(EVENTS_OF_APPEND, -500, 1_000)
                    .mapToObj(Movement::of)
                    .toList();
            events.append("account-" + random.nextInt(ACCOUNTS), ExpectedVersion.any(), moved);
        }
    }

    private static boolean isBehind(ProjectionView view) {
        return view.lagEvents().orElse(1) > 0;
    }

    private static void print(ProjectionView view) {
        System.out.printf(
                "%-20s %s at position %,d, %s behind%n",
                view.state().projection(),
                view.state().status(),
                view.state().position(),
                view.lagEvents().isPresent() ? "%,d".formatted(view.lagEvents().getAsLong()) : "?");
    }

    private void skip(String projection) {
        for (ParkedAggregate parked : operations.parked(projection, ACCOUNTS)) {
            System.out.printf(
                    "%-20s parked %s with %,d events: %s%n", projection, parked.key(), parked.events(), parked.error());
            operations.skip(projection, parked.key(), parked.firstVersion(), ACT);
        }
    }

    private boolean isComplete() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                SELECT count(*) FROM (
                  SELECT aggregate_id, count(event_data -> 'amount'), max(event_version) FROM spream.events GROUP BY 1
                  EXCEPT
                  SELECT account, movements, movements + (account = 'account-7')::int
                  FROM account_balances JOIN (
                    SELECT account, count(*) AS movements FROM account_statements GROUP BY 1) AS statements
                  USING (account, movements)) AS missing""")) {
            row.next();
            return row.getLong(1) == 0;
        }
    }
}

package dev.spream.examples.balance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that aggregates of all segments share. */
@Timeout(120)
final class CustomerTotalsIT {
    private static final int ACCOUNTS = 400;
    private static final int MOVEMENTS = 10;
    private static final int CUSTOMERS = 40;

    @Test
    void segments_write_rows_that_they_share_without_a_deadlock() throws Exception {
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        CountDownLatch left = new CountDownLatch(ACCOUNTS * MOVEMENTS);
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
                for (int i = 0; i < applied; i++) {
                    left.countDown();
                }
            }

            @Override
            public void failed(String projection, FailureKind kind, Exception failure) {
                failures.add(kind + ": " + failure);
            }
        };
        try (HikariDataSource database =
                        JdbcPool.open(PostgresDatabase.create().jdbcUrl(), Optional.empty(), Optional.empty(), 10);
                JdbcEventStore events = JdbcEventStore.create(database);
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                EventSource source = events.source();
                Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            CustomerTotals.projection().create(connection);
            Map<String, Long> expected = append(events);
            try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                    .add(
                            CustomerTotals.projection(),
                            source,
                            ProjectionOptions.DEFAULTS.withSegments(4).withBatch(50))
                    .listener(listener)
                    .build()) {
                Thread running = Thread.ofVirtual().start(manager::run);
                assertThat(left.await(60, TimeUnit.SECONDS))
                        .as("all events; failures: %s", failures)
                        .isTrue();
                manager.shutdown(Duration.ofSeconds(10));
                running.join();
            }
            assertThat(failures).isEmpty();
            assertThat(totals(statement)).isEqualTo(expected);
        }
    }

    /** In an order of customers that is another one in every account. */
    private static Map<String, Long> append(JdbcEventStore events) {
        Random random = new Random(1);
        Map<String, Long> expected = new TreeMap<>();
        List<Integer> customers = new ArrayList<>();
        for (int i = 0; i < CUSTOMERS; i++) {
            customers.add(i);
        }
        for (int account = 0; account < ACCOUNTS; account++) {
            Collections.shuffle(customers, random);
            List<NewEvent> movements = new ArrayList<>();
            for (int i = 0; i < MOVEMENTS; i++) {
                String customer = "customer-" + customers.get(i);
                long amount = random.nextLong(-500, 1_000);
                movements.add(Movement.of(customer, amount));
                expected.merge(customer, amount, Long::sum);
            }
            events.append("account-" + account, ExpectedVersion.none(), movements);
        }
        return expected;
    }

    private static Map<String, Long> totals(Statement statement) throws Exception {
        Map<String, Long> totals = new TreeMap<>();
        try (ResultSet rows = statement.executeQuery("TABLE customer_totals")) {
            while (rows.next()) {
                totals.put(rows.getString(1), rows.getLong(2));
            }
        }
        return totals;
    }
}

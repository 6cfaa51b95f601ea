package dev.spream.storage.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.testkit.subscription.ScriptedSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another session holds the row of one partition: the watermarks, ends and leases of the others do not wait for it. */
@Timeout(60)
final class LockedRowIT {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final TestDatabase database = new TestDatabase();
    private final HikariDataSource pool = database.open();
    private final JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders");

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    @Test
    void the_other_partitions_of_a_run_move_and_end_and_keep_their_leases() throws Exception {
        ScriptedSource source = new ScriptedSource()
                .roots("a", "b", "held")
                .change("a", 1, "A")
                .change("b", 1, "B")
                .change("held", 1, "H");
        Map<String, CountDownLatch> may =
                Map.of("a", new CountDownLatch(1), "b", new CountDownLatch(1), "held", new CountDownLatch(1));
        CountDownLatch started = new CountDownLatch(3);
        Consumer consumer = (change, delivery) -> {
            started.countDown();
            requireNonNull(may.get(delivery.partition().value())).await();
        };
        Subscriber subscriber = Subscriber.builder(source, storage)
                .options(SubscriberOptions.builder()
                        .startAt(ScriptedSource.START)
                        .endAt(ScriptedSource.at(9))
                        .leaseTime(LEASE)
                        .watermarkInterval(Duration.ofMillis(50))
                        .partitionDiscoveryInterval(Duration.ofMillis(100))
                        .build())
                .build();
        CompletableFuture<CompletionReason> run = CompletableFuture.supplyAsync(() -> run(subscriber, consumer));
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();

        try (Connection session = lock("a")) {
            requireNonNull(may.get("a")).countDown();
            await(this::isEndWaiting);
            requireNonNull(may.get("b")).countDown();
            await(() -> stored("b").isFinished());
            await(this::isEndWaiting); // still
            Instant until = stored("held").leaseUntil().orElseThrow();
            await(() -> stored("held").leaseUntil().orElseThrow().isAfter(until));
            assertThat(stored("held").epoch()).isEqualTo(1);
            assertThat(stored("a").isFinished()).isFalse();
            session.rollback();
        }
        requireNonNull(may.get("held")).countDown();

        assertThat(run.get(30, TimeUnit.SECONDS)).isEqualTo(CompletionReason.COMPLETED);
    }

    private static CompletionReason run(Subscriber subscriber, Consumer consumer) {
        return subscriber.run(consumer);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Returns whether a statement that finishes a partition waits for a row on the server. */
    private boolean isEndWaiting() {
        try (Connection connection = pool.getConnection();
                ResultSet found = connection
                        .createStatement()
                        .executeQuery(
                                "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ends_at%'")) {
            return found.next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private PartitionMetadata stored(String token) {
        return storage.lineage().partition(new PartitionToken(token)).orElseThrow();
    }

    /** A session that holds the partition's row until it is rolled back. */
    private Connection lock(String token) throws SQLException {
        Connection session = pool.getConnection();
        session.setAutoCommit(false);
        try (PreparedStatement statement =
                session.prepareStatement("SELECT FROM spream.partitions WHERE token = ? FOR UPDATE")) {
            statement.setString(1, token);
            statement.execute();
        }
        return session;
    }
}

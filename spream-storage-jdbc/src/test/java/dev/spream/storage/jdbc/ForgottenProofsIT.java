package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.SubscriptionRecord;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of how proofs are forgotten in one statement: beside a correction, and many of them. */
@Timeout(60)
final class ForgottenProofsIT {
    private static final Instant LATER = Instant.parse("9000-01-01T00:00:00Z");
    private static final int PROOFS = 10_001;

    private final TestDatabase database = new TestDatabase();
    private final HikariDataSource pool = database.open();
    private final JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders");

    @BeforeEach
    void fill() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders",
                Instant.EPOCH,
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        database.execute("""
                INSERT INTO spream.partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, epoch,
                    created_at, finished_at, end_kind, end_timestamp, end_children, removed_at)
                SELECT 'orders', %s, 'p' || n, '{}', n, n + 1, 'FINISHED', 1,
                    now(), now() + n * interval '1 second', 'CHILD_PARTITIONS', n + 1, ARRAY['p' || (n + 1)], now()
                FROM generate_series(1, %d) AS n""".formatted(PartitionRow.hashOf("'p' || n"), PROOFS), """
                UPDATE spream.partitions SET watermark = %d WHERE token = 'Parent0'""".formatted(PROOFS + 2));
    }

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    @Test
    void a_call_forgets_ten_thousand_proofs_the_oldest_first() {
        assertThat(storage.forgetProofs(LATER)).isEqualTo(10_000);
        assertThat(storage.proofs()).singleElement().satisfies(last -> {
            assertThat(last.startTimestamp()).isEqualTo(Instant.ofEpochSecond(PROOFS));
            assertThat(forgotten())
                    .contains(new ForgottenProofs(last.startTimestamp().plusNanos(1), 2)); // it and Parent0
        });
        assertThat(storage.forgetProofs(LATER)).isEqualTo(1);
        assertThat(storage.forgetProofs(LATER)).isZero();
        assertThat(forgotten())
                .contains(new ForgottenProofs(Instant.ofEpochSecond(PROOFS + 1).plusNanos(1), 1));
    }

    @Test
    void a_correction_that_removes_all_meanwhile_keeps_its_record_without_a_time() throws Exception {
        try (Connection correction = pool.getConnection();
                Statement statement = correction.createStatement()) {
            correction.setAutoCommit(false);
            statement.execute("UPDATE spream.subscriptions SET forgotten_before = NULL, kept_partitions = 0");
            CompletableFuture<Integer> forgetting = CompletableFuture.supplyAsync(() -> storage.forgetProofs(LATER));
            awaitLock();
            statement.execute("DELETE FROM spream.partitions WHERE removed_at IS NOT NULL");
            correction.commit();

            assertThat(forgetting.get(30, TimeUnit.SECONDS)).isZero();
        }
        assertThat(forgotten()).isEmpty();
    }

    private Optional<ForgottenProofs> forgotten() {
        return storage.subscription().orElseThrow().forgotten();
    }

    private void awaitLock() throws SQLException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            while (true) {
                try (ResultSet waiting = statement.executeQuery(
                        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%AS version, forgotten_before%'")) {
                    if (waiting.next()) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
        }
    }
}

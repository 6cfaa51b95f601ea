package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of statistics of an outbox with too many settled entries to count. */
final class OperationsStatsIT {
    private final TestOutbox test = new TestOutbox();
    private final OperationsStats stats = new OperationsStats(
            new PostgresOutboxDatabase(test.dataSource(), OutboxTables.defaults(), Duration.ofSeconds(5)));

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void a_sample_is_exact_up_to_its_bound_and_an_estimate_beyond() {
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, status, next_run_at,
                    lease_until, ordering_key, segment, outcome_unknown)
                SELECT 'k' || i, '{}', 'd', (ARRAY['pending', 'sending', 'failed', 'succeeded', 'aborted'])[1 + i % 5],
                    CASE WHEN i % 20 = 2 THEN 'infinity' ELSE now() - i * interval '1 second' END,
                    now() + (i % 3 - 1) * interval '1 hour',
                    CASE WHEN i % 7 = 0 THEN 'c' || i % 11 END, CASE WHEN i % 7 = 0 THEN i % 11 END, i % 40 = 2
                FROM generate_series(1, 5000) AS i""", "ANALYZE spream.outbox_orders");

        OutboxStats exact = stats.read();
        OutboxStats sampled = stats.sample(10_000);
        OutboxStats bounded = stats.sample(100);

        assertThat(sampled).usingRecursiveComparison().ignoringFields("at").isEqualTo(exact);
        assertThat(exact.parked()).isEqualTo(250);
        assertThat(bounded.parked()).isEqualTo(100);
        assertThat(bounded.due()).isBetween(100L, exact.due());
        assertThat(bounded.oldestDue()).isEqualTo(exact.oldestDue());
        assertThat(bounded.entries().values())
                .allSatisfy(count -> assertThat(count).isCloseTo(1_000L, within(100L)));
        assertThat(exact.estimated()).isEmpty();
        assertThat(exact.atLeast()).isEmpty();
        assertThat(bounded.estimated()).containsExactlyInAnyOrder(OutboxStatus.values());
        assertThat(bounded.atLeast()).containsExactlyInAnyOrder(OutboxStats.Figure.values());
        assertThat(stats.sample(300).atLeast())
                .containsExactlyInAnyOrder(
                        OutboxStats.Figure.DUE, OutboxStats.Figure.LAG, OutboxStats.Figure.LEASES_EXPIRED);
    }

    /** The longest due entry is that of the last key, behind settled entries of the same key. */
    @Test
    void a_sample_knows_the_lag_of_more_ordering_keys_than_its_bound() {
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, status, next_run_at,
                    ordering_key, segment)
                SELECT 'k' || i, '{}', 'd', CASE WHEN i <= 3 THEN 'succeeded' ELSE 'pending' END,
                    now() - (5000 - i) * interval '1 second',
                    CASE WHEN i <= 4 THEN 'z' ELSE 'c' || i % 3000 END, CASE WHEN i <= 4 THEN 255 ELSE i % 3000 % 256 END
                FROM generate_series(1, 5000) AS i""", "ANALYZE spream.outbox_orders");
        OutboxStats exact = stats.read();
        for (int bound : new int[] {100, 4_000}) {
            OutboxStats sampled = stats.sample(bound);
            assertThat(sampled.oldestDue()).isEqualTo(exact.oldestDue());
            assertThat(sampled.atLeast()).containsExactlyInAnyOrder(OutboxStats.Figure.DUE, OutboxStats.Figure.LAG);
        }
        assertThat(exact.due()).isEqualTo(3_001);
        assertThat(stats.sample(6_000))
                .usingRecursiveComparison()
                .ignoringFields("at")
                .isEqualTo(exact);
    }

    @Test
    void settled_entries_of_a_large_table_are_estimated_and_all_others_are_counted() {
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, status)
                SELECT 'k' || i, '{}', 'd', CASE WHEN i % 10 = 0 THEN 'aborted' WHEN i <= 7 THEN 'pending' ELSE 'succeeded' END
                FROM generate_series(1, 5000) AS i""", "ANALYZE spream.outbox_orders");

        OutboxStats counted = stats.read(OperationsStats.LARGE);
        OutboxStats estimated = stats.read(1);

        assertThat(counted.entries().get(OutboxStatus.SUCCEEDED)).isEqualTo(4_493);
        assertThat(counted.entries().get(OutboxStatus.ABORTED)).isEqualTo(500);
        assertThat(estimated.entries().get(OutboxStatus.SUCCEEDED)).isCloseTo(4_493L, within(50L));
        assertThat(estimated.entries().get(OutboxStatus.ABORTED)).isCloseTo(500L, within(50L));
        assertThat(estimated.entries().get(OutboxStatus.PENDING)).isEqualTo(7);
        assertThat(estimated.due()).isEqualTo(7);
        assertThat(counted.estimated()).isEmpty();
        assertThat(estimated.estimated()).containsExactlyInAnyOrder(OutboxStatus.SUCCEEDED, OutboxStatus.ABORTED);
    }
}

package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spream.core.outbox.OutboxStats;
import dev.spream.core.outbox.OutboxStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Numbers of an outbox whose settled entries are too many to be counted. */
final class OperationsStatsIT {
    private final TestOutbox test = new TestOutbox();
    private final OperationsStats stats =
            new OperationsStats(OutboxDatabase.of(test.dataSource(), OutboxTables.defaults(), Duration.ofSeconds(5)));

    @AfterEach
    void close() {
        test.close();
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
    }
}

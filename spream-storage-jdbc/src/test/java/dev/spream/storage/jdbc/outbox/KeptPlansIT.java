package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.TestOutbox.ANN;
import static dev.spream.storage.jdbc.outbox.TestOutbox.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.Settlement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that sessions keep the plans of frequent statements, but none of a table that has grown since. */
@Timeout(120)
final class KeptPlansIT {
    /** The driver prepares a statement when it executes it for the fifth time, and the server then plans five executions. */
    private static final int CALLS = 12;

    private static final int MANY = 20_000;

    private final TestOutbox test = new TestOutbox();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void statements_of_each_entry_are_planned_once_in_a_session() throws SQLException {
        for (int call = 0; call < CALLS; call++) {
            test.enqueue("k" + call);
            List<OutboxClaim.Ref> claims = test.store.claim(ANN, "", 2 + call % 5, LEASE).claims().stream()
                    .map(OutboxClaim::ref)
                    .toList();
            assertThat(test.store.renew(ANN, claims, LEASE)).isEmpty();
            assertThat(test.store.settle(
                            ANN, claims.stream().map(KeptPlansIT::success).toList()))
                    .isEmpty();
        }

        assertThat(test.rows("""
                SELECT CASE
                        WHEN statement LIKE '%rows_due%' THEN 'claim'
                        WHEN statement LIKE '%renewed AS%' THEN 'renew'
                        WHEN statement LIKE '%booked AS%' THEN 'settle'
                        ELSE 'enqueue'
                    END AS name, custom_plans, generic_plans > 0
                FROM pg_prepared_statements WHERE statement LIKE '%outbox_orders%' ORDER BY 1""")).containsExactly("claim,5,t", "enqueue,5,t", "renew,5,t", "settle,5,t");
    }

    private static Settlement success(OutboxClaim.Ref claim) {
        return new Settlement.Succeeded(claim, LedgerResult.succeeded());
    }

    @Test
    void a_plan_for_an_empty_table_is_not_used_after_it_has_grown() throws Exception {
        test.execute("VACUUM ANALYZE spream.outbox_orders");
        claim(CALLS);
        assertThat(scans()).as("the plan for an empty table").isPositive();
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest)
                SELECT 'many' || n, '{}', 'd' FROM generate_series(1, %d) AS n""".formatted(MANY));

        Thread.sleep(Duration.ofMillis(1_100)); // plans are kept for a second
        long before = scans();
        claim(CALLS);
        assertThat(scans()).isEqualTo(before);
    }

    @Test
    void a_plan_for_one_message_is_kept_longer_than_one_for_several() throws Exception {
        test.execute("VACUUM ANALYZE spream.outbox_orders");
        for (int call = 0; call < CALLS; call++) {
            test.enqueue("some" + call, "others" + call);
            test.enqueue("one" + call);
        }
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest)
                SELECT 'many' || n, '{}', 'd' FROM generate_series(1, %d) AS n""".formatted(MANY));
        Thread.sleep(Duration.ofMillis(1_100)); // plans for several are kept for a second
        long before = scans();
        test.enqueue("one for which the plan is old");
        assertThat(scans()).isEqualTo(before + 1);
        test.enqueue("two", "at once");
        assertThat(scans()).isEqualTo(before + 1);
    }

    private void claim(int calls) {
        for (int call = 0; call < calls; call++) {
            test.store.claim(ANN, "", 10, LEASE);
        }
    }

    /** Returns how often the table was read from its beginning. */
    private long scans() throws SQLException {
        test.rows("SELECT pg_stat_force_next_flush()");
        return Long.parseLong(test.rows("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_orders'")
                .getFirst());
    }
}

package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.TestOutbox.ANN;
import static dev.spream.storage.jdbc.outbox.TestOutbox.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests with rows that another session has locked while a worker renews and settles. */
@Timeout(120)
final class OutboxLocksIT {
    private static final String LOCK_A = "SELECT FROM spream.outbox_orders WHERE idempotency_key = 'a' FOR UPDATE";
    private static final String STATUSES = "SELECT idempotency_key, status FROM spream.outbox_orders ORDER BY id";

    private final TestOutbox test = new TestOutbox();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void a_locked_row_holds_no_other_up_and_is_not_lost_while_much_of_its_lease_is_left() throws SQLException {
        List<OutboxClaim.Ref> refs = claimed("a", "b");
        List<Settlement> settlements = refs.stream().map(OutboxLocksIT::success).toList();
        test.inTransaction(holder -> {
            execute(holder, LOCK_A);
            test.database().passTime(LEASE.dividedBy(4));
            assertThat(test.store.renew(ANN, refs, LEASE)).isEmpty();
            test.database().passTime(LEASE.dividedBy(2));
            assertThat(test.store.renew(ANN, refs, LEASE))
                    .as("before it is over")
                    .containsExactly(refs.getFirst());
            assertThatThrownBy(() -> test.store.settle(ANN, settlements))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.retryable()).isTrue());
            assertThat(test.rows(STATUSES)).containsExactly("a,sending", "b,succeeded");
            return true;
        });
        assertThat(test.store.settle(ANN, settlements)).isEmpty();
        assertThat(test.rows(STATUSES)).containsExactly("a,succeeded", "b,succeeded");
    }

    @Test
    void a_repetition_that_overlaps_the_settlement_that_it_repeats_is_not_lost() throws Exception {
        OutboxClaim.Ref ref = claimed("a").getFirst();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Set<OutboxClaim.Ref>> repetition = test.inTransaction(first -> {
                execute(first, LOCK_A);
                Future<Set<OutboxClaim.Ref>> started = threads.submit(() -> settleUntilAnswered(success(ref)));
                while (test.rows(
                                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .isEmpty()) {
                    assertThat(started).isNotDone();
                }
                execute(
                        first,
                        "UPDATE spream.outbox_orders SET status = 'succeeded', locked_by = NULL, lease_until = NULL");
                return started;
            });
            assertThat(repetition.get()).isEmpty();
        }
    }

    private Set<OutboxClaim.Ref> settleUntilAnswered(Settlement settlement) {
        while (true) {
            try {
                return test.store.settle(ANN, List.of(settlement));
            } catch (StorageException e) {
                assertThat(e.retryable()).isTrue();
            }
        }
    }

    private List<OutboxClaim.Ref> claimed(String... keys) throws SQLException {
        test.enqueue(keys);
        return test.store.claim(ANN, "", keys.length, LEASE).claims().stream()
                .map(OutboxClaim::ref)
                .toList();
    }

    private static Settlement success(OutboxClaim.Ref ref) {
        return new Settlement.Succeeded(ref, LedgerResult.succeeded());
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

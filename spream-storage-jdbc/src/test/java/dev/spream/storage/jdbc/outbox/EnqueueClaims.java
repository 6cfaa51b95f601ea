package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of entries that a worker of the process claims as they are enqueued. */
@Timeout(120)
abstract class EnqueueClaims {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private final TestOutbox test = new TestOutbox(place());
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final List<String> payloads = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final OutboxWorker worker = OutboxWorker.builder(test.store, new Noting())
            .options(OutboxWorkerOptions.builder()
                    .pollInterval(Duration.ofMinutes(1))
                    .backoff(Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(1)))
                    .build())
            .build();

    abstract OutboxPlace place();

    /** Returns another database with the same tables. */
    abstract OutboxPlace another();

    private final class Noting implements OutboxSender {
        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            sent.add(entry.idempotencyKey());
            if (entry.idempotencyKey().equals("order")) {
                payloads.add(entry.payload());
                if (failures.getAndDecrement() > 0) {
                    return new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "down");
                }
            }
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }
    }

    @BeforeEach
    void start() throws Exception {
        Thread.ofVirtual().start(worker::run);
        String probe = "probe-0";
        for (int i = 1; !enqueue(test, probe).equals("sending"); i++) {
            assertThat(i).as("probes that were not claimed").isLessThan(200);
            awaitSucceeded(probe);
            probe = "probe-" + i;
        }
        awaitSucceeded(probe);
    }

    @AfterEach
    void close() {
        worker.close();
        test.close();
    }

    /** Enqueues, commits and reports it; returns the status of the entry in the transaction. */
    private static String enqueue(TestOutbox where, String key) throws SQLException {
        try (Connection connection = where.dataSource().getConnection();
                OutboxTransaction messages = where.outbox.begin(connection)) {
            connection.setAutoCommit(false);
            EnqueueResult result = messages.enqueue(OutboxMessage.of(key, "{}"));
            assertThat(result).isInstanceOf(EnqueueResult.Enqueued.class);
            String status = TestOutbox.texts(connection
                            .createStatement()
                            .executeQuery(where.place()
                                    .tables()
                                    .in("SELECT status FROM @outbox WHERE idempotency_key = '" + key + "'")))
                    .getFirst();
            connection.commit();
            messages.committed();
            return status;
        }
    }

    private void awaitSucceeded(String key) throws SQLException {
        long until = System.nanoTime() + PATIENCE;
        while (!status(test, key).equals("succeeded")) {
            assertThat(System.nanoTime() - until).as("%s is not sent", key).isNegative();
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static String status(TestOutbox where, String key) throws SQLException {
        return where.rows("SELECT status FROM @outbox WHERE idempotency_key = '" + key + "'")
                .getFirst();
    }

    @Test
    void entries_are_claimed_in_their_transaction_and_sent_once() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertThat(enqueue(test, "order-" + i)).isEqualTo("sending");
            awaitSucceeded("order-" + i);
        }
        assertThat(sent).doesNotHaveDuplicates();
        assertThat(test.rows("SELECT max(attempts), max(claim_token) FROM @outbox"))
                .containsExactly("1,1");
    }

    @Test
    void a_transaction_that_is_rolled_back_sends_nothing_and_leaves_the_room_to_the_next() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (Connection connection = test.dataSource().getConnection();
                    OutboxTransaction messages = test.outbox.begin(connection)) {
                connection.setAutoCommit(false);
                messages.enqueue(OutboxMessage.of("never-" + i, "{}"));
                connection.rollback();
            }
        }
        assertThat(enqueue(test, "order")).isEqualTo("sending");
        awaitSucceeded("order");
        assertThat(sent).noneMatch(key -> key.startsWith("never"));
    }

    @Test
    void an_entry_whose_commit_is_not_reported_is_released_before_its_lease_expires() throws Exception {
        try (Connection connection = test.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (OutboxTransaction messages = test.outbox.begin(connection)) {
                messages.enqueue(OutboxMessage.of("order", "{}"));
            }
            connection.commit();
        }
        awaitSucceeded("order");
        assertThat(test.rows("SELECT attempts FROM @outbox WHERE idempotency_key = 'order'"))
                .containsExactly("1");
    }

    @Test
    void every_attempt_gets_the_same_text_as_its_payload() throws Exception {
        failures.set(1);
        String payload = "{\"b\":  1, \"a\": {\"d\":2,\"c\": 3}, \"b\": 4}";
        try (Connection connection = test.dataSource().getConnection();
                OutboxTransaction messages = test.outbox.begin(connection)) {
            connection.setAutoCommit(false);
            messages.enqueue(OutboxMessage.of("order", payload));
            connection.commit();
            messages.committed();
        }
        awaitSucceeded("order");
        assertThat(payloads).hasSize(2);
        assertThat(payloads.getFirst()).isEqualTo(payloads.getLast());
    }

    @Test
    void the_messages_of_another_transaction_of_the_connection_are_refused() throws Exception {
        try (Connection connection = test.dataSource().getConnection();
                OutboxTransaction messages = test.outbox.begin(connection)) {
            connection.setAutoCommit(false);
            messages.enqueue(OutboxMessage.of("never", "{}"));
            connection.rollback();
            assertThatThrownBy(() -> messages.enqueue(OutboxMessage.of("order", "{}")))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("another transaction");
            connection.rollback();
            assertThatThrownBy(messages::committed).isInstanceOf(IllegalStateException.class);
        }
        assertThat(sent).doesNotContain("never", "order");
    }

    @Test
    void entries_of_another_database_with_the_same_tables_are_not_claimed() throws Exception {
        try (TestOutbox other = new TestOutbox(another())) {
            assertThat(enqueue(other, "elsewhere")).isEqualTo("pending");
            assertThat(enqueue(test, "here")).isEqualTo("sending");
            assertThat(status(other, "elsewhere")).isEqualTo("pending");
        }
    }
}

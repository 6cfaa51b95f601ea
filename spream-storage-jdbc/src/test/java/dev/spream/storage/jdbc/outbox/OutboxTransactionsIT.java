package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/**
 * Tests of transactions whose commit has the messages sent, without a call by the program, in PostgreSQL. The worker polls
 * once an hour, so an entry that is sent was signalled.
 */
@Timeout(120)
final class OutboxTransactionsIT {
    private final TestOutbox test = new TestOutbox();
    private final OutboxDataSource dataSource = OutboxDataSource.over(test.dataSource());
    private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();
    private final OutboxWorker worker = OutboxWorker.builder(test.store, new Noting())
            .options(OutboxWorkerOptions.builder()
                    .pollInterval(Duration.ofHours(1))
                    .build())
            .build();

    private final class Noting implements OutboxSender {
        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            sent.add(entry.idempotencyKey());
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }
    }

    @BeforeEach
    void start() throws Exception {
        test.enqueue("first");
        Thread.ofVirtual().start(worker::run);
        assertSent("first"); // the worker has polled, and will not again
        awaitClaimsByEnqueuers();
    }

    /** Waits until the worker listens: from then on, entries are claimed as they are enqueued. */
    private void awaitClaimsByEnqueuers() throws InterruptedException {
        LocalWatchers.Reserved reserved = null;
        while (reserved == null) {
            Thread.sleep(5);
            reserved = LocalWatchers.OF_THIS_PROCESS.reserve(
                    test.place().tables().tables(), message("first").destination(), 1);
        }
        reserved.room().close();
    }

    @AfterEach
    void close() {
        worker.close();
        test.close();
    }

    private void assertSent(String... keys) throws InterruptedException {
        for (String key : keys) {
            assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo(key);
        }
    }

    private static OutboxMessage message(String key) {
        return OutboxMessage.of(key, "{}");
    }

    private static OutboxMessage ordered(String key) {
        return OutboxMessage.builder(key, "{}").orderingKey("key").build();
    }

    @Test
    void work_in_a_transaction_is_committed_and_its_messages_are_sent() throws Exception {
        test.execute("CREATE TABLE orders (id text)");
        Integer orders = test.outbox.transact((connection, messages) -> {
            messages.enqueue(ordered("order"));
            return connection.createStatement().executeUpdate("INSERT INTO orders VALUES ('order')");
        });
        assertThat(orders).isEqualTo(1);
        assertSent("order");
        assertThat(test.rows("SELECT id FROM orders")).containsExactly("order");
    }

    @Test
    void work_that_throws_is_rolled_back_and_nothing_is_sent() throws Exception {
        assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                    messages.enqueue(message("never"));
                    throw new IllegalStateException("no stock");
                }))
                .hasMessage("no stock");
        test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(message("order")));
        assertSent("order");
        assertThat(test.rows("SELECT idempotency_key FROM spream.outbox_orders WHERE idempotency_key = 'never'"))
                .isEmpty();
    }

    @Test
    void work_in_a_transaction_cannot_end_it() {
        assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> connection.commit()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("commit()");
    }

    @Test
    void the_commit_of_a_wrapped_connection_sends_its_messages_again_and_again() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (String key : List.of("order-1", "order-2")) {
                test.outbox.enqueue(connection, message(key));
                test.outbox.enqueue(connection, ordered(key + "-ordered"));
                connection.commit();
                assertThat(List.of(next(), next())).containsExactlyInAnyOrder(key, key + "-ordered");
            }
            test.outbox.enqueue(connection, ordered("order-3"));
            connection.setAutoCommit(true);
            assertSent("order-3");
        }
    }

    private String next() throws InterruptedException {
        String key = sent.poll(60, TimeUnit.SECONDS);
        return key == null ? "nothing" : key;
    }

    @Test
    void messages_of_a_wrapped_connection_that_are_rolled_back_are_not_sent() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            test.outbox.enqueue(connection, message("never"));
            connection.rollback();
            test.outbox.enqueue(connection, message("order"));
            connection.commit();
            assertSent("order");
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            test.outbox.enqueue(connection, message("never, either"));
        }
        test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(message("last")));
        assertSent("last");
    }

    @Test
    void a_transaction_of_jooq_that_commits_sends_its_messages_and_one_that_fails_sends_none() throws Exception {
        test.execute("CREATE TABLE orders (id text)");
        DSLContext jooq = DSL.using(dataSource, SQLDialect.POSTGRES);
        assertThatThrownBy(() -> jooq.transaction(transaction -> {
                    order(transaction.dsl(), "never");
                    throw new IllegalStateException("no stock");
                }))
                .hasMessage("no stock");
        jooq.transaction(transaction -> {
            order(transaction.dsl(), "order");
            assertThatThrownBy(() -> transaction.dsl().transaction(nested -> {
                        order(nested.dsl(), "never, either"); // rolled back to a savepoint
                        throw new IllegalStateException("no gift");
                    }))
                    .hasMessage("no gift");
        });
        test.outbox.signal(); // after a rollback to a savepoint, messages wait to be claimed
        assertSent("order");
        jooq.transaction(transaction -> order(transaction.dsl(), "another order"));
        assertSent("another order");
        assertThat(test.rows("SELECT id FROM orders ORDER BY id")).containsExactly("another order", "order");
    }

    private void order(DSLContext jooq, String id) {
        jooq.execute("INSERT INTO orders VALUES (?)", id);
        jooq.connection(connection -> test.outbox.enqueue(connection, message(id)));
    }

    @Test
    void an_entry_rolled_back_to_a_savepoint_is_not_sent_and_the_others_are()
            throws SQLException, InterruptedException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            test.outbox.enqueue(connection, message("order"));
            Savepoint savepoint = connection.setSavepoint();
            test.outbox.enqueue(connection, message("never"));
            connection.rollback(savepoint);
            connection.commit();
        }
        assertSent("order");
        test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(message("last")));
        assertSent("last");
    }

    private void insertDuplicate(Connection connection) throws SQLException {
        assertThatThrownBy(() -> connection.createStatement().execute("INSERT INTO orders VALUES ('taken')"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void after_an_ignored_error_the_commit_fails_and_nothing_is_sent() throws Exception {
        test.execute("CREATE TABLE orders (id text PRIMARY KEY)", "INSERT INTO orders VALUES ('taken')");
        assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                    messages.enqueue(message("never"));
                    insertDuplicate(connection);
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("nothing of it was committed");
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (End end : List.<End>of(Connection::commit, each -> each.setAutoCommit(true))) {
                test.outbox.enqueue(connection, message("never"));
                insertDuplicate(connection);
                assertThatThrownBy(() -> end.of(connection)).isInstanceOf(SQLException.class);
                assertThat(connection.getAutoCommit()).isFalse();
            }
            test.outbox.enqueue(connection, message("order"));
            connection.commit();
        }
        assertSent("order");
    }

    private interface End {
        void of(Connection connection) throws SQLException;
    }

    @Test
    void after_a_rollback_by_statement_the_commit_fails_and_nothing_is_sent() throws Exception {
        for (String after : List.of("ROLLBACK", "ROLLBACK; CREATE TEMP TABLE another (id text)")) {
            assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                        messages.enqueue(message("never"));
                        connection.createStatement().execute(after);
                    }))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("ROLLBACK");
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            test.outbox.enqueue(connection, message("never"));
            connection.createStatement().execute("ROLLBACK");
            assertThatThrownBy(() -> test.outbox.enqueue(connection, message("never")))
                    .hasMessageContaining("another transaction");
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(message("last")));
        assertSent("last");
    }

    @Test
    void after_a_rollback_to_a_savepoint_by_statement_the_other_messages_are_sent() throws Exception {
        test.outbox.transactWithoutResult((connection, messages) -> {
            messages.enqueue(message("order"));
            connection.createStatement().execute("SAVEPOINT before");
            messages.enqueue(message("never"));
            connection.createStatement().execute("ROLLBACK TO SAVEPOINT before");
        });
        assertSent("order");
        test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(message("last")));
        assertSent("last");
    }

    @Test
    void work_cannot_report_the_commit_and_may_close_its_messages() throws Exception {
        assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                    messages.enqueue(message("never"));
                    messages.committed();
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("remove the call");
        test.outbox.transactWithoutResult((connection, messages) -> {
            try (messages) {
                messages.enqueue(message("order"));
            }
        });
        assertSent("order");
    }

    @Test
    void a_statement_leads_back_to_the_wrapped_connection() throws Exception {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            connection.setAutoCommit(false);
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            assertThat(statement.unwrap(PGStatement.class)).isNotNull();
            test.outbox.enqueue(connection, message("order"));
            statement.getConnection().commit();
            assertSent("order");
        }
    }

    @Test
    void a_wrapper_of_a_wrapped_connection_is_recognised() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.unwrap(PGConnection.class)).isNotNull();
            assertThat(dataSource.isWrapperFor(HikariDataSource.class)).isTrue();
            connection.setAutoCommit(false);
            test.outbox.enqueue(
                    new GuardedConnection(
                                    connection,
                                    new GuardedConnection.Work("a library", "", false, IllegalStateException::new))
                            .view(),
                    ordered("order"));
            connection.commit();
            assertSent("order");
        }
    }
}

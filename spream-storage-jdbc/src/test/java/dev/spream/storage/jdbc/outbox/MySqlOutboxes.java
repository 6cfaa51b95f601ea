package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.TestOutbox.ANN;
import static dev.spream.storage.jdbc.outbox.TestOutbox.BOB;
import static dev.spream.storage.jdbc.outbox.TestOutbox.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.mysql.MySqlOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of outboxes in MySQL and MariaDB beyond the contract. */
@Timeout(120)
abstract class MySqlOutboxes {
    private final MySqlOutboxPlace place;
    private final TestOutbox test;

    MySqlOutboxes(MySqlOutboxPlace place) {
        this.place = place;
        this.test = new TestOutbox(place);
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void keys_that_differ_in_case_accents_or_trailing_spaces_are_different() throws SQLException {
        String longest = "\ud83d\ude00".repeat(256);
        String broadest = "\u65e5".repeat(512);
        assertThat(test.enqueue("key", "KEY", "k\u00e9y", "key ", longest, broadest))
                .hasSize(6)
                .allMatch(EnqueueResult.Enqueued.class::isInstance);
        assertThat(test.store.claim(ANN, "", 10, LEASE).claims())
                .extracting(claim -> claim.entry().idempotencyKey())
                .containsExactly("key", "KEY", "k\u00e9y", "key ", longest, broadest);
        assertThat(test.ledger.find("key  ")).isEmpty();
        assertThat(test.ledger.find(broadest)).isPresent();
    }

    @Test
    void ordering_keys_that_differ_in_case_do_not_wait_for_each_other() throws SQLException {
        test.enqueue(
                OutboxMessage.builder("1", "1").orderingKey("key").build(),
                OutboxMessage.builder("2", "2").orderingKey("KEY").build(),
                OutboxMessage.builder("3", "3").orderingKey("key ").build());
        assertThat(test.store.ordered("", "key", 10)).hasSize(1);
        assertThat(test.store.ordered("", "KEY", 10)).hasSize(1);
    }

    @Test
    void a_payload_and_an_answer_keep_their_text() throws SQLException {
        String payload = "{\"b\":  1, \"a\": 12345678901234567890.123456789, \"b\": \"\\u0000 '' \\\\\"}";
        test.enqueue(OutboxMessage.of("k", payload));
        OutboxClaim claim = test.store.claim(ANN, "", 1, LEASE).claims().getFirst();
        assertThat(claim.entry().payload()).isEqualTo(payload);
        LedgerResult answer = LedgerResult.succeeded("{\"b\":1, \"a\":2}");
        test.store.settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), answer)));
        assertThat(test.ledger.find("k").flatMap(entry -> entry.result())).contains(answer);
    }

    @Test
    void times_do_not_depend_on_the_time_zone_of_a_session() throws SQLException {
        String url = place.database().mysqlUrl() + "?sessionVariables=time_zone%3D'%2B09:00'&connectionTimeZone=SERVER";
        Instant soon = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MICROS);
        try (HikariDataSource elsewhere = place.database().open(url, 3)) {
            JdbcOutbox outbox = JdbcOutbox.create(elsewhere);
            try (Connection connection = elsewhere.getConnection()) {
                connection.setAutoCommit(false);
                outbox.enqueue(
                        connection,
                        OutboxMessage.builder("a", "1").expiresAt(soon).build());
                outbox.enqueue(
                        connection,
                        OutboxMessage.builder("b", "1").notBefore(soon).build());
                connection.commit();
            }
            OutboxClaim claim = test.store.claim(ANN, "", 10, LEASE).claims().getFirst();
            assertThat(claim.entry().idempotencyKey()).isEqualTo("a");
            assertThat(claim.entry().expiresAt()).contains(soon);
            try (JdbcOutboxOperations operations = JdbcOutboxOperations.create(elsewhere);
                    JdbcOutboxStore store = JdbcOutboxStore.create(elsewhere)) {
                assertThat(operations.find("b").orElseThrow().nextRunAt()).contains(soon);
                assertThat(operations.find("a").orElseThrow().leaseUntil())
                        .contains(claim.claimedAt().plus(LEASE));
                assertThat(store.renew(ANN, List.of(claim.ref()), LEASE)).isEmpty();
                assertThat(store.claim(BOB, "", 10, LEASE).claims()).isEmpty();
            }
        }
    }

    @Test
    void delayed_messages_that_expire_do_not_wait_for_each_other() throws SQLException {
        try (HikariDataSource pool = place.database().open(place.database().mysqlUrl(), 2);
                Connection one = repeatableRead(pool);
                Connection other = repeatableRead(pool)) {
            JdbcOutbox outbox = JdbcOutbox.create(test.dataSource());
            for (Connection connection : List.of(one, other)) {
                OutboxMessage message = OutboxMessage.builder(connection == one ? "a" : "b", "{}")
                        .afterDelay(Duration.ofMinutes(1))
                        .expiresAt(Instant.now().plus(1, ChronoUnit.HOURS))
                        .build();
                assertThat(outbox.enqueue(connection, message)).isInstanceOf(EnqueueResult.Enqueued.class);
            }
            one.rollback();
            other.rollback();
        }
    }

    /** Begins a transaction of the default isolation, which locks gaps between the rows that it looks up. */
    private static Connection repeatableRead(HikariDataSource pool) throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET innodb_lock_wait_timeout = 1");
        }
        return connection;
    }

    @Test
    void a_locked_entry_delays_no_other() throws Exception {
        test.enqueue("locked", "free");
        List<OutboxClaim> claims = test.store.claim(ANN, "", 10, LEASE).claims();
        List<OutboxClaim.Ref> refs = claims.stream().map(OutboxClaim::ref).toList();
        try (Connection other = test.dataSource().getConnection();
                Statement statement = other.createStatement();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            other.setAutoCommit(false);
            statement.execute(place.tables().in("SELECT * FROM @outbox WHERE idempotency_key = 'locked' FOR UPDATE"));
            assertThat(test.store.renew(ANN, refs, LEASE))
                    .as("locked, with most of its lease left")
                    .isEmpty();
            assertThat(test.store.renew(ANN, refs, LEASE.multipliedBy(3)))
                    .as("locked, with less than half of that left")
                    .containsExactly(refs.getFirst());
            Future<Set<OutboxClaim.Ref>> settling = threads.submit(() -> test.store.settle(
                    ANN,
                    refs.stream()
                            .<Settlement>map(ref -> new Settlement.Succeeded(ref, LedgerResult.succeeded()))
                            .toList()));
            await(() -> status("free").equals("succeeded"));
            other.rollback();
            assertThat(settling.get()).isEmpty();
        }
        assertThat(status("locked")).isEqualTo("succeeded");
    }

    private String status(String key) throws SQLException {
        return test.rows("SELECT status FROM @outbox WHERE idempotency_key = '%s'".formatted(key))
                .getFirst();
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void await(Condition condition) throws SQLException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - end).isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }

    @Test
    void transactions_that_wait_for_each_other_are_told_to_be_repeated_as_a_whole() throws Exception {
        try (Connection first = test.dataSource().getConnection();
                Connection second = test.dataSource().getConnection();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            test.outbox.enqueue(first, OutboxMessage.of("a", "1"));
            test.outbox.enqueue(second, OutboxMessage.of("b", "1"));
            Future<EnqueueResult> waiting =
                    threads.submit(() -> test.outbox.enqueue(first, OutboxMessage.of("b", "1")));
            assertThatThrownBy(() -> {
                        test.outbox.enqueue(second, OutboxMessage.of("a", "1"));
                        waiting.get();
                    })
                    .satisfiesAnyOf(MySqlOutboxes::isDeadlock, failure -> isDeadlock(failure.getCause()));
            second.rollback();
            first.rollback();
        }
    }

    private static void isDeadlock(@Nullable Throwable failure) {
        assertThat(failure)
                .isInstanceOf(StorageException.class)
                .returns(true, thrown -> ((StorageException) thrown).retryable())
                .hasMessageContaining("error 1213")
                .hasMessageContaining("repeat it as a whole");
    }

    @Test
    void a_transaction_that_is_suspended_ends_and_its_session_is_as_before() throws SQLException {
        test.enqueue("k");
        try (HikariDataSource pool = place.database().open(place.database().mariadbUrl(), 1)) {
            OutboxTables names = place.tables().tables();
            OutboxDatabase database =
                    MySqlOutbox.open(pool, names, Duration.ofSeconds(1), false).database();
            assertThatThrownBy(() -> database.inTransaction("working", transaction -> {
                        transaction.rows("SELECT id FROM @outbox FOR UPDATE", p -> {}, row -> true);
                        await(() -> test.store.claim(ANN, "", 1, LEASE).claims().size() == 1);
                        return transaction.update("DELETE FROM @outbox", p -> {});
                    }))
                    .isInstanceOf(StorageException.class);
            assertThat(database.<Boolean>inTransaction(
                            "asking",
                            transaction -> transaction.row(
                                    "SELECT @@SESSION.wait_timeout AS seconds",
                                    p -> {},
                                    row -> row.getInt("seconds") == 1)))
                    .isTrue();
            assertThat(database.<Boolean>row(
                            "asking",
                            "SELECT @@SESSION.wait_timeout = @@GLOBAL.wait_timeout AS same",
                            p -> {},
                            row -> row.getBoolean("same")))
                    .isTrue();
        }
        assertThat(status("k")).isEqualTo("sending");
    }

    @Test
    void an_entry_inserted_without_the_ledger_is_sent_and_its_key_is_recorded() throws SQLException {
        place.execute("""
                INSERT INTO @outbox (idempotency_key, order_request_json, request_digest)
                VALUES ('theirs', '{}', 'd'), ('other', '{}', 'd')""");
        assertThat(test.enqueue(
                        OutboxMessage.builder("other", "{}").requestDigest("e").build(), OutboxMessage.of("new", "1")))
                .extracting(Object::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("Conflict", "Enqueued");
        assertThat(test.store.claim(ANN, "", 10, LEASE).claims()).hasSize(3);
        assertThat(test.ledger.find("theirs")).isPresent();
    }

    @Test
    void a_transaction_sends_what_it_commits_at_once_and_nothing_that_it_rolled_back() throws Exception {
        test.enqueue("first");
        BlockingQueue<String> sent = new LinkedBlockingQueue<>();
        OutboxDataSource dataSource = OutboxDataSource.over(test.dataSource());
        try (OutboxWorker worker = OutboxWorker.builder(test.store, new Noting(sent))
                .options(OutboxWorkerOptions.builder()
                        .pollInterval(Duration.ofHours(1))
                        .build())
                .build()) {
            Thread.ofVirtual().start(worker::run);
            assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("first"); // it has polled, and will not again
            test.outbox.transactWithoutResult(
                    (connection, messages) -> messages.enqueue(OutboxMessage.of("transact", "1")));
            assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("transact");
            assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                        messages.enqueue(OutboxMessage.of("never", "1"));
                        throw new IllegalStateException("no stock");
                    }))
                    .hasMessage("no stock");
            assertThatThrownBy(() -> test.outbox.transactWithoutResult((connection, messages) -> {
                        messages.enqueue(OutboxMessage.of("never, after a ROLLBACK", "1"));
                        messages.enqueue(OutboxMessage.of("never, after it too", "1"));
                        connection.createStatement().execute("ROLLBACK");
                    }))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("was rolled back");
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                Savepoint savepoint = connection.setSavepoint();
                test.outbox.enqueue(connection, OutboxMessage.of("never, either", "1"));
                connection.rollback(savepoint);
                test.outbox.enqueue(connection, OutboxMessage.of("data source", "1"));
                connection.commit();
            }
            assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("data source");
            test.outbox.transactWithoutResult((connection, messages) -> messages.enqueue(
                    OutboxMessage.builder("last", "1").orderingKey("key").build()));
            assertThat(sent.poll(60, TimeUnit.SECONDS)).isEqualTo("last");
        }
        assertThat(test.rows("SELECT idempotency_key FROM @outbox WHERE idempotency_key LIKE 'never%'"))
                .isEmpty();
    }

    private record Noting(BlockingQueue<String> sent) implements OutboxSender {
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

    @Test
    void tables_are_created_in_the_named_database_or_that_of_the_url_and_missed_where_they_are_not() throws Exception {
        String named = place.database().name() + "_named";
        try (MySqlDatabase empty = new MySqlDatabase(place.database().server());
                HikariDataSource pool = empty.open(empty.mariadbUrl(), 10)) {
            assertThatThrownBy(() -> JdbcOutbox.builder(pool).migrate(false).build())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("database '%s' has no tables".formatted(empty.name()));
            assertThatThrownBy(() -> JdbcOutbox.builder(pool)
                            .schema(named)
                            .migrate(false)
                            .build())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining(named);
            List<Callable<JdbcOutbox>> starts = List.of(() -> JdbcOutbox.create(pool), () -> JdbcOutbox.create(pool));
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<JdbcOutbox> start : threads.invokeAll(starts)) {
                    start.get();
                }
            }
            JdbcOutbox.builder(pool).schema(named).build();
            JdbcOutbox.builder(pool).schema(named).migrate(false).build();
            JdbcOutbox.builder(pool).migrate(false).build();
        } finally {
            place.execute("DROP DATABASE IF EXISTS " + named);
        }
    }

    @Test
    void a_url_without_a_database_needs_a_schema() {
        MySqlServer server = place.database().server();
        try (HikariDataSource pool = place.database().open(server.mysqlUrl(""), 3)) {
            assertThatThrownBy(() -> JdbcOutbox.create(pool))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("specify it as the schema");
        }
    }
}

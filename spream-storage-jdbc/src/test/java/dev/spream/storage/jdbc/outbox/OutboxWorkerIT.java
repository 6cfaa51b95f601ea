package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of workers over PostgreSQL: the scenarios W-101 to W-103. Those of W-104 and W-105 are in the contracts of the
 * store.
 */
@Timeout(120)
final class OutboxWorkerIT {
    private static final SendOutcome OK = new SendOutcome.Succeeded(LedgerResult.succeeded("{\"accepted\":true}"));
    private static final String ENTRY =
            "SELECT status, attempts, last_error_code, outcome_unknown FROM spream.outbox_orders WHERE idempotency_key = 'a'";
    private static final String ANSWER =
            "SELECT status, http_status, response_payload_json FROM spream.idempo_ledger WHERE idempotency_key = 'a'";

    private final TestOutbox test = new TestOutbox();
    private final List<OutboxWorker> workers = new ArrayList<>();

    @AfterEach
    void close() {
        workers.forEach(OutboxWorker::close);
        test.close();
    }

    @Test
    void W_101_pending_to_sending_to_succeeded() throws Exception {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        test.enqueue("a");
        assertThat(test.rows(ENTRY)).containsExactly("pending,0,null,f");
        start(test.store, (entry, call) -> {
            seen.addAll(test.rows(ENTRY));
            return OK;
        });
        awaitEntry("succeeded,1,null,f");
        assertThat(seen).containsExactly("sending,1,null,f");
        assertThat(test.rows(ANSWER)).containsExactly("succeeded,200,{\"accepted\":true}");
    }

    @Test
    void W_102_a_timeout_is_failed_and_pending_again_and_succeeds_the_second_time() throws Exception {
        test.enqueue("a");
        start(test.store, (entry, call) -> {
            if (call == 1) {
                new CountDownLatch(1).await(); // until the call times out
            }
            return OK;
        });
        awaitEntry("failed,1,TIMEOUT,t");
        assertThat(test.rows("SELECT status FROM spream.idempo_ledger")).containsExactly("in_progress");
        test.database().passTime(Duration.ofSeconds(5));
        awaitEntry("succeeded,2,TIMEOUT,f");
        assertThat(test.rows(ANSWER)).containsExactly("succeeded,200,{\"accepted\":true}");
    }

    @Test
    void W_103_a_worker_dies_and_after_its_lease_another_succeeds() throws Exception {
        test.enqueue("a");
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean cut = new AtomicBoolean();
        ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = test.database().open();
                JdbcOutboxStore lost = JdbcOutboxStore.create(cut(pool, cut));
                OutboxWorker dead = worker(lost, Duration.ofMinutes(10), (entry, call) -> {
                    sending.countDown();
                    release.await();
                    return new SendOutcome.Succeeded(LedgerResult.succeeded("{\"late\":true}"));
                })) {
            Thread running = Thread.ofVirtual().start(dead::run);
            sending.await();
            cut.set(true);
            start(test.store, (entry, call) -> {
                sent.add(entry.idempotencyKey());
                return OK;
            });
            test.enqueue("b");
            awaitRows("SELECT status FROM spream.outbox_orders WHERE idempotency_key = 'b'", "succeeded");
            assertThat(test.rows(ENTRY)).as("under its lease").containsExactly("sending,1,null,f");

            test.database().passTime(TestOutbox.LEASE.plusSeconds(1));
            awaitEntry("succeeded,2,null,f");
            assertThat(sent).containsExactly("b", "a");

            cut.set(false);
            release.countDown();
            dead.shutdown(Duration.ofSeconds(30));
            running.join();
        }
        assertThat(test.rows(ENTRY)).containsExactly("succeeded,2,null,f");
        assertThat(test.rows(ANSWER)).containsExactly("succeeded,200,{\"accepted\":true}");
    }

    @Test
    void workers_remove_what_is_old_and_leave_what_is_young_or_not_settled() throws Exception {
        test.enqueue("old", "young", "sending", "parked", "pending");
        test.execute("""
                UPDATE spream.outbox_orders SET status = v.status, lease_until = v.lease, next_run_at = v.next,
                    created_at = now() - interval '99 days',
                    updated_at = now() - CASE WHEN idempotency_key = 'young' THEN interval '6 days' ELSE interval '99 days' END
                FROM (VALUES ('old', 'succeeded', NULL, now()), ('young', 'aborted', NULL, now()),
                    ('sending', 'sending', now() + interval '1 hour', now()), ('parked', 'failed', NULL, 'infinity'),
                    ('pending', 'pending', NULL, now() + interval '1 hour')) AS v (key, status, lease, next)
                WHERE idempotency_key = v.key""", """
                UPDATE spream.idempo_ledger SET created_at = now() - interval '99 days'""", """
                UPDATE spream.idempo_ledger SET status = 'succeeded', http_status = 200,
                    settled_at = now() - interval '99 days'
                WHERE idempotency_key IN ('old', 'young')""", """
                INSERT INTO spream.outbox_orders_audit (at, actor, action, entry_id, idempotency_key, outcome, reason)
                SELECT now() - n * interval '40 days', 'ann', 'abort', n, '', '', '' FROM generate_series(1, 3) AS n""");
        start(test.store, (entry, call) -> OK);
        try (JdbcOutboxStore another = JdbcOutboxStore.create(test.dataSource())) {
            start(another, (entry, call) -> OK);
            awaitRows("""
                    SELECT (SELECT string_agg(idempotency_key, ' ' ORDER BY id) FROM spream.outbox_orders),
                        (SELECT string_agg(idempotency_key, ' ' ORDER BY created_at, idempotency_key)
                            FROM spream.idempo_ledger),
                        (SELECT string_agg(entry_id::text, ' ') FROM spream.outbox_orders_audit)""", "young sending parked pending,parked pending sending young,1 2");
            workers.forEach(OutboxWorker::close);
        }
    }

    @Test
    void segments_are_read_only_where_an_entry_has_an_ordering_key() throws Exception {
        ConcurrentLinkedQueue<String> statements = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = test.database().open();
                JdbcOutboxStore one = JdbcOutboxStore.create(seen(pool, statements));
                JdbcOutboxStore two = JdbcOutboxStore.create(seen(pool, statements))) {
            start(one, (entry, call) -> OK);
            start(two, (entry, call) -> OK);
            for (int i = 0; i < 60; i++) {
                test.enqueue("free " + i);
                test.outbox.signal();
            }
            awaitRows("SELECT count(*) FROM spream.outbox_orders WHERE status = 'succeeded'", "60");
            assertThat(statements).filteredOn(OutboxWorkerIT::claims).hasSizeGreaterThan(10);
            assertThat(statements).noneMatch(OutboxWorkerIT::readsSegments);

            for (int i = 0; i < 20; i++) {
                test.enqueue(OutboxMessage.builder("ordered " + i, "{}")
                        .orderingKey("k" + i % 10)
                        .build());
            }
            awaitRows("SELECT count(*) FROM spream.outbox_orders WHERE status = 'succeeded'", "80");
            assertThat(statements).anyMatch(OutboxWorkerIT::readsSegments);
            workers.forEach(OutboxWorker::close);
        }
    }

    @Test
    void ordered_entries_that_were_there_before_are_found_without_a_signal_or_a_poll() throws Exception {
        for (int i = 0; i < 3; i++) {
            test.enqueue(
                    OutboxMessage.builder("ordered " + i, "{}").orderingKey("k").build());
        }
        ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
        start(worker(test.store, Duration.ofSeconds(10), Duration.ofHours(1), (entry, call) -> {
            sent.add(entry.idempotencyKey());
            return OK;
        }));
        awaitRows("SELECT count(*) FROM spream.outbox_orders WHERE status = 'succeeded'", "3");
        assertThat(sent).containsExactly("ordered 0", "ordered 1", "ordered 2");
    }

    private static boolean claims(String statement) {
        return statement.contains("next_run_at <= (SELECT clock_timestamp())");
    }

    private static boolean readsSegments(String statement) {
        return statement.contains("AS asked (segment, behind)");
    }

    /** Returns the data source with connections that record all statements. */
    private static DataSource seen(DataSource target, Collection<String> statements) {
        return proxy(DataSource.class, target, (method, result, args) -> {
            if (result instanceof Connection connection) {
                return proxy(Connection.class, connection, (called, prepared, sql) -> {
                    if (called.equals("prepareStatement")) {
                        statements.add((String) sql[0]);
                    }
                    return prepared;
                });
            }
            return result;
        });
    }

    private interface Seen {
        Object result(String method, Object result, Object[] args);
    }

    private static <T> T proxy(Class<T> type, T target, Seen seen) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            try {
                return seen.result(method.getName(), method.invoke(target, args), args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** Returns the data source, which provides no more connections once the flag is set, as for a crashed process. */
    private static DataSource cut(DataSource target, AtomicBoolean cut) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (cut.get()) {
                        throw new SQLException("cut off", "08006");
                    }
                    try {
                        return method.invoke(target, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface Script {
        SendOutcome send(OutboxEntry entry, int call) throws Exception;
    }

    private void start(OutboxStore store, Script script) {
        start(worker(store, Duration.ofSeconds(2), script));
    }

    private void start(OutboxWorker worker) {
        workers.add(worker);
        Thread.ofVirtual().start(worker::run);
    }

    private static OutboxWorker worker(OutboxStore store, Duration sendTimeout, Script script) {
        return worker(store, sendTimeout, Duration.ofMillis(20), script);
    }

    private static OutboxWorker worker(OutboxStore store, Duration sendTimeout, Duration pollInterval, Script script) {
        AtomicInteger calls = new AtomicInteger();
        OutboxSender sender = new OutboxSender() {
            @Override
            public Guarantee guarantee() {
                return Guarantee.IDEMPOTENT;
            }

            @Override
            public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
                return script.send(entry, calls.incrementAndGet());
            }
        };
        return OutboxWorker.builder(store, sender)
                .options(OutboxWorkerOptions.builder()
                        .concurrency(1) // a worker that is cut off has no other entry
                        .lease(TestOutbox.LEASE)
                        .sendTimeout(sendTimeout)
                        .pollInterval(pollInterval)
                        .build())
                .build();
    }

    private void awaitEntry(String row) throws SQLException {
        awaitRows(ENTRY, row);
    }

    private void awaitRows(String query, String row) throws SQLException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!test.rows(query).equals(List.of(row))) {
            assertThat(System.nanoTime() - until)
                    .as("waits for %s, is %s", row, test.rows(query))
                    .isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }
}

package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of signals through the server, as from another process. Signals within the process are tested by the contract.
 */
@Timeout(120)
final class OutboxSignalsIT {
    private static final String LISTENING =
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %' OR query = 'SELECT 1'"
                    + " AND datname = current_database()";

    private final TestOutbox test = new TestOutbox();
    private final Semaphore told = new Semaphore(0);

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void a_notification_of_another_process_wakes() throws Exception {
        try (OutboxStore.Watch watch = test.store.watch(told::release)) {
            assertThat(watch).isNotNull();
            awaitListening();
            test.execute("NOTIFY " + OutboxTables.defaults().channel());
            assertTold();
        }
    }

    @Test
    void a_watch_is_not_notified_again_of_enqueues_of_its_own_process() throws Exception {
        try (OutboxStore.Watch watch = test.store.watch(told::release);
                HikariDataSource elsewhere = test.database().open()) {
            assertThat(watch).isNotNull();
            awaitListening();
            Semaphore notified = new Semaphore(0);
            OutboxTables tables = OutboxTables.defaults();
            try (NotificationListener another =
                    NotificationListener.start(elsewhere, tables, "another process", notified::release)) {
                assertThat(another).isNotNull();
                assertThat(notified.tryAcquire(30, TimeUnit.SECONDS))
                        .as("it listens")
                        .isTrue();
                for (int round = 0; round < 20; round++) {
                    test.outbox.signal();
                    assertThat(notified.tryAcquire(30, TimeUnit.SECONDS))
                            .as("others are told")
                            .isTrue();
                    assertTold();
                    // It is received after the process's own signal, which was sent before it.
                    test.execute("NOTIFY %s, 'another process'".formatted(tables.channel()));
                    assertTold();
                }
            }
            assertThat(told.availablePermits()).as("told of its own as well").isZero();
        }
    }

    @Test
    void a_killed_connection_is_replaced_and_its_watches_are_notified() throws Exception {
        try (OutboxStore.Watch watch = test.store.watch(told::release)) {
            assertThat(watch).isNotNull();
            awaitListening();
            List<String> before = test.rows(LISTENING);
            assertThat(before).hasSize(1);

            test.execute("SELECT pg_terminate_backend(%s)".formatted(before.getFirst()));

            assertTold();
            await(
                    () -> { // the server may still show the session that it terminates
                        List<String> now = test.rows(LISTENING);
                        return now.size() == 1 && !now.equals(before);
                    });
            told.drainPermits();
            test.execute("NOTIFY " + OutboxTables.defaults().channel());
            assertTold();
        }
    }

    @Test
    void many_signals_become_few_notifications() throws Exception {
        AtomicInteger notifications = new AtomicInteger();
        try (HikariDataSource elsewhere = test.database().open()) {
            OutboxTables tables = OutboxTables.defaults();
            try (NotificationListener listener =
                    NotificationListener.start(elsewhere, tables, "another process", () -> {
                        notifications.incrementAndGet();
                        told.release();
                    })) {
                assertThat(listener).isNotNull();
                assertTold(); // the listener has started
                int before = notifications.get();
                for (int i = 0; i < 1_000; i++) {
                    test.outbox.signal();
                }
                assertTold();
                assertThat(notifications.get() - before).isLessThan(200);
            }
        }
    }

    @Test
    void closing_the_last_watch_returns_the_connection_to_the_pool() throws Exception {
        OutboxStore.Watch first = test.store.watch(told::release);
        OutboxStore.Watch second = test.store.watch(told::release);
        awaitListening();
        assertThat(test.rows(LISTENING)).hasSize(1);
        first.close();
        assertThat(test.rows(LISTENING)).hasSize(1);
        second.close();
        await(() -> test.rows(LISTENING).isEmpty());
        for (int i = 0; i < 20; i++) {
            assertThat(test.rows("SELECT 2")).containsExactly("2");
        }
    }

    @Test
    void a_signal_never_fails_even_when_the_server_is_gone() {
        HikariDataSource gone = test.database().open();
        JdbcOutbox outbox = JdbcOutbox.create(gone);
        gone.close();
        outbox.signal();
        outbox.signal();
        assertThat(gone.isClosed()).isTrue();
    }

    /** Waits until the listener has started, which calls the callback once. */
    private void awaitListening() throws Exception {
        assertTold();
        told.drainPermits();
    }

    private void assertTold() throws InterruptedException {
        assertThat(told.tryAcquire(30, TimeUnit.SECONDS)).as("woken").isTrue();
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - deadline).as("waited too long").isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }
}

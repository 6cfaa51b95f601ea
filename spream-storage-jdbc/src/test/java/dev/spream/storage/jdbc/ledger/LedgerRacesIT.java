package dev.spream.storage.jdbc.ledger;

import static dev.spream.storage.jdbc.ledger.LedgerFixture.PAUSE;
import static dev.spream.storage.jdbc.ledger.LedgerFixture.change;
import static dev.spream.storage.jdbc.ledger.LedgerFixture.settledBefore;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Workers that continue after they lost their lease, beside the new owner; and connections that break. */
@Timeout(120)
final class LedgerRacesIT {
    private final LedgerFixture fixture = new LedgerFixture();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AppliedLedger ledger = fixture.ledger();
    private final Consumer owner = ledger.consumer(LedgerFixture::count);

    @AfterEach
    void close() {
        threads.shutdownNow();
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_change_that_is_being_applied_elsewhere_waits_for_the_result(boolean commits) throws Exception {
        owner.consume(change(1), settledBefore(0));
        try (Connection zombie = transaction()) {
            assertThat(ledger.apply(zombie, change(2), settledBefore(0))).isTrue();
            Future<?> waiting = threads.submit(() -> {
                owner.consume(change(2), settledBefore(0));
                return true;
            });
            untilBlockedBy(zombie);
            assertThat(waiting.isDone()).isFalse();

            if (commits) {
                LedgerFixture.count(zombie, change(2));
                zombie.commit();
            } else {
                zombie.rollback();
            }
            waiting.get(60, SECONDS);
        }
        assertThat(fixture.effects()).containsExactly("tx1", "tx2");
    }

    @Test
    void two_that_bring_the_same_changes_in_different_orders_do_not_wait_for_each_other() throws Exception {
        owner.consume(change(1), settledBefore(0));
        try (Connection zombie = transaction()) {
            assertThat(ledger.apply(zombie, change(2), settledBefore(0))).isTrue();
            Future<?> waiting = threads.submit(() -> {
                ledger.apply(
                        List.of(change(3), change(2)),
                        Collections.nCopies(2, settledBefore(0)),
                        LedgerFixture::countAll);
                return true;
            });
            untilBlockedBy(zombie);

            assertThat(ledger.apply(zombie, change(3), settledBefore(0))).isTrue();
            LedgerFixture.countAll(zombie, List.of(change(2), change(3)));
            zombie.commit();
            waiting.get(60, SECONDS);
        }
        assertThat(fixture.effects()).containsExactly("tx1", "tx2", "tx3");
    }

    @Test
    void a_transaction_older_than_the_row_changes_nothing_after_the_row_was_removed() throws Exception {
        owner.consume(change(1), settledBefore(0));
        try (Connection zombie = transaction()) {
            zombie.createStatement().execute("SELECT count(*) FROM spream.applied_ledger, spream.applied_change");
            owner.consume(change(2), settledBefore(0));
            fixture.passTime(PAUSE);
            ledger.prune(LedgerFixture.at(3));
            assertThat(fixture.entries()).isEmpty();

            assertThat(ledger.apply(zombie, change(2), settledBefore(0))).isFalse();
            zombie.commit();
        }
        assertThat(fixture.effects()).containsExactly("tx1", "tx2");
    }

    @Test
    void nothing_is_removed_while_a_transaction_may_still_look_for_it() throws Exception {
        owner.consume(change(1), settledBefore(0));
        try (Connection zombie = transaction()) {
            assertThat(ledger.apply(zombie, change(1), settledBefore(0))).isFalse();
            fixture.passTime(PAUSE);
            owner.consume(change(5), settledBefore(5)); // which skips the pruning and does not fail

            assertThat(fixture.settledBelow()).isZero();
            assertThat(fixture.entries()).containsExactly("tx1", "tx5");
            assertThat(ledger.apply(zombie, change(1), settledBefore(0))).isFalse();
            zombie.commit();
        }
        fixture.passTime(PAUSE.multipliedBy(100));
        owner.consume(change(6), settledBefore(5));

        assertThat(fixture.settledBelow()).isEqualTo(5);
        assertThat(fixture.entries()).containsExactly("tx5", "tx6");
        assertThat(fixture.effects()).containsExactly("tx1", "tx5", "tx6");
    }

    @Test
    void pruning_that_cannot_work_fails_no_change() throws Exception {
        owner.consume(change(1), settledBefore(0));
        fixture.database.execute("CREATE FUNCTION public.no() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE EXCEPTION ''no''; END'");
        fixture.database.execute("CREATE TRIGGER no BEFORE UPDATE ON spream.applied_ledger FOR EACH ROW"
                + " EXECUTE FUNCTION public.no()");

        for (int second = 2; second <= 9; second++) {
            fixture.passTime(PAUSE);
            owner.consume(change(second), settledBefore(second));
        }

        assertThat(fixture.effects()).hasSize(9);
        assertThat(fixture.entries()).hasSize(9);
    }

    @Test
    void a_connection_that_breaks_in_the_middle_leaves_neither_effect_nor_entry() throws Exception {
        AtomicBoolean breaks = new AtomicBoolean(true);
        Consumer broken = ledger.consumer((connection, change) -> {
            LedgerFixture.count(connection, change);
            if (breaks.getAndSet(false)) {
                connection.createStatement().execute("SELECT pg_terminate_backend(pg_backend_pid())");
            }
        });

        assertThatThrownBy(() -> broken.consume(change(1), settledBefore(0))).isInstanceOf(SQLException.class);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.entries()).isEmpty();

        broken.consume(change(1), settledBefore(0));
        assertThat(fixture.effects()).containsExactly("tx1");
    }

    @Test
    void a_worker_that_stalls_in_a_transaction_is_ended_by_the_server_and_another_continues() throws Exception {
        owner.consume(change(1), settledBefore(0));
        Consumer standing = AppliedLedger.builder(fixture.database.dataSource(), "orders")
                .statementTimeout(Duration.ofSeconds(1)) // in which it has to get to the one that waits
                .build()
                .consumer((connection, change) -> {
                    LedgerFixture.count(connection, change);
                    owner.consume(change, settledBefore(0)); // which waits for the other one, as long as it lives
                });

        assertThatThrownBy(() -> standing.consume(change(2), settledBefore(0))).isInstanceOf(StorageException.class);

        assertThat(fixture.effects()).containsExactly("tx1", "tx2");
    }

    @Test
    void a_commit_whose_confirmation_was_lost_took_place_and_does_not_again() throws Exception {
        AtomicBoolean loses = new AtomicBoolean(true);
        Consumer unsure = AppliedLedger.builder(losingConfirmations(loses), "orders")
                .migrate(false)
                .build()
                .consumer(LedgerFixture::count);

        assertThatThrownBy(() -> unsure.consume(change(1), settledBefore(0)))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isTrue())
                .hasMessage(
                        "applying 1 changes by the ledger 'orders' failed: the confirmation was lost; the same call may succeed later");
        unsure.consume(change(1), settledBefore(0));

        assertThat(fixture.effects()).containsExactly("tx1");
    }

    /**
     * Workers that bring the changes of one history, each from wherever it likes before what is settled: like many that do not
     * know that they lost their lease. All the while, rows below the low watermark are removed.
     */
    @Test
    void every_change_takes_effect_once_however_many_workers_bring_it_while_rows_are_removed() throws Exception {
        int changes = 300;
        int workers = 5;
        long seed = Long.getLong("ledger.seed", new Random().nextLong());
        SharedProgress progress = new SharedProgress(changes);
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            Random random = new Random(seed + worker);
            AppliedLedger own = fixture.ledger();
            calls.add(() -> {
                while (progress.lowWatermark() <= changes) {
                    long low = progress.lowWatermark();
                    long from = Math.max(1, low - random.nextInt(20));
                    long to = Math.min(changes, from + random.nextInt(30));
                    List<DataChangeRecord> batch = new ArrayList<>();
                    for (long second = from; second <= to; second++) {
                        batch.add(change(second));
                    }
                    Delivery delivery = settledBefore(Math.max(0, low - random.nextInt(3)));
                    own.apply(batch, Collections.nCopies(batch.size(), delivery), LedgerFixture::countAll);
                    progress.settle(from, to);
                    fixture.passTime(PAUSE);
                }
                return true;
            });
        }
        for (Future<Boolean> done : threads.invokeAll(calls)) {
            assertThat(done.get()).isTrue();
        }
        assertThat(fixture.effects())
                .as("-Dledger.seed=%d", seed)
                .hasSize(changes)
                .doesNotHaveDuplicates();
        assertThat(fixture.settledBelow()).as("rows were removed meanwhile").isPositive();
    }

    /** The state of one history's changes, over all workers. */
    private static final class SharedProgress {
        private final ReentrantLock lock = new ReentrantLock();
        private final TreeSet<Long> unsettled = new TreeSet<>(); // guarded by lock
        private final long end;

        SharedProgress(int changes) {
            for (long second = 1; second <= changes; second++) {
                unsettled.add(second);
            }
            this.end = changes + 1L;
        }

        void settle(long from, long to) {
            lock.lock();
            try {
                unsettled.subSet(from, true, to, true).clear();
            } finally {
                lock.unlock();
            }
        }

        long lowWatermark() {
            lock.lock();
            try {
                return unsettled.isEmpty() ? end : unsettled.first();
            } finally {
                lock.unlock();
            }
        }
    }

    private Connection transaction() throws SQLException {
        Connection connection = fixture.database.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private void untilBlockedBy(Connection connection) throws SQLException {
        String waiting = "SELECT pid FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid))"
                .formatted(connection.unwrap(PGConnection.class).getBackendPID());
        while (fixture.texts(waiting).isEmpty()) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** Connections that commit and then say, once, that they do not know. */
    private DataSource losingConfirmations(AtomicBoolean loses) {
        DataSource real = fixture.database.dataSource();
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    return result instanceof Connection connection ? losingConfirmation(connection, loses) : result;
                });
    }

    private Connection losingConfirmation(Connection real, AtomicBoolean loses) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(real, arguments);
                        if (method.getName().equals("commit") && loses.getAndSet(false)) {
                            throw new SQLTransientConnectionException("the confirmation was lost");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}

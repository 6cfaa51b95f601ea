package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ResultSet;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Money is transferred between accounts in Spanner while the accounts are mirrored into PostgreSQL and a reader adds up the
 * balances there. With whole transactions the sum never differs; without, it does.
 */
final class TransferInvariantIT {
    private static final int TRANSACTIONS = 200;

    @ParameterizedTest
    @EnumSource(TransactionMode.class)
    void the_sum_of_the_balances_is_constant_with_whole_transactions_alone(TransactionMode mode) throws Exception {
        TransferWorkload workload = new TransferWorkload(7);
        PostgresDatabase postgres = PostgresDatabase.create();
        Set<Long> sums = new ConcurrentSkipListSet<>();
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(7)
                        .churn(PartitionChurn.every(Duration.ofMillis(300)))
                        .faults(FaultRates.share(0.2))
                        .start();
                DemoDatabase database = DemoDatabase.create(
                        emulator.emulatorHost(),
                        Dialect.GOOGLE_STANDARD_SQL,
                        PartitionMode.IMMUTABLE_KEY_RANGE,
                        workload);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                        .emulatorHost(emulator.emulatorHost())
                        .open();
                SpannerChangeStreamSource source =
                        SpannerChangeStreamSource.open(connection.client(), DemoDatabase.STREAM);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Instant start = database.serverTime();
            long opening = copyAccounts(database, postgres);
            AtomicBoolean done = new AtomicBoolean();
            Future<?> reading = threads.submit(() -> {
                addUp(postgres, sums, done);
                return null;
            });
            JdbcMirror mirror =
                    JdbcMirror.builder(postgres.source(), "accounts").build();
            InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
            Future<?> writing = threads.submit(() -> {
                workload.run(database.client(), TRANSACTIONS, Duration.ofMillis(10), Duration.ofMinutes(5));
                return null;
            });
            run(source, storage, start, mode, mirror, threads, threads.submit(() -> {
                TimeUnit.SECONDS.sleep(2); // stopped in the middle
                return null;
            }));
            run(source, storage, start, mode, mirror, threads, threads.submit(() -> {
                writing.get();
                awaitLast(workload, postgres);
                return null;
            }));
            done.set(true);
            reading.get(1, TimeUnit.MINUTES);

            if (mode == TransactionMode.OFF) {
                assertThat(sums).hasSizeGreaterThan(1);
            } else {
                assertThat(sums).containsExactly(opening);
            }
        }
    }

    /** Runs until the task has ended. */
    private static void run(
            SpannerChangeStreamSource source,
            InMemoryPartitionStorage storage,
            Instant start,
            TransactionMode mode,
            JdbcMirror mirror,
            ExecutorService threads,
            Future<?> until)
            throws Exception {
        Subscriber subscriber = Subscriber.builder(source, storage)
                .options(options -> options.startAt(start)
                        .maxInflight(16)
                        .transactionMode(mode)
                        .heartbeatInterval(Duration.ofMillis(200)))
                .build();
        Future<?> run = threads.submit(() -> subscriber.run(mirror));
        until.get(2, TimeUnit.MINUTES);
        subscriber.close();
        run.get(1, TimeUnit.MINUTES);
    }

    private static long copyAccounts(DemoDatabase database, PostgresDatabase postgres) throws SQLException {
        long sum = 0;
        try (Connection connection = postgres.source().getConnection();
                Statement ddl = connection.createStatement();
                ResultSet rows = database.client()
                        .singleUse()
                        .read(DemoDatabase.TABLE, KeySet.all(), List.of("AccountId", "Balance"))) {
            ddl.execute(
                    "CREATE TABLE public.\"Accounts\" (\"AccountId\" text PRIMARY KEY, \"LastUpdate\" timestamptz, \"Balance\" bigint)");
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO public.\"Accounts\" (\"AccountId\", \"Balance\") VALUES (?, ?)")) {
                while (rows.next()) {
                    insert.setString(1, rows.getString(0));
                    insert.setLong(2, rows.getLong(1));
                    insert.execute();
                    sum += rows.getLong(1);
                }
            }
        }
        return sum;
    }

    private static void addUp(PostgresDatabase postgres, Set<Long> sums, AtomicBoolean done) throws SQLException {
        try (Connection connection = postgres.source().getConnection();
                PreparedStatement sum =
                        connection.prepareStatement("SELECT sum(\"Balance\") FROM public.\"Accounts\"")) {
            while (!done.get()) {
                try (java.sql.ResultSet row = sum.executeQuery()) {
                    row.next();
                    sums.add(row.getLong(1));
                }
            }
        }
    }

    private static void awaitLast(TransferWorkload workload, PostgresDatabase postgres) throws Exception {
        DemoCheck.BalanceChange last = workload.committed().getLast();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        try (Connection connection = postgres.source().getConnection();
                PreparedStatement read = connection.prepareStatement(
                        "SELECT \"LastUpdate\" FROM public.\"Accounts\" WHERE \"AccountId\" = ?")) {
            read.setString(1, last.account());
            while (true) {
                try (java.sql.ResultSet row = read.executeQuery()) {
                    row.next();
                    if (row.getTimestamp(1) != null
                            && !row.getTimestamp(1)
                                    .toInstant()
                                    .isBefore(last.commitTimestamp().minusNanos(999))) {
                        return;
                    }
                }
                assertThat(System.nanoTime())
                        .as("the mirror has the last transfer")
                        .isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }
}

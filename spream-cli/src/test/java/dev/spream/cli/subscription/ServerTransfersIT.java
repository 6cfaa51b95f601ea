package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Value;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.cli.RecordedRun;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Money is transferred between accounts on our emulator and, where it is found, on Google's, while partitions split and
 * merge. Each transaction, of two changes, is delivered once and whole; in commit order, the sum of the mirrored balances
 * is constant at all times.
 *
 * <p>Google's emulator has all changes of a transaction in one partition, and those of a key in unrelated partitions one
 * after the other: without commit order a mirror of it may be out of order, so there is none. To a live query it does not
 * return a change that was committed in the very microsecond in which one of its reads ended: such a run is repeated.
 */
@Timeout(120)
@Tag("proof")
final class ServerTransfersIT {
    private static final long SEED = Long.getLong("transfer.seed", System.nanoTime() % 1_000_000);
    private static final int ATTEMPTS = 3;
    private static final int TRANSFERS = 150;
    private static final long INTERVAL_NANOS = 20_000_000;

    /** A transaction as it was delivered. */
    private record Delivered(
            Instant committedAt, String id, boolean complete, List<String> sequences, Map<String, Long> balances) {
        static Delivered of(Transaction transaction) {
            Map<String, Long> balances = new TreeMap<>();
            for (DataChangeRecord change : transaction.changes()) {
                for (Mod mod : change.mods()) {
                    balances.put(
                            mod.keys().string("AccountId").orElseThrow(),
                            Long.valueOf(mod.newValues().string("Balance").orElseThrow()));
                }
            }
            return new Delivered(
                    transaction.commitTimestamp(),
                    transaction.serverTransactionId(),
                    transaction.isComplete(),
                    transaction.changes().stream()
                            .map(DataChangeRecord::recordSequence)
                            .toList(),
                    balances);
        }
    }

    static Stream<Arguments> serversAndModes() {
        Stream<Arguments> ours =
                Stream.of(Arguments.of(SpannerServers.ours(), Dialect.POSTGRESQL, TransactionMode.COMMIT_ORDER));
        Stream<Arguments> googles = SpannerServers.google().stream()
                .flatMap(server -> Stream.of(
                        Arguments.of(server, Dialect.POSTGRESQL, TransactionMode.WHOLE),
                        Arguments.of(server, Dialect.GOOGLE_STANDARD_SQL, TransactionMode.COMMIT_ORDER)));
        return Stream.concat(ours, googles);
    }

    @ParameterizedTest(name = "{2}, {1} on {0}")
    @MethodSource("serversAndModes")
    void each_transfer_is_delivered_once_and_whole(SpannerServer server, Dialect dialect, TransactionMode mode)
            throws Exception {
        Set<Instant> leftOut = transfer(server, dialect, mode);
        for (int attempt = 1; !leftOut.isEmpty(); attempt++) {
            System.out.printf("%s did not return, to live queries: %s%n", server, leftOut);
            assertThat(server).isNotEqualTo(SpannerServers.ours());
            assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
            leftOut = transfer(server, dialect, mode);
        }
    }

    /** Transfers, judges what was delivered, and returns the times of the transfers that the server did not return. */
    private static Set<Instant> transfer(SpannerServer server, Dialect dialect, TransactionMode mode) throws Exception {
        try (DemoDatabase database = DemoDatabase.create(
                        server.emulatorHost(), dialect, PartitionMode.IMMUTABLE_KEY_RANGE, new TransferWorkload(SEED));
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                        .emulatorHost(server.emulatorHost())
                        .open();
                HikariDataSource pool =
                        TransferInvariantIT.pool(PostgresDatabase.create().jdbcUrl());
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Map<String, Long> balances = TransferInvariantIT.copyAccounts(database.client(), pool);
            long total =
                    balances.values().stream().mapToLong(balance -> balance).sum();
            Instant start = database.serverTime();
            List<Delivered> delivered = new CopyOnWriteArrayList<>();
            TransactionConsumer recording = transaction -> delivered.add(Delivered.of(transaction));
            Consumer mirror = mode == TransactionMode.COMMIT_ORDER
                    ? JdbcMirror.builder(pool, "transfers").build()
                    : (TransactionConsumer) transaction -> {};
            try (TransferInvariantIT.Sums sums = new TransferInvariantIT.Sums(pool, threads);
                    RecordedRun run = run(connection, start, mode, recording);
                    RecordedRun mirroring = run(connection, start, mode, mirror)) {
                Map<Instant, Map<String, Long>> committed = write(database.client(), balances);
                Instant last = Collections.max(committed.keySet());
                run.awaitSettled(last);
                mirroring.awaitSettled(last);
                sums.close();

                Set<Instant> leftOut = run.leftOut(committed.keySet());
                leftOut.addAll(mirroring.leftOut(committed.keySet()));
                if (!leftOut.isEmpty()) {
                    return leftOut;
                }
                System.out.printf(
                        "transfers on %s, %s, %s, seed %d: %d transactions over %d partitions, %d looks with %d sums%n",
                        server,
                        dialect,
                        mode,
                        SEED,
                        delivered.size(),
                        run.partitions(),
                        sums.looks(),
                        sums.found().size());
                assertThat(run.partitions())
                        .as("partitions that split and merged")
                        .isGreaterThan(3);
                judge(delivered, committed, mode);
                if (mode == TransactionMode.COMMIT_ORDER) {
                    assertThat(TransferInvariantIT.balances(pool))
                            .as("seed %d", SEED)
                            .isEqualTo(balances);
                    assertThat(sums.found().keySet())
                            .as("the sums at all times, seed %d", SEED)
                            .containsExactly(total);
                }
                return Set.of();
            }
        }
    }

    private static RecordedRun run(
            SpannerConnection connection, Instant start, TransactionMode mode, Consumer consumer) {
        return new RecordedRun(
                connection.source(DemoDatabase.STREAM).build(),
                SubscriberOptions.builder().startAt(start).transactionMode(mode),
                consumer);
    }

    /** Transfers, and returns the balances that each transfer left, by its time. */
    private static Map<Instant, Map<String, Long>> write(DatabaseClient client, Map<String, Long> balances) {
        Random random = new Random(SEED);
        List<String> accounts = List.copyOf(balances.keySet());
        Map<Instant, Map<String, Long>> committed = new TreeMap<>();
        for (int i = 0; i < TRANSFERS; i++) {
            int from = random.nextInt(accounts.size());
            int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
            long amount = 1L + random.nextInt(100);
            balances.merge(accounts.get(from), -amount, Long::sum);
            balances.merge(accounts.get(to), amount, Long::sum);
            Map<String, Long> left = new TreeMap<>(balances);
            left.keySet().retainAll(Set.of(accounts.get(from), accounts.get(to)));
            committed.put(DemoDatabase.instant(client.write(mutations(left))), left);
            LockSupport.parkNanos(INTERVAL_NANOS);
        }
        return committed;
    }

    /** Updates of different columns, which are changes of their own. */
    private static List<Mutation> mutations(Map<String, Long> balances) {
        List<Mutation> mutations = new ArrayList<>();
        balances.forEach((account, balance) -> {
            Mutation.WriteBuilder update = Mutation.newUpdateBuilder(DemoDatabase.TABLE)
                    .set("AccountId")
                    .to(account)
                    .set("Balance")
                    .to(balance);
            mutations.add(
                    (mutations.isEmpty() ? update : update.set("LastUpdate").to(Value.COMMIT_TIMESTAMP)).build());
        });
        return mutations;
    }

    private static void judge(
            List<Delivered> delivered, Map<Instant, Map<String, Long>> committed, TransactionMode mode) {
        assertThat(delivered).as("seed %d", SEED).allMatch(Delivered::complete).hasSameSizeAs(committed.keySet());
        assertThat(delivered).extracting(Delivered::id).doesNotHaveDuplicates();
        assertThat(delivered)
                .extracting(Delivered::sequences)
                .allSatisfy(sequences -> assertThat(sequences).hasSize(2).isSorted());
        Map<Instant, Map<String, Long>> found = new TreeMap<>();
        delivered.forEach(transaction -> found.put(transaction.committedAt(), transaction.balances()));
        assertThat(found).as("seed %d", SEED).isEqualTo(committed);
        if (mode == TransactionMode.COMMIT_ORDER) {
            assertThat(delivered)
                    .isSortedAccordingTo(
                            Comparator.comparing(Delivered::committedAt).thenComparing(Delivered::id));
        }
    }
}

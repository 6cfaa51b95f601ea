package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers with pools of their own that meet at the same rows. */
@Timeout(120)
final class ConcurrentWorkersIT {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00.000000001Z");
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final int WORKERS = 4;
    private static final int CHILDREN = 50;

    private TestDatabase database;
    private List<HikariDataSource> pools;
    private List<JdbcPartitionStorage> storages;

    @BeforeEach
    void open() {
        database = TestDatabase.with(
                "concurrent workers", // the server counts the deadlocks of a database
                empty -> JdbcPartitionStorage.create(empty.dataSource(), "orders")
                        .close());
        pools = IntStream.range(0, WORKERS).mapToObj(i -> database.open()).toList();
        storages = pools.stream()
                .map(pool -> JdbcPartitionStorage.create(pool, "orders"))
                .toList();
    }

    @AfterEach
    void close() {
        pools.forEach(HikariDataSource::close);
        database.close();
    }

    @Test
    void batches_in_any_order_never_wait_in_a_circle() throws Exception {
        int partitions = 60;
        List<PartitionLease> leases = runningPartitions(partitions);
        together(worker -> {
            Random random = new Random(worker);
            JdbcPartitionStorage storage = storages.get(worker);
            for (int round = 1; round <= 60; round++) {
                List<PartitionLease> mine = new ArrayList<>(leases);
                Collections.shuffle(mine, random);
                Instant watermark = START.plusSeconds(round);
                switch (random.nextInt(4)) {
                    case 0 -> forAll(mine, left -> storage.renew(left, LEASE));
                    case 1 ->
                        forAll(
                                mine,
                                left -> storage.advanceWatermarks(left.stream()
                                        .map(lease -> new WatermarkAdvance(lease, watermark))
                                        .toList()));
                    case 2 -> addShuffled(storage, mine.getFirst(), round, random);
                    default ->
                        assertThat(storage.acquire(
                                        new WorkerId("thief"),
                                        mine.stream()
                                                .map(lease -> new PartitionClaim(lease.token(), lease.epoch()))
                                                .toList(),
                                        LEASE))
                                .isEmpty();
                }
                storage.cleanUp(START);
            }
            return null;
        });
        assertThat(count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                .as("deadlocks that the server had to break")
                .isZero();
    }

    @Test
    void parents_that_report_the_same_children_in_any_order_never_wait_in_a_circle() throws Exception {
        int rounds = 30;
        List<PartitionLease> parents = runningPartitions(WORKERS);
        CyclicBarrier eachRound = new CyclicBarrier(WORKERS);
        together(worker -> {
            Random random = new Random(worker);
            for (int round = 0; round < rounds; round++) {
                eachRound.await();
                addShuffled(storages.get(worker), parents.get(worker), round, random);
            }
            return null;
        });
        assertThat(storages.getFirst().lineage().partitions()).hasSize(1 + WORKERS + rounds * CHILDREN);
    }

    @Test
    void every_partition_has_one_owner_however_often_all_workers_want_all_of_them() throws Exception {
        int partitions = 40;
        storages.getFirst().release(runningPartitions(partitions));
        Map<String, WorkerId> owners = new ConcurrentHashMap<>();
        together(worker -> {
            Random random = new Random(worker);
            JdbcPartitionStorage storage = storages.get(worker);
            WorkerId me = new WorkerId("worker " + worker);
            for (int round = 0; round < 40; round++) {
                List<PartitionClaim> claims = new ArrayList<>(storage.frontier().claimable().stream()
                        .map(PartitionClaim::of)
                        .toList());
                Collections.shuffle(claims, random);
                List<PartitionLease> won = storage.acquire(me, claims, LEASE);
                won.forEach(lease -> assertThat(owners.putIfAbsent(lease.token() + " " + lease.epoch(), me))
                        .as("owner of %s in epoch %d", lease.token(), lease.epoch())
                        .isNull());
                assertThat(storage.renew(won, LEASE)).isEmpty();
                storage.release(won);
            }
            return null;
        });
        Map<PartitionToken, Long> epochs = new ConcurrentHashMap<>();
        storages.getFirst().frontier().partitions().forEach(p -> epochs.put(p.token(), p.epoch()));
        long acquired = epochs.values().stream().mapToLong(Long::longValue).sum();
        assertThat(owners)
                .as("one owner in each epoch after the first, which was taken beforehand")
                .hasSize((int) acquired - partitions);
    }

    @Test
    void a_child_that_is_being_removed_does_not_come_back_when_its_other_parent_reports_it_meanwhile()
            throws Exception {
        List<PartitionLease> parents = runningPartitions(2);
        JdbcPartitionStorage storage = storages.getFirst();
        WorkerId reader = new WorkerId("reader");
        for (int round = 0; round < 60; round++) {
            ChildPartitionsRecord merge = children(
                    "merged-" + round, parents.get(0).token(), parents.get(1).token());
            assertThat(storage.addChildren(parents.get(0), merge)).isTrue();
            PartitionToken child =
                    new PartitionToken(merge.childPartitions().getFirst().token());
            PartitionLease lease = storage.acquire(reader, List.of(new PartitionClaim(child, 0)), LEASE)
                    .getFirst();
            storage.markRunning(lease);
            storage.finish(lease, START.plusSeconds(9), PartitionEnd.boundedEnd(START.plusSeconds(9)));

            together(worker -> worker % 2 == 0
                    ? storages.get(worker).cleanUp(Instant.parse("9999-01-01T00:00:00Z"))
                    : storages.get(worker).addChildren(parents.get(1), merge));

            assertThat(storage.lineage().partition(child)).as("round %d", round).isEmpty();
        }
        assertThat(storage.proofs()).hasSize(60 + 1);
    }

    @Test
    void a_write_during_a_take_over_is_stored_exactly_if_it_is_reported_as_stored() throws Exception {
        PartitionLease first = runningPartitions(1).getFirst();
        List<PartitionLease> holders = Collections.synchronizedList(new ArrayList<>(List.of(first)));
        Set<PartitionToken> added = ConcurrentHashMap.newKeySet();
        Set<PartitionToken> refused = ConcurrentHashMap.newKeySet();
        together(worker -> {
            JdbcPartitionStorage storage = storages.get(worker);
            WorkerId me = new WorkerId("worker " + worker);
            for (int round = 0; round < 50; round++) {
                PartitionLease held = holders.getLast();
                ChildPartitionsRecord record = children("child-%d-%d".formatted(worker, round), held.token());
                PartitionToken child =
                        new PartitionToken(record.childPartitions().getFirst().token());
                (storage.addChildren(held, record) ? added : refused).add(child);
                storage.release(List.of(held));
                holders.addAll(storage.acquire(me, List.of(new PartitionClaim(held.token(), held.epoch())), LEASE));
            }
            return null;
        });
        Lineage lineage = storages.getFirst().lineage();
        assertThat(added)
                .isNotEmpty()
                .allMatch(child -> lineage.partition(child).isPresent());
        assertThat(refused)
                .isNotEmpty()
                .noneMatch(child -> lineage.partition(child).isPresent());
        assertThat(lineage.partition(first.token()).orElseThrow().epoch()).isEqualTo(holders.size());
        assertThat(holders.stream().map(PartitionLease::epoch).distinct()).hasSize(holders.size());
    }

    /**
     * Repeats the write for rows that stayed locked for too long, as the engine does: with four workers at the same rows, that is
     * a matter of luck. None may be lost.
     */
    private static void forAll(List<PartitionLease> leases, Function<List<PartitionLease>, Set<PartitionToken>> write) {
        List<PartitionLease> left = leases;
        while (!left.isEmpty()) {
            try {
                assertThat(write.apply(left)).isEmpty();
                return;
            } catch (BusyPartitionsException e) {
                assertThat(e.lost()).isEmpty();
                left = left.stream()
                        .filter(lease -> e.busy().contains(lease.token()))
                        .toList();
            }
        }
    }

    private void addShuffled(JdbcPartitionStorage storage, PartitionLease parent, int round, Random random) {
        List<ChildPartition> children = new ArrayList<>(IntStream.range(0, CHILDREN)
                .mapToObj(i -> new ChildPartition("child-%d-%d".formatted(round, i), List.of()))
                .toList());
        Collections.shuffle(children, random);
        assertThat(storage.addChildren(parent, new ChildPartitionsRecord(START, "0", children)))
                .isTrue();
    }

    private static ChildPartitionsRecord children(String token, PartitionToken... parents) {
        return new ChildPartitionsRecord(
                START.plusSeconds(5),
                "0",
                List.of(new ChildPartition(
                        token,
                        List.of(parents).stream().map(PartitionToken::value).toList())));
    }

    /** Opens the subscription, and starts to read that many children of its root. */
    private List<PartitionLease> runningPartitions(int count) {
        JdbcPartitionStorage storage = storages.getFirst();
        WorkerId worker = new WorkerId("first");
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        PartitionLease root = storage.acquire(worker, List.of(new PartitionClaim(PartitionToken.ROOT, 0)), LEASE)
                .getFirst();
        storage.markRunning(root);
        List<ChildPartition> children = IntStream.range(0, count)
                .mapToObj(i -> new ChildPartition("partition-" + i, List.of()))
                .toList();
        storage.addChildren(root, new ChildPartitionsRecord(START, "0", children));
        storage.finish(
                root,
                START,
                PartitionEnd.childPartitions(
                        START,
                        children.stream()
                                .map(child -> new PartitionToken(child.token()))
                                .toList()));
        List<PartitionLease> leases = storage.acquire(
                worker,
                storage.frontier().claimable().stream().map(PartitionClaim::of).toList(),
                LEASE);
        assertThat(leases).hasSize(count).allMatch(storage::markRunning);
        return leases;
    }

    private static void together(Work work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(WORKERS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Object>> calls = IntStream.range(0, WORKERS)
                    .mapToObj(worker -> (Callable<Object>) () -> {
                        start.await();
                        return Optional.ofNullable(work.run(worker));
                    })
                    .toList();
            for (Future<Object> call : threads.invokeAll(calls)) {
                call.get();
            }
        }
    }

    private int count(String question) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(question)) {
            result.next();
            return result.getInt(1);
        }
    }

    interface Work {
        @org.jspecify.annotations.Nullable
        Object run(int worker) throws Exception;
    }
}

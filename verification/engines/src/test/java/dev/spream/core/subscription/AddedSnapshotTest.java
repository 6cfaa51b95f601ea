package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A snapshot of tables that the stream watches later: its rows come after every change up to their time, and before every
 * later one, whatever stops in between.
 */
class AddedSnapshotTest {
    private static final Duration LEASE_TIME = Duration.ofHours(1);
    private static final CorrectionAct ACT = new CorrectionAct("ann@host", "table B is watched");

    /** The time of the rows. */
    private static final Instant T2 = at(5);

    private final AtomicReference<Instant> now = new AtomicReference<>(at(0));
    private final PartitionStorage storage = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
    private final List<DataChangeRecord> delivered = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(PartitionMode.class)
    void rows_come_after_all_changes_up_to_their_time_and_before_all_later_ones(PartitionMode mode)
            throws InterruptedException {
        ScriptedSource source = readUpTo3(mode);
        addSnapshot(T2, false, "b");
        writeOn(source);

        assertThat(run(source, storage, options -> options)).isEqualTo(CompletionReason.COMPLETED);

        requireOrder("row-b");
        assertThat(transactions())
                .filteredOn(transaction -> !transaction.startsWith("first"))
                .doesNotHaveDuplicates();
        requireProven();
        assertThat(storage.corrections())
                .hasSize(2)
                .last()
                .satisfies(
                        line -> assertThat(line.change()).endsWith("partitions are read on after the added snapshot"));
    }

    @Test
    void rows_wait_for_a_change_at_their_time_and_later_changes_for_every_row() throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(T2, false, "b");
        writeOn(source);
        CountDownLatch change = new CountDownLatch(1);
        CountDownLatch row = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((record, delivery) -> {
            delivered.add(record);
            if (record.serverTransactionId().equals("at-T2")) {
                SubscriberFixture.await(change);
            } else if (record.serverTransactionId().equals("row-b")) {
                SubscriberFixture.await(row);
            }
        });

        CompletableFuture<CompletionReason> run =
                new SubscriberFixture().start(subscriber(source, storage, options -> options.maxInflight(8)), consumer);
        awaitDelivered("at-T2");
        assertThat(source.queriesOf("snapshot:added:b")).isEmpty();
        change.countDown();
        awaitDelivered("row-b");
        assertThat(source.queriesOf("q").getLast().endTimestamp()).hasValue(T2);
        assertThat(findings()).as("while it is read").isEmpty();
        row.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        requireOrder("row-b");
    }

    @Test
    void whole_transactions_keep_the_order_too() throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(T2, false, "b");
        writeOn(source);

        assertThat(run(source, storage, options -> options.transactionMode(TransactionMode.WHOLE)))
                .isEqualTo(CompletionReason.COMPLETED);

        requireOrder("row-b");
    }

    @Test
    void rows_are_not_read_in_commit_order() throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(T2, false, "b");

        assertThatThrownBy(() -> run(source, storage, options -> options.transactionMode(TransactionMode.COMMIT_ORDER)))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("the snapshot of the stored subscription is not read yet");
    }

    @Test
    void a_second_snapshot_and_a_replaced_one_keep_the_order() throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(at(4), false, "expired");
        source.refuse(
                "snapshot:added:expired",
                query -> new SourceException(SourceException.Kind.FATAL, "the rows as of then are lost", null));
        source.change("q", 4, "B", "before-T2");
        source.serverTime(at(4).plusMillis(1));
        assertThatThrownBy(() -> run(source, storage, options -> options)).hasMessageContaining("are lost");
        assertThat(refused(new Correction.AddSnapshot(T2, partitions("b"), false)))
                .contains("a snapshot as of " + at(4) + " was added and is not settled", "--again");
        free();
        addSnapshot(T2, true, "b");
        assertThat(storage.lineage().partition(new PartitionToken("snapshot:added:expired")))
                .isEmpty();
        writeOn(source);
        source.change("snapshot:added:second", 10, "B", "second-row")
                .add("snapshot:added:second", endRecord("second", at(10)));
        CompletableFuture<CompletionReason> run = new SubscriberFixture()
                .start(subscriber(source.serverTime(at(6)), storage, options -> options), recording());
        awaitDelivered("last");
        stop(run);

        addSnapshot(at(10), false, "second");
        source.change("s", 11, "B", "after-second");
        source.serverTime(at(99));
        assertThat(run(source, storage, options -> options)).isEqualTo(CompletionReason.COMPLETED);

        requireOrder("row-b");
        assertThat(transactions()).containsSubsequence("last", "second-row", "after-second");
        assertThat(transactions().lastIndexOf("last")).isLessThan(transactions().indexOf("second-row"));
        requireProven();
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL_BEFORE", "FAIL_AFTER"})
    void a_crash_at_any_call_to_the_storage_loses_and_reorders_nothing(Verdict verdict) throws InterruptedException {
        int n = 1;
        while (new AddedSnapshotTest().isCrashed(n, verdict)) {
            n++;
        }
        assertThat(n).isGreaterThan(30);
    }

    private boolean isCrashed(int n, Verdict verdict) throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(T2, false, "b");
        writeOn(source);
        FaultyStorage crashing =
                new FaultyStorage(storage, false, (call, method) -> call >= n ? verdict : Verdict.PASS);
        try {
            run(source, crashing.storage(), options -> options);
            return false;
        } catch (RuntimeException e) {
            free(); // what the crashed worker held
            assertThat(run(source, storage, options -> options))
                    .as("crash at call %d", n)
                    .isEqualTo(CompletionReason.COMPLETED);
            requireOrder("row-b");
            requireProven();
            return true;
        }
    }

    @Test
    void two_workers_keep_the_order() throws InterruptedException {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        addSnapshot(T2, false, "b");
        writeOn(source);
        UnaryOperator<SubscriberOptions.Builder> quick =
                options -> options.partitionDiscoveryInterval(Duration.ofMillis(5));
        List<CompletableFuture<CompletionReason>> runs = List.of(
                new SubscriberFixture().start(subscriber(source, storage, quick), recording()),
                new SubscriberFixture().start(subscriber(source, storage, quick), recording()));

        for (CompletableFuture<CompletionReason> run : runs) {
            assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        }

        requireOrder("row-b");
        requireProven();
    }

    @Test
    void a_worker_that_was_not_registered_meanwhile_claims_nothing_that_it_saw_before() throws Exception {
        ScriptedSource source = readUpTo3(PartitionMode.IMMUTABLE_KEY_RANGE);
        CountDownLatch seen = new CountDownLatch(1);
        CountDownLatch corrected = new CountDownLatch(1);
        PartitionStorage paused = (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("registerWorker") && seen.getCount() == 0) {
                        SubscriberFixture.await(corrected);
                    }
                    Object result = method.invoke(storage, arguments);
                    if (method.getName().equals("frontierSince") && seen.getCount() > 0) {
                        seen.countDown();
                        SubscriberFixture.await(corrected);
                        Polling.await(() -> storage.workers().getFirst().alive(), () -> "not registered again");
                    }
                    return result;
                });
        CompletableFuture<CompletionReason> run = new SubscriberFixture()
                .start(subscriber(source, paused, options -> options.leaseTime(Duration.ofMillis(300))), recording());
        SubscriberFixture.await(seen);
        Thread.sleep(400); // its registration ends on its own clock
        free(); // and on that of the storage
        addSnapshot(T2, false, "b");
        writeOn(source);
        corrected.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);

        requireOrder("row-b");
    }

    /** Reads a stream of p, which splits into q and r, up to second 3, and stops. */
    private ScriptedSource readUpTo3(PartitionMode mode) throws InterruptedException {
        ScriptedSource source = new ScriptedSource().partitionMode(mode).serverTime(at(3));
        if (mode == PartitionMode.MUTABLE_KEY_RANGE) {
            source.start("Parent0", 0, "q", "r").end("Parent0");
        } else {
            source.roots("p").split("p", 1, "q", "r");
        }
        source.change("q", 2, "B", "first").change("r", 3, "A", "first-A");
        CompletableFuture<CompletionReason> run =
                new SubscriberFixture().start(subscriber(source, storage, options -> options), recording());
        awaitDelivered("first");
        awaitDelivered("first-A");
        stop(run);
        return source;
    }

    /** Writes on, on both sides of the time of the rows: in q until it splits after that, and in r. */
    private void writeOn(ScriptedSource source) {
        source.change("q", 4, "B", "before-T2").change("q", 5, "B", "at-T2");
        if (source.partitionMode() == PartitionMode.MUTABLE_KEY_RANGE) {
            source.start("q", 7, "s").endRecord("q", 7);
        } else {
            source.change("q", 6, "B", "after-T2").split("q", 7, "s");
        }
        if (source.partitionMode() == PartitionMode.MUTABLE_KEY_RANGE) {
            source.change("s", 7, "B", "after-T2");
        }
        source.change("s", 9, "B", "last").change("r", 6, "A", "after-T2-A");
        source.change("snapshot:added:b", 5, "B", "row-b").add("snapshot:added:b", endRecord("b", T2));
        source.serverTime(at(99));
    }

    private static PartitionEndRecord endRecord(String name, Instant at) {
        return new PartitionEndRecord(at.plusNanos(1), "", PartitionToken.ADDED_SNAPSHOT + name);
    }

    private void addSnapshot(Instant at, boolean again, String name) {
        CorrectionOutcome outcome = storage.correct(new Correction.AddSnapshot(at, partitions(name), again), ACT);
        assertThat(outcome).isInstanceOf(CorrectionOutcome.Planned.class);
        requireProven();
    }

    private String refused(Correction correction) {
        free();
        return ((CorrectionOutcome.Refused) storage.correct(correction, ACT)).reason();
    }

    private static Map<String, PartitionToken> partitions(String name) {
        return Map.of("B", new PartitionToken(PartitionToken.ADDED_SNAPSHOT + name));
    }

    private RecordingConsumer recording() {
        return new RecordingConsumer((change, delivery) -> delivered.add(change));
    }

    private CompletionReason run(
            ScriptedSource source, PartitionStorage through, UnaryOperator<SubscriberOptions.Builder> options)
            throws InterruptedException {
        return new SubscriberFixture().run(subscriber(source, through, options), recording());
    }

    @SuppressWarnings("NullAway.Init") // set by each test that shuts it down
    private Subscriber running;

    private Subscriber subscriber(
            ScriptedSource source, PartitionStorage through, UnaryOperator<SubscriberOptions.Builder> options) {
        running = Subscriber.builder(source, through)
                .options(options.apply(SubscriberOptions.builder()
                                .startAt(START)
                                .endAt(at(50))
                                .watermarkInterval(Duration.ofMillis(1))
                                .leaseTime(LEASE_TIME)
                                .partitionDiscoveryInterval(Duration.ofMillis(10)))
                        .build())
                .build();
        return running;
    }

    private void stop(CompletableFuture<CompletionReason> run) throws InterruptedException {
        running.shutdown(SubscriberFixture.BOUND);
        SubscriberFixture.get(run);
    }

    private void free() {
        now.updateAndGet(time -> time.plus(LEASE_TIME).plusSeconds(1));
    }

    private void awaitDelivered(String transaction) throws InterruptedException {
        Polling.await(
                () -> transactions().contains(transaction), () -> transaction + " is not among " + transactions());
    }

    private List<String> transactions() {
        return delivered.stream().map(DataChangeRecord::serverTransactionId).toList();
    }

    /** Checks the order around the rows; a change that came again counts each time. */
    private void requireOrder(String row) {
        List<String> all = transactions();
        List<String> before = List.of("first", "first-A", "before-T2", "at-T2");
        List<String> after = List.of("after-T2", "after-T2-A", "last");
        assertThat(all).containsAll(before).contains(row).containsAll(after);
        before.forEach(change ->
                assertThat(all.lastIndexOf(change)).as("%s in %s", change, all).isLessThan(all.indexOf(row)));
        after.forEach(change ->
                assertThat(all.indexOf(change)).as("%s in %s", change, all).isGreaterThan(all.lastIndexOf(row)));
    }

    private List<?> findings() {
        return LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                .findings();
    }

    private void requireProven() {
        assertThat(findings()).isEmpty();
    }
}

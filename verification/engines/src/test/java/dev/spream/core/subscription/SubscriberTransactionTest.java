package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.MissingChanges;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import dev.spream.core.subscription.transaction.MemoryBuffer;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole transactions, put together from the changes of several partitions. */
class SubscriberTransactionTest {
    private static final Duration RETENTION = Duration.ofDays(7);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<String> missing = new CopyOnWriteArrayList<>();
    private final SubscriptionListener listener = new SubscriptionListener() {
        @Override
        public void incompleteSettled(String transaction, Instant commitTimestamp, MissingChanges reason) {
            missing.add(transaction + " " + reason);
        }
    };

    @Test
    void a_transaction_of_two_partitions_is_delivered_once_it_is_complete() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(1, "t1", "1", 3, "A"))
                .add("q", change(1, "t1", "0", 3, "B"))
                .add("p", change(1, "t1", "2", 3, "C"))
                .add("q", change(2, "t2", "0", 1, "B"));

        run(options -> options.maxInflight(4));

        assertThat(delivered).containsExactly("t1 B0 A1 C2", "t2 B0");
        assertThat(fixture.state("p")).isEqualTo(PartitionState.FINISHED);
    }

    @Test
    void transactions_with_a_common_key_come_in_commit_order_and_others_do_not_wait() throws InterruptedException {
        CountDownLatch other = new CountDownLatch(1);
        source.roots("p", "q")
                .add("p", change(1, "t1", "0", 2, "A"))
                .add("p", change(2, "t2", "0", 1, "A"))
                .add("p", change(3, "t3", "0", 1, "C"));
        Subscriber subscriber = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) transaction -> {
            record(transaction);
            other.countDown();
        });
        SubscriberFixture.await(other);
        assertThat(delivered).containsExactly("t3 C0");

        source.add("q", change(1, "t1", "1", 2, "B"));

        Polling.await(() -> delivered.size() == 3, () -> delivered);
        assertThat(delivered).containsExactly("t3 C0", "t1 A0 B1", "t2 A0");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void in_commit_order_no_transaction_comes_before_every_partition_was_read_past_it() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(2, "t2", "0", 1, "A"))
                .add("p", change(4, "t4", "0", 1, "A"))
                .add("p", change(4, "t3", "0", 1, "B"));
        Subscriber subscriber =
                subscriber(options -> options.maxInflight(4).transactionMode(TransactionMode.COMMIT_ORDER));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) this::record);
        Polling.await(() -> source.rowsReturned("p") == 3, source::queries);
        assertThat(delivered).isEmpty();

        source.add("q", change(1, "t1", "0", 1, "Z")).heartbeat("q", 3);
        Polling.await(() -> delivered.size() == 2, () -> delivered);
        assertThat(delivered).containsExactly("t1 Z0", "t2 A0");

        source.heartbeat("p", 5).heartbeat("q", 5);
        Polling.await(() -> delivered.size() == 4, () -> delivered);
        assertThat(delivered).containsExactly("t1 Z0", "t2 A0", "t3 B0", "t4 A0");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void no_watermark_passes_a_change_before_its_transaction_is_settled() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(1, "t1", "0", 2, "A"))
                .add("p", change(2, "t2", "0", 1, "C"))
                .heartbeat("p", 5)
                .heartbeat("q", 0);
        Subscriber subscriber = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) this::record);
        Polling.await(() -> delivered.size() == 1, () -> delivered);
        subscriber.close();
        SubscriberFixture.get(run);

        assertThat(delivered).containsExactly("t2 C0");
        assertThat(fixture.stored("p").watermark()).isBeforeOrEqualTo(at(1));
    }

    @Test
    void a_transaction_settled_before_a_restart_may_come_again_in_part_and_says_so() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(2, "t2", "0", 2, "A"))
                .add("q", change(2, "t2", "1", 2, "B"))
                .heartbeat("p", 6);
        Subscriber first = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> run = fixture.start(first, (TransactionConsumer) this::record);
        Polling.await(
                () -> fixture.storage
                        .lineage()
                        .partition(new PartitionToken("p"))
                        .filter(p -> p.watermark().equals(at(6)))
                        .isPresent(),
                () -> delivered);
        first.close();
        SubscriberFixture.get(run);
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(6));
        assertThat(fixture.stored("q").watermark()).isEqualTo(at(2));
        delivered.clear();

        Subscriber second = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> again = fixture.start(second, (TransactionConsumer) this::record);
        source.heartbeat("q", 9);
        Polling.await(() -> fixture.isStoredAt("q", at(9)), () -> delivered);
        second.close();
        SubscriberFixture.get(again);

        assertThat(delivered).containsExactly("t2 B1 incomplete");
        assertThat(missing).containsExactly("t2 SETTLED_BEFORE");
    }

    @Test
    void a_transaction_that_cannot_become_complete_is_delivered_as_it_is() throws InterruptedException {
        source.roots("p", "q").add("p", change(1, "t1", "0", 2, "A")).heartbeat("p", 5);

        run(options -> options.maxInflight(4));

        assertThat(delivered).containsExactly("t1 A0 incomplete");
        assertThat(missing).containsExactly("t1 UNKNOWN");
    }

    @ParameterizedTest
    @CsvSource({"p, 1", "q, 0"})
    void a_transaction_whose_other_changes_are_in_an_accepted_gap_says_so(String lost, int rowsBefore)
            throws InterruptedException {
        source.roots("p", "q").add("p", change(1, "t1", "0", 2, "A")).retention(RETENTION);
        source.add("p", change(150, "t2", "0", 1, "B")).heartbeat("q", 151);
        source.serverTime(at(50).plus(RETENTION));
        source.fault(lost, new ScriptedSource.Fault.Break(rowsBefore, SourceException.Kind.RETENTION_LOST));

        SubscriberFixture.get(fixture.start(
                subscriber(options -> options.endAt(at(200)).maxInflight(4).retentionLoss(RetentionLoss.ACCEPT_GAP)),
                (TransactionConsumer) this::record));

        assertThat(delivered).containsExactlyInAnyOrder("t1 A0 incomplete", "t2 B0");
        assertThat(missing).containsExactly("t1 GAP");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_transaction_whose_other_changes_an_operator_skipped_says_so(boolean finishedAndRemoved)
            throws InterruptedException {
        source.roots("p", "q").add("p", change(2, "t2", "0", 2, "A")).add("q", change(2, "t2", "1", 2, "B"));
        skipInQ();
        if (finishedAndRemoved) {
            PartitionLease q = acquire(new PartitionToken("q"));
            fixture.storage.finish(q, at(9), new PartitionEnd(PartitionEnd.Kind.BOUNDED_END, at(9), List.of()));
            assertThat(fixture.storage.cleanUp(
                            fixture.storage.lineage().readAt().plusSeconds(1)))
                    .isPositive();
        }

        run(options -> options.maxInflight(4));

        assertThat(delivered).containsExactly("t2 A0 incomplete");
        assertThat(missing).containsExactly("t2 GAP");
    }

    /** The rest of the transaction is settled, which shows once the destination was read further. */
    @Test
    void a_move_from_a_finished_partition_ends_a_transaction_of_its_time() throws InterruptedException {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .start("Parent0", 0, "p", "q", "r")
                .end("Parent0")
                .add("p", change(2, "t2", "0", 2, "A"))
                .moves("p", 2, List.of(), List.of("q"))
                .endRecord("p", 2)
                .add("q", change(2, "t2", "1", 2, "B"))
                .serverTime(at(3));
        Subscriber first = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> run = fixture.start(first, (TransactionConsumer) this::record);
        Polling.await(
                () -> fixture.storage
                        .lineage()
                        .partition(new PartitionToken("p"))
                        .filter(PartitionMetadata::isFinished)
                        .isPresent(),
                () -> delivered);
        first.close();
        SubscriberFixture.get(run);
        assertThat(fixture.stored("q").watermark()).isEqualTo(at(2));
        delivered.clear();

        source.moves("q", 2, List.of("p"), List.of())
                .moves("q", 2, List.of(), List.of("r"))
                .add("q", change(3, "t3", "0", 1, "B"))
                .moves("r", 2, List.of("q"), List.of())
                .heartbeat("r", 9)
                .serverTime(at(10));
        Subscriber second = subscriber(options -> options.maxInflight(4).leaseTime(Duration.ofSeconds(3)));
        CompletableFuture<CompletionReason> again = fixture.start(second, (TransactionConsumer) this::record);
        source.heartbeat("q", 9);
        Polling.await(() -> fixture.isStoredAt("q", at(9)), () -> delivered);
        second.close();
        SubscriberFixture.get(again);

        assertThat(delivered).containsExactly("t2 B1 incomplete", "t3 B0");
        assertThat(missing).containsExactly("t2 SETTLED_BEFORE");
    }

    @Test
    void a_partition_that_is_read_again_in_the_same_process_says_so() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(2, "t2", "0", 2, "A"))
                .add("q", change(2, "t2", "1", 2, "B"))
                .heartbeat("p", 6);
        AtomicBoolean paused = new AtomicBoolean();
        fixture.storage = new FaultyStorage(
                        fixture.storage,
                        true,
                        (call, method) -> paused.get() && method.equals("advanceWatermarks")
                                ? FaultyStorage.Verdict.FAIL_BEFORE
                                : FaultyStorage.Verdict.PASS)
                .storage();
        paused.set(true);
        Subscriber subscriber =
                subscriber(options -> options.maxInflight(4).partitionDiscoveryInterval(Duration.ofMillis(20)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) this::record);
        Polling.await(() -> delivered.size() == 1, () -> delivered);
        PartitionMetadata taken = fixture.stored("q");
        fixture.storage.release(List.of(
                new PartitionLease(taken.token(), taken.owner().orElseThrow(), taken.epoch(), taken.watermark())));
        source.heartbeat("q", 6);

        Polling.await(() -> delivered.size() == 2, () -> delivered);
        paused.set(false);
        subscriber.close();
        SubscriberFixture.get(run);
        assertThat(delivered.getLast()).isEqualTo("t2 B1 incomplete");
        assertThat(missing).containsExactly("t2 SETTLED_BEFORE");
    }

    /** Stores p and q, with a gap of q from the start to 5. */
    private void skipInQ() {
        fixture.storage.openSubscription(new SubscriptionRecord(
                source.streamName(),
                START,
                Optional.of(at(9)),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        PartitionLease root = acquire(PartitionToken.ROOT);
        fixture.storage.addChildren(
                root,
                new ChildPartitionsRecord(
                        START, "", List.of(ChildPartition.of("p", List.of()), ChildPartition.of("q", List.of()))));
        fixture.storage.finish(
                root,
                START,
                new PartitionEnd(
                        PartitionEnd.Kind.CHILD_PARTITIONS,
                        START,
                        List.of(new PartitionToken("p"), new PartitionToken("q"))));
        fixture.storage.correct(
                new Correction.AddGap(new PartitionGap(START, at(5)), Set.of(new PartitionToken("q"))),
                new CorrectionAct("ann", "q is unreadable"));
    }

    private PartitionLease acquire(PartitionToken token) {
        PartitionMetadata stored = fixture.storage.lineage().partition(token).orElseThrow();
        PartitionLease lease = fixture.storage
                .acquire(new WorkerId("ann"), List.of(PartitionClaim.of(stored)), Duration.ofMinutes(10))
                .getFirst();
        fixture.storage.markRunning(lease);
        return lease;
    }

    @Test
    void a_partition_that_is_ahead_is_not_read_further_while_the_memory_is_full() throws InterruptedException {
        source.roots("p", "q");
        String large = "x".repeat(10_000);
        for (int i = 0; i < 500; i++) {
            source.add("p", change(1 + i, "t" + i, "0", 1, large + i));
        }
        Subscriber subscriber = subscriber(options -> options.maxInflight(4)
                .transactionMode(TransactionMode.COMMIT_ORDER)
                .maxBufferedBytes(SubscriberOptions.MIN_MAX_BUFFERED_BYTES));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) this::record);
        Polling.await(() -> source.rowsReturned("p") > 20, source::queries);
        TimeUnit.MILLISECONDS.sleep(200); // it would have read on

        assertThat(source.rowsReturned("p")).isLessThan(100);
        source.heartbeat("p", 600).heartbeat("q", 600);

        Polling.await(() -> delivered.size() == 500, delivered::size);
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void a_change_that_comes_while_its_transaction_is_delivered_is_delivered_by_itself() throws InterruptedException {
        CountDownLatch delivering = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        source.roots("p").add("p", change(1, "t1", "0", 1, "A"));
        Subscriber subscriber = subscriber(options -> options.maxInflight(4));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) transaction -> {
            delivering.countDown();
            SubscriberFixture.await(released);
            record(transaction);
        });
        SubscriberFixture.await(delivering);

        source.add("p", change(1, "t1", "1", 1, "A")).heartbeat("p", 2); // more than it says that there are
        Polling.await(() -> source.rowsReturned("p") == 3, source::queries);
        released.countDown();

        Polling.await(() -> delivered.size() == 2, () -> delivered);
        assertThat(delivered).containsExactly("t1 A0", "t1 A1");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void a_loss_whose_end_is_not_known_stops_the_subscription_while_a_transaction_waits_for_it() {
        source.roots("p", "q").add("p", change(1, "t1", "0", 2, "A"));
        source.fault("p", new ScriptedSource.Fault.Break(1, SourceException.Kind.TRANSIENT));
        source.refuse(
                "p",
                query -> source.queriesOf("p").size() < 2
                        ? null
                        : new SourceException(SourceException.Kind.RETENTION_LOST, "too old", null));
        Subscriber subscriber = subscriber(options -> options.maxInflight(4).retentionLoss(RetentionLoss.ACCEPT_GAP));

        assertThatThrownBy(() -> fixture.run(subscriber, (TransactionConsumer) this::record))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("Declare a retention_period");
        assertThat(delivered).isEmpty();
    }

    @Test
    void one_of_two_workers_that_hold_partitions_leaves_all_of_its_to_the_other() throws InterruptedException {
        source.roots("p", "q").add("p", change(1, "t1", "0", 2, "A"));
        Subscriber subscriber =
                subscriber(options -> options.maxInflight(4).partitionDiscoveryInterval(Duration.ofMillis(20)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) this::record);
        Polling.await(() -> source.rowsReturned("p") == 1 && isHeld("q"), source::queries);

        PartitionLease other = takeFromIt("q");
        Polling.await(() -> !isHeld("p"), source::queries);

        fixture.storage.release(List.of(other));
        source.add("q", change(1, "t1", "1", 2, "B"));
        Polling.await(() -> delivered.size() == 1, () -> delivered);
        assertThat(delivered).containsExactly("t1 A0 B1");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void no_transaction_overtakes_one_that_is_left_to_another_worker() throws InterruptedException {
        BlockingBuffer buffer = new BlockingBuffer();
        CompletableFuture<SubscriptionView> view = new CompletableFuture<>();
        fixture.storage = new FaultyStorage(fixture.storage, true, (call, method) -> {
                    if (method.equals("advanceWatermarks")) {
                        buffer.awaitDelivery(); // no partition is released before its watermark is stored
                    }
                    return FaultyStorage.Verdict.PASS;
                })
                .storage();
        source.roots("a", "b", "q")
                .heartbeat("a", 1)
                .add("a", change(2, "t1", "0", 3, "A"))
                .add("a", change(2, "t1", "1", 3, "x".repeat(1 << 20))) // so that leaving it concerns the buffer
                .heartbeat("b", 2)
                .heartbeat("q", 2);
        Subscriber subscriber = subscriber(options -> options.maxInflight(4)
                .partitionDiscoveryInterval(Duration.ofMillis(20))
                .maxBufferedBytes(SubscriberOptions.MIN_MAX_BUFFERED_BYTES)
                .transactionBuffer(() -> buffer)
                .listener(new SubscriptionListener() {
                    @Override
                    public void started(SubscriptionView subscription) {
                        view.complete(subscription);
                    }
                }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, (TransactionConsumer) transaction -> {
            if (transaction.serverTransactionId().equals("t0")) {
                buffer.delivering.complete(Thread.currentThread());
                SubscriberFixture.await(buffer.left);
            }
            record(transaction);
        });
        Polling.await(() -> buffer.added.get() == 1, source::queries);
        source.add("b", change(3, "t0", "0", 1, "B"));
        buffer.delivering.join();
        source.split("a", 4, "c").add("c", change(5, "t2", "0", 1, "A"));
        Polling.await(
                () -> view.join().held().stream()
                        .anyMatch(held -> held.token().value().equals("c") && held.inflight() == 1),
                source::queries);

        takeFromIt("q");
        Polling.await(() -> !isHeld("a") && !isHeld("b"), source::queries);

        assertThat(delivered).containsExactly("t0 B0");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    /** Takes a partition for a worker with an earlier id, so that it is the one that keeps its partitions. */
    private PartitionLease takeFromIt(String partition) {
        PartitionMetadata taken = fixture.stored(partition);
        fixture.storage.release(List.of(
                new PartitionLease(taken.token(), taken.owner().orElseThrow(), taken.epoch(), taken.watermark())));
        return fixture.storage
                .acquire(new WorkerId("!"), List.of(PartitionClaim.of(taken)), Duration.ofMinutes(10))
                .getFirst();
    }

    private boolean isHeld(String partition) {
        return fixture.storage
                .lineage()
                .partition(new PartitionToken(partition))
                .filter(PartitionMetadata::leaseLive)
                .isPresent();
    }

    @Test
    void a_failed_transaction_is_retried_and_dead_lettered_as_a_whole() throws InterruptedException {
        RecordingDeadLetterSink letters = new RecordingDeadLetterSink(new CopyOnWriteArrayList<>());
        source.roots("p", "q")
                .add("p", change(1, "t1", "0", 2, "A"))
                .add("q", change(1, "t1", "1", 2, "B"))
                .add("q", change(2, "t2", "0", 2, "B"))
                .add("p", change(2, "t2", "1", 2, "C"))
                .add("p", change(3, "t3", "0", 1, "C"))
                .add("p", change(4, "t4", "0", 1, "D"));
        SubscriberFixture.get(start(
                options -> options.maxInflight(4).deadLetterSink(letters).errorHandler(ErrorHandler.parkKey()),
                transaction -> {
                    if (transaction.serverTransactionId().equals("t1")) {
                        throw new IOException("unreachable");
                    }
                    record(transaction);
                }));

        assertThat(delivered).containsExactly("t4 D0");
        assertThat(letters.letters())
                .extracting(letter -> letter.change().serverTransactionId())
                .containsExactly("t1", "t1", "t2", "t2", "t3");
        assertThat(letters.letters())
                .extracting(DeadLetter::reason)
                .containsOnly(DeadLetter.Reason.PARKED, DeadLetter.Reason.BEHIND_PARKED);
    }

    @Test
    void nothing_of_a_transaction_is_dead_lettered_after_its_lease_is_lost() throws InterruptedException {
        AtomicBoolean unreachable = new AtomicBoolean();
        AtomicReference<CountDownLatch> lost = new AtomicReference<>(new CountDownLatch(1));
        fixture.storage = new FaultyStorage(
                        fixture.storage,
                        true,
                        (call, method) -> unreachable.get() && method.equals("renew")
                                ? FaultyStorage.Verdict.FAIL_BEFORE
                                : FaultyStorage.Verdict.PASS)
                .storage();
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        source.roots("p").add("p", change(1, "t1", "0", 2, "A")).add("p", change(1, "t1", "1", 2, "B"));
        SubscriberFixture.get(start(
                options -> options.leaseTime(Duration.ofMillis(300))
                        .partitionDiscoveryInterval(Duration.ofMillis(50))
                        .errorHandler(failure -> new ErrorDecision.DeadLetter())
                        .deadLetterSink(new DeadLetterSink() {
                            @Override
                            public void accept(DeadLetter letter) throws InterruptedException {
                                letters.add(letter);
                                lost.set(new CountDownLatch(1)); // on a busy machine one may have been lost before
                                unreachable.set(true);
                                SubscriberFixture.await(requireNonNull(lost.get()));
                                unreachable.set(false);
                            }

                            @Override
                            public Set<RecordKey> parkedKeys() {
                                return Set.of();
                            }
                        })
                        .listener(new SubscriptionListener() {
                            @Override
                            public void leaseLost(PartitionToken partition, long epoch) {
                                requireNonNull(lost.get()).countDown();
                            }
                        }),
                transaction -> {
                    if (letters.isEmpty()) {
                        throw new IOException("unreachable");
                    }
                    record(transaction);
                }));

        assertThat(letters).hasSize(1);
        assertThat(delivered).containsExactly("t1 A0 B1");
    }

    @Test
    void a_transaction_larger_than_the_memory_goes_through_the_buffer() throws InterruptedException {
        source.roots("p", "q");
        String large = "x".repeat(10_000);
        for (int i = 0; i < 200; i++) {
            source.add("p", change(1, "t1", "%04d".formatted(i), 201, large + i));
        }
        for (int i = 0; i < 200; i++) {
            source.add("p", change(2, "u" + i, "0", 1, large + i));
        }
        source.add("q", change(1, "t1", "9999", 201, "B"));
        CountingBuffer buffer = new CountingBuffer();

        run(options -> options.maxInflight(4)
                .maxBufferedBytes(SubscriberOptions.MIN_MAX_BUFFERED_BYTES)
                .transactionBuffer(() -> buffer));

        assertThat(delivered).hasSize(201);
        assertThat(delivered.getFirst()).startsWith("t1 ").endsWith(" B9999");
        assertThat(buffer.added).isPositive();
        assertThat(buffer.closed).isTrue();
    }

    @Test
    void a_consumer_of_single_changes_gets_those_of_a_transaction_one_after_the_other() throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(1, "t1", "1", 2, "A"))
                .add("q", change(1, "t1", "0", 2, "B"))
                .add("q", change(2, "t2", "0", 1, "C"));
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(
                subscriber(options -> options.endAt(at(9)).transactionMode(TransactionMode.COMMIT_ORDER)), consumer);

        assertThat(consumer.labels()).containsExactly("B1", "A1", "C2");
    }

    @Test
    void a_consumer_of_batches_gets_a_transaction_as_one_which_is_settled_or_fails_as_a_whole()
            throws InterruptedException {
        source.roots("p", "q")
                .add("p", change(1, "t1", "1", 2, "A"))
                .add("q", change(1, "t1", "0", 2, "B"))
                .add("q", change(2, "t2", "0", 1, "C"));
        BatchConsumer batches = batch -> {
            assertThat(batch.isTransaction()).isTrue();
            delivered.add(batch.changes().stream()
                    .map(DataChangeRecord::recordSequence)
                    .collect(Collectors.joining(" ", batch.changes().getFirst().serverTransactionId() + ": ", "")));
            batch.settle(0);
            if (delivered.size() == 1) {
                batch.fail(1, new IOException("unreachable"));
            }
        };

        fixture.run(
                subscriber(options -> options.endAt(at(9))
                        .transactionMode(TransactionMode.COMMIT_ORDER)
                        .errorHandler(
                                ErrorHandler.fixedBackoff(Duration.ofMillis(1)).forever())),
                batches);

        assertThat(delivered).containsExactly("t1: 0 1", "t1: 0 1", "t2: 0");
    }

    @Test
    void more_partitions_than_may_be_open_stop_the_subscription() {
        source.roots("p", "q").change("p", 1, "A");

        assertThatThrownBy(() -> run(options -> options.maxOpenPartitions(1)))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("whole transactions need all of them");
    }

    @Test
    void a_run_without_a_buffer_on_disk_says_so() throws InterruptedException {
        source.roots("p").add("p", change(1, "t1", "0", 1, "A"));
        try (LogLines lines = new LogLines(DeliveryStrategy.class)) {
            run(options -> options);
            assertThat(lines.of(Level.WARN, "Orders"))
                    .anySatisfy(line -> assertThat(line).contains("com.h2database:h2", "transactionBuffer"));
        }
    }

    /** Lets a delivery end when a change is first removed, and waits until its thread has. */
    private static final class BlockingBuffer implements ChangeBuffer {
        private final MemoryBuffer memory = new MemoryBuffer();
        private final AtomicInteger added = new AtomicInteger();
        private final CompletableFuture<Thread> delivering = new CompletableFuture<>();
        private final CountDownLatch left = new CountDownLatch(1);

        @Override
        public long add(DataChangeRecord change) {
            added.incrementAndGet();
            return memory.add(change);
        }

        @Override
        public DataChangeRecord read(long id) {
            return memory.read(id);
        }

        @Override
        public void remove(Collection<Long> ids) {
            if (left.getCount() > 0) {
                left.countDown();
                awaitDelivery();
            }
            memory.remove(ids);
        }

        void awaitDelivery() {
            try {
                delivering.join().join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static final class CountingBuffer implements ChangeBuffer {
        private final MemoryBuffer memory = new MemoryBuffer();
        private int added;
        private boolean closed;

        @Override
        public synchronized long add(DataChangeRecord change) {
            added++;
            return memory.add(change);
        }

        @Override
        public DataChangeRecord read(long id) {
            return memory.read(id);
        }

        @Override
        public void remove(Collection<Long> ids) {
            memory.remove(ids);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void run(UnaryOperator<SubscriberOptions.Builder> options) throws InterruptedException {
        SubscriberFixture.get(start(options, this::record));
    }

    private CompletableFuture<CompletionReason> start(
            UnaryOperator<SubscriberOptions.Builder> options, TransactionConsumer consumer) {
        return fixture.start(subscriber(builder -> options.apply(builder.endAt(at(9)))), consumer);
    }

    private Subscriber subscriber(UnaryOperator<SubscriberOptions.Builder> options) {
        return fixture.subscriber(builder -> options.apply(
                builder.heartbeatInterval(Duration.ofSeconds(10)).startAt(START).listener(listener)));
    }

    private void record(Transaction transaction) {
        StringBuilder line = new StringBuilder(transaction.serverTransactionId());
        for (DataChangeRecord change : transaction.changes()) {
            String key = change.mods().getFirst().keys().string("Id").orElseThrow();
            line.append(' ').append(key.length() > 9 ? "x" : key).append(Integer.parseInt(change.recordSequence()));
        }
        delivered.add(line.append(transaction.isComplete() ? "" : " incomplete").toString());
    }

    static DataChangeRecord change(long second, String transaction, String sequence, int records, String key) {
        DataChangeRecord change = ScriptedSource.newChange(second, key, transaction);
        return new DataChangeRecord(
                change.commitTimestamp(),
                sequence,
                transaction,
                true,
                change.tableName(),
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                records,
                Math.min(records, 2),
                "",
                false);
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The end of a gap in a stream with mutable key ranges, where partitions that started in it are found: the storage has the
 * partitions p and q, of which q has read nothing yet.
 */
class GapEndTest {
    private static final WorkerId ANN = new WorkerId("ann");
    private static final Instant GAP_END = at(5);
    private static final Duration A_WHILE = Duration.ofMillis(100);
    private static final List<String> NONE = List.of();

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final AtomicBoolean blinks = new AtomicBoolean();

    GapEndTest() {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE).livingLater("p", "q", "r");
        fixture.storage.openSubscription(new SubscriptionRecord(
                source.streamName(),
                START,
                Optional.of(at(90)),
                Duration.ofSeconds(10),
                PartitionMode.MUTABLE_KEY_RANGE,
                false));
        PartitionLease root = acquire(PartitionToken.ROOT.value());
        fixture.storage.addChildren(
                root,
                new ChildPartitionsRecord(
                        START, "", List.of(ChildPartition.of("p", List.of()), ChildPartition.of("q", List.of()))));
        fixture.storage.finish(root, START, PartitionEnd.childPartitions(START, List.of(token("p"), token("q"))));
    }

    @Test
    void a_partition_that_another_one_names_with_an_earlier_start_is_read_from_there() throws InterruptedException {
        storeGap("p");
        scriptEarlierStart();

        assertThat(runWithSlow("q")).containsExactlyInAnyOrder("R3", "P6");
        assertThat(fixture.stored("r").startTimestamp()).isEqualTo(at(2));
    }

    @Test
    void those_that_take_the_place_of_an_expired_partition_are_found_after_the_others_were_read_up_to_then()
            throws InterruptedException {
        scriptEarlierStart();
        source.retention(Duration.ofSeconds(1_000)).serverTime(at(1_004));
        source.refuse(
                "p", query -> new SourceException(SourceException.Kind.PARTITION_EXPIRED, "it has expired", null));

        assertThat(runWithSlow("q")).containsExactly("R3");
        assertThat(fixture.stored("p").gaps()).containsExactly(new PartitionGap(START, GAP_END));
        assertThat(fixture.stored("r").startTimestamp()).isEqualTo(at(2));
    }

    @Test
    void a_partition_that_was_acquired_at_a_later_watermark_than_was_known_has_no_gap() throws InterruptedException {
        PartitionLease lease = acquire("p");
        fixture.storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, GAP_END, Optional.empty())));
        fixture.storage.release(List.of(lease));
        scriptEarlierStart();
        AtomicBoolean first = new AtomicBoolean(true);
        PartitionStorage late = SimulationSabotages.spoilFrontier(
                fixture.storage, frontier -> first.getAndSet(false) ? before(frontier) : frontier);
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(
                Subscriber.builder(source, late)
                        .options(SubscriberFixture.quick().endAt(at(90)).build())
                        .build(),
                consumer);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("R3", "P6");
        assertThat(source.queriesOf(PartitionToken.ROOT.value())).isEmpty();
    }

    /** The source may have started and ended in the gap; nothing of it from before the end of the gap is read. */
    @Test
    void a_move_in_the_gap_from_a_partition_that_is_not_known_does_not_wait_for_its_end() throws InterruptedException {
        storeGap("p");
        source.moves("q", 2, List.of("in the gap"), NONE).change("q", 3, "Q").change("p", 6, "P");
        source.livingLater("p", "q");

        assertThat(runWithSlow("q")).containsExactlyInAnyOrder("Q3", "P6");
    }

    /** The lease begins behind the gap: only the lineage tells that the source has lost the move, and where from. */
    @Test
    void a_move_out_in_the_gap_of_a_source_that_is_acquired_again_waits_for_the_others() throws InterruptedException {
        PartitionLease lease = acquire("p");
        fixture.storage.addChildren(
                lease, new ChildPartitionsRecord(START, "", List.of(ChildPartition.of("r", List.of()))));
        fixture.storage.release(List.of(lease));
        storeGap("p");
        source.moves("r", 3, List.of("p"), NONE).change("r", 6, "R").change("q", 2, "Q");

        assertThat(runWithSlow("q")).containsExactly("Q2", "R6");
    }

    @Test
    void a_transaction_and_a_move_at_the_end_of_the_gap_do_not_wait_for_each_other() throws InterruptedException {
        for (TransactionMode mode : List.of(TransactionMode.WHOLE, TransactionMode.COMMIT_ORDER)) {
            GapEndTest fresh = new GapEndTest();
            fresh.storeGap("p");
            fresh.storeGap("q");
            fresh.source
                    .add("p", SubscriberTransactionTest.change(5, "t", "0", 2, "A"))
                    .moves("q", 5, List.of("in the gap"), NONE)
                    .add("q", SubscriberTransactionTest.change(5, "t", "1", 2, "B"))
                    .livingLater("p", "q");
            RecordingConsumer consumer = new RecordingConsumer();

            fresh.fixture.run(
                    fresh.fixture.subscriber(
                            options -> options.endAt(at(90)).maxInflight(4).transactionMode(mode)),
                    consumer);

            assertThat(consumer.labels()).as(mode.toString()).containsExactly("A5", "B5");
        }
    }

    /** The transaction is complete once p is read past it, where it waits for a partition that is not stored any more. */
    @Test
    void a_transaction_does_not_wait_for_a_source_that_only_partitions_at_the_end_of_the_gap_could_name()
            throws InterruptedException {
        storeGap("p");
        storeGap("q");
        source.add("p", SubscriberTransactionTest.change(5, "t1", "0", 1, "A"))
                .moves("p", 5, NONE, List.of("q"))
                .moves("p", 5, List.of("in the gap"), NONE)
                .add("p", SubscriberTransactionTest.change(6, "t3", "0", 1, "C"))
                .moves("q", 5, List.of("p"), NONE)
                .add("q", SubscriberTransactionTest.change(5, "t2", "1", 1, "B"))
                .livingLater("p", "q");
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(90))
                        .maxInflight(4)
                        .leaseTime(Duration.ofSeconds(1))
                        .transactionMode(TransactionMode.COMMIT_ORDER)),
                consumer);

        assertThat(consumer.labels()).containsExactly("A5", "B5", "C6");
    }

    /** The key came here in the gap, from a partition that another worker read. */
    @Test
    void keys_that_another_worker_parked_before_the_end_of_the_gap_stay_parked() throws InterruptedException {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        AtomicInteger loads = new AtomicInteger();
        DeadLetterSink sink = new DeadLetterSink() {
            @Override
            public void accept(DeadLetter letter) {
                letters.add(letter);
            }

            @Override
            public Set<RecordKey> parkedKeys() {
                boolean acquired = loads.incrementAndGet() <= 2; // p and q
                return acquired ? Set.of() : RecordKey.of(ScriptedSource.newChange(6, "tx", List.of("P")));
            }
        };
        storeGap("p");
        source.change("p", 6, "P").change("p", 7, "Free").livingLater("p", "q");

        assertThat(runWithSlow("q", options -> options.deadLetterSink(sink))).containsExactly("Free7");
        assertThat(letters).extracting(DeadLetter::reason).containsExactly(DeadLetter.Reason.BEHIND_PARKED);
    }

    /** Only a record of q tells the start of r. */
    private void scriptEarlierStart() {
        source.start("q", 2, "r").change("r", 3, "R").change("p", 6, "P");
    }

    /** Runs with a partition whose queries fail until the others had the time to read past it. */
    private List<String> runWithSlow(String partition) throws InterruptedException {
        return runWithSlow(partition, options -> options);
    }

    private List<String> runWithSlow(String partition, UnaryOperator<SubscriberOptions.Builder> more)
            throws InterruptedException {
        blinks.set(true);
        CountDownLatch refused = new CountDownLatch(1);
        source.refuse(partition, query -> {
            refused.countDown();
            return blinks.get() ? new SourceException(SourceException.Kind.TRANSIENT, "the server blinks", null) : null;
        });
        RecordingConsumer consumer = new RecordingConsumer();
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options ->
                        more.apply(options.endAt(at(90)).maxInflight(4).retentionLoss(RetentionLoss.ACCEPT_GAP))),
                consumer);
        Polling.await(() -> fixture.isStoredAt("p", GAP_END), () -> fixture.storage.lineage());
        SubscriberFixture.await(refused);
        Thread.sleep(A_WHILE);
        blinks.set(false);
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        return consumer.labels();
    }

    private void storeGap(String partition) {
        PartitionLease lease = acquire(partition);
        fixture.storage.acceptGap(lease, new PartitionGap(START, GAP_END));
        fixture.storage.release(List.of(lease));
    }

    private PartitionLease acquire(String partition) {
        PartitionLease lease = fixture.storage
                .acquire(ANN, List.of(PartitionClaim.of(fixture.stored(partition))), Duration.ofMinutes(10))
                .getFirst();
        fixture.storage.markRunning(lease);
        return lease;
    }

    /** Returns the lineage as it was before anything of p was settled. */
    private static Lineage before(Lineage lineage) {
        return Lineage.of(
                Stream.concat(
                                Stream.of(
                                        unsettled(lineage.partition(token("p")).orElseThrow())),
                                lineage.partitions().stream()
                                        .filter(stored -> !stored.token().equals(token("p"))))
                        .toList(),
                lineage.readAt());
    }

    private static PartitionMetadata unsettled(PartitionMetadata stored) {
        return new PartitionMetadata(
                stored.token(),
                stored.parentTokens(),
                stored.startTimestamp(),
                PartitionState.RUNNING,
                stored.startTimestamp(),
                stored.epoch(),
                stored.owner(),
                stored.leaseUntil(),
                stored.leaseLive(),
                stored.endProof(),
                stored.createdAt(),
                stored.scheduledAt(),
                stored.runningAt(),
                stored.finishedAt(),
                stored.gaps(),
                stored.moveIn(),
                stored.moveOuts());
    }

    private static PartitionToken token(String name) {
        return new PartitionToken(name);
    }
}

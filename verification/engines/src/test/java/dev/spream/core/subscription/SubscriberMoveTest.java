package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Streams with mutable key ranges: windows, partitions' ends, and the order of keys that move. */
class SubscriberMoveTest {
    private static final List<String> NONE = List.of();

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final CountDownLatch release = new CountDownLatch(1);

    SubscriberMoveTest() {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE);
    }

    @Test
    void a_split_is_read_to_its_end_and_in_order() throws InterruptedException {
        source.start("Parent0", 0, "p")
                .end("Parent0")
                .change("p", 1, "A")
                .start("p", 2, "c", "d")
                .moves("p", 2, NONE, List.of("c", "d"))
                .endRecord("p", 2)
                .moves("c", 2, List.of("p"), NONE)
                .change("c", 3, "A")
                .moves("d", 2, List.of("p"), NONE)
                .change("d", 3, "B");
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(subscriber(true), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "A3", "B3");
        assertThat(consumer.labels().indexOf("A1")).isLessThan(consumer.labels().indexOf("A3"));
        assertThat(stored("p").endProof())
                .contains(PartitionEnd.partitionEnd(at(2), List.of(new PartitionToken("c"), new PartitionToken("d"))));
        assertThat(source.queries()).allMatch(query -> windowIsAtMostHalfAnHour(query));
    }

    private static boolean windowIsAtMostHalfAnHour(PartitionQuery query) {
        return Duration.between(query.startTimestamp(), query.endTimestamp().orElseThrow())
                        .compareTo(Duration.ofMinutes(30))
                <= 0;
    }

    @Test
    void the_destination_waits_until_the_source_has_settled_everything_before_the_move() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        RecordingConsumer consumer = blockingOn("A1");
        CompletableFuture<CompletionReason> run = fixture.start(subscriber(false), consumer);
        Polling.await(() -> find("q").flatMap(PartitionMetadata::moveIn).isPresent(), () -> fixture.storage.lineage());

        assertThat(stored("q").moveIn()).contains(new MoveIn(at(2), List.of(new PartitionToken("p"))));
        assertThat(fixture.storage.lineage().awaitedSources(stored("q"))).containsExactly(new PartitionToken("p"));
        assertThat(consumer.labels()).doesNotContain("A3", "B4");
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsSubsequence("A1", "A3");
        assertThat(fixture.storage.lineage().awaitedSources(stored("q"))).isEmpty();
    }

    @Test
    void a_destination_read_ahead_waits_for_the_keys_in_flight_in_its_source_only() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        RecordingConsumer consumer = blockingOn("A1");
        CompletableFuture<CompletionReason> run = fixture.start(subscriber(true), consumer);
        Polling.await(() -> consumer.labels().contains("B4"), consumer::labels);

        assertThat(consumer.labels()).doesNotContain("A3");
        assertThat(stored("q").watermark()).isBeforeOrEqualTo(at(2));
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsSubsequence("A1", "A3");
    }

    @Test
    void without_order_nothing_waits() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        RecordingConsumer consumer = blockingOn("A1");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(o -> o.maxInflight(10).endAt(at(5)).ordering(Ordering.NONE)), consumer);
        Polling.await(() -> consumer.labels().containsAll(List.of("A3", "B4")), consumer::labels);
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void without_order_a_wait_that_a_worker_with_an_order_stored_does_not_count() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        Subscriber ordered = subscriber(false);
        CompletableFuture<CompletionReason> first = fixture.start(ordered, blockingOn("A1"));
        Polling.await(() -> find("q").flatMap(PartitionMetadata::moveIn).isPresent(), () -> fixture.storage.lineage());
        ordered.close();
        SubscriberFixture.get(first);

        RecordingConsumer consumer = blockingOn("A1");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(o -> o.maxInflight(10).endAt(at(5)).ordering(Ordering.NONE)), consumer);
        Polling.await(() -> consumer.labels().containsAll(List.of("A3", "B4")), consumer::labels);
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
    }

    /** Nothing is in flight, and the interval of watermarks is longer than the test. */
    @Test
    void each_move_out_of_a_source_without_changes_is_stored_at_once() throws InterruptedException {
        source.start("Parent0", 0, "p", "q").end("Parent0").serverTime(at(3));
        Subscriber running = Subscriber.builder(source, fixture.storage)
                .options(options()
                        .watermarkInterval(Duration.ofMinutes(10))
                        .partitionDiscoveryInterval(Duration.ofMillis(20))
                        .build())
                .readsAhead(false)
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(running, new RecordingConsumer());
        for (long second : List.of(2L, 3L, 4L)) {
            source.moves("p", second, NONE, List.of("q"));
            Polling.await(
                    () -> find("p")
                            .filter(p -> p.watermark().equals(at(second)))
                            .flatMap(PartitionMetadata::moveOuts)
                            .isPresent(),
                    () -> fixture.storage.lineage());
        }
        running.close();
        SubscriberFixture.get(run);
    }

    @Test
    void waits_of_partitions_that_no_worker_has_are_reported() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        Subscriber stopped = subscriber(false);
        CompletableFuture<CompletionReason> first = fixture.start(stopped, blockingOn("A1"));
        Polling.await(() -> find("q").flatMap(PartitionMetadata::moveIn).isPresent(), () -> fixture.storage.lineage());
        stopped.close();
        SubscriberFixture.get(first);

        List<Map<PartitionToken, MoveIn>> reported = new CopyOnWriteArrayList<>();
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void unclaimedWaitingForMoveIn(Map<PartitionToken, MoveIn> waiting) {
                reported.add(waiting);
            }
        };
        CompletableFuture<CompletionReason> run = fixture.start(
                Subscriber.builder(source, fixture.storage)
                        .options(options().listener(listener).build())
                        .readsAhead(false)
                        .build(),
                blockingOn("A1"));
        Polling.await(() -> !reported.isEmpty(), () -> fixture.storage.lineage());
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(reported)
                .containsExactly(
                        Map.of(new PartitionToken("q"), new MoveIn(at(2), List.of(new PartitionToken("p")))), Map.of());
    }

    /** It waited until its source was read to the move. */
    @Test
    void the_wait_of_a_partition_is_over_when_it_is_read_ahead() throws InterruptedException {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .change("p", 1, "A")
                .moves("q", 2, List.of("p"), NONE)
                .change("q", 3, "A")
                .change("q", 4, "B")
                .serverTime(at(4));
        List<String> events = new CopyOnWriteArrayList<>();
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void waitingForMoveIn(PartitionToken partition, MoveIn moveIn) {
                events.add("waits");
            }

            @Override
            public void moveInSettled(PartitionToken partition, MoveIn moveIn, Duration waited) {
                events.add("over");
            }
        };
        RecordingConsumer consumer = blockingOn("A1");
        CompletableFuture<CompletionReason> run = fixture.start(
                Subscriber.builder(source, fixture.storage)
                        .options(options()
                                .listener(listener)
                                .partitionDiscoveryInterval(Duration.ofMillis(20))
                                .build())
                        .readsAhead(true)
                        .build(),
                consumer);
        Polling.await(() -> events.equals(List.of("waits")), () -> fixture.storage.lineage());
        source.moves("p", 2, NONE, List.of("q")).heartbeat("p", 4);
        Polling.await(() -> consumer.labels().contains("B4"), consumer::labels);

        assertThat(events).startsWith("waits", "over");
        assertThat(consumer.labels()).doesNotContain("A3");
        release.countDown();
        source.serverTime(at(6));

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void an_event_with_an_earlier_sequence_than_the_last_one_stops_the_subscription() {
        source.start("Parent0", 0, "p", "q").end("Parent0").add("p", event("2")).add("p", event("1"));

        assertThatThrownBy(() -> fixture.run(subscriber(true), new RecordingConsumer()))
                .hasMessageContaining("the server returned the event 1 of %s after the event 2".formatted(at(2)));
    }

    @Test
    void keys_that_leave_for_one_partition_before_and_after_a_change_of_that_time_stop_the_subscription()
            throws InterruptedException {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .add("p", event("1"))
                .add("p", SubscriberTransactionTest.change(2, "t", "2", 1, "A"))
                .add("p", event("3"));

        assertThatThrownBy(() -> fixture.run(subscriber(true), new RecordingConsumer()))
                .hasMessageContaining("the event 3 of %s moves keys", at(2));

        RecordingConsumer unordered = new RecordingConsumer();
        fixture.storage = new SubscriberFixture().storage;
        fixture.run(fixture.subscriber(o -> o.endAt(at(5)).ordering(Ordering.NONE)), unordered);
        assertThat(unordered.labels()).containsExactly("A2");
    }

    /** The scheduler does not see that the first wait is over: the reader finds it. */
    @Test
    void the_end_of_a_wait_is_reported_before_the_next_one() throws InterruptedException {
        source.start("Parent0", 0, "p", "q", "r")
                .end("Parent0")
                .change("p", 1, "A")
                .moves("p", 2, NONE, List.of("q"))
                .heartbeat("p", 4)
                .change("r", 1, "B")
                .moves("r", 2, NONE, List.of("q"))
                .heartbeat("r", 4)
                .moves("q", 2, List.of("p"), NONE)
                .moves("q", 2, List.of("r"), NONE)
                .serverTime(at(10));
        List<String> events = new CopyOnWriteArrayList<>();
        AtomicBoolean settled = new AtomicBoolean();
        CountDownLatch scheduler = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void waitingForMoveIn(PartitionToken partition, MoveIn moveIn) {
                events.add("waits for " + moveIn.sources().getFirst());
            }

            @Override
            public void moveInSettled(PartitionToken partition, MoveIn moveIn, Duration waited) {
                events.add("over with " + moveIn.sources().getFirst());
            }

            @Override
            public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                if (watermarks.getOrDefault(new PartitionToken("p"), START).isAfter(at(1))) {
                    settled.set(true);
                }
            }

            @Override
            public void lowWatermark(Instant watermark) {
                if (!events.isEmpty()) {
                    held.countDown();
                    try {
                        scheduler.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        };
        CountDownLatch first = new CountDownLatch(1);
        Subscriber running = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .maxInflight(10)
                        .listener(listener)
                        .build())
                .readsAhead(false)
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(
                running,
                new RecordingConsumer(
                        (change, delivery) -> (delivery.partition().value().equals("p") ? first : release).await()));
        AtomicLong second = new AtomicLong(2);
        beatUntil("q", second, () -> events.size() == 1);
        SubscriberFixture.await(held);
        first.countDown();
        Polling.await(settled::get, () -> fixture.storage.lineage());
        beatUntil("q", second, () -> events.size() == 3);

        assertThat(events).hasSize(3).element(1).isEqualTo(events.get(0).replace("waits for", "over with"));
        scheduler.countDown();
        release.countDown();
        running.close();
        SubscriberFixture.get(run);
    }

    private void beatUntil(String partition, AtomicLong second, BooleanSupplier until) throws InterruptedException {
        Polling.await(
                () -> {
                    source.heartbeat(partition, second.incrementAndGet());
                    return until.getAsBoolean();
                },
                () -> fixture.storage.lineage());
    }

    @Test
    void repeated_events_of_one_time_are_taken_once() throws InterruptedException {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .add("p", event("1"))
                .add("p", event("2"))
                .add("p", event("1"))
                .add("p", event("2"));

        assertThat(fixture.run(subscriber(true), new RecordingConsumer())).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void changes_of_one_time_are_taken_as_they_are_returned_whatever_their_sequences() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer();
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .add("p", SubscriberTransactionTest.change(2, "s", "2", 1, "A"))
                .add("p", SubscriberTransactionTest.change(2, "t", "1", 1, "B"))
                .add("p", SubscriberTransactionTest.change(2, "s", "2", 1, "A"))
                .add("p", SubscriberTransactionTest.change(2, "u", "0", 1, "C"));

        assertThat(fixture.run(subscriber(true), consumer)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactlyInAnyOrder("A2", "B2", "C2");
    }

    private static PartitionEventRecord event(String sequence) {
        return new PartitionEventRecord(at(2), sequence, "p", NONE, List.of("q"));
    }

    @Test
    void key_ranges_that_two_partitions_exchange_at_one_time_do_not_wait_for_each_other() throws InterruptedException {
        for (boolean ahead : List.of(true, false)) {
            SubscriberFixture fresh = new SubscriberFixture();
            fresh.source
                    .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                    .start("Parent0", 0, "p", "q")
                    .end("Parent0")
                    .change("p", 2, "A")
                    .moves("p", 2, List.of("q"), NONE)
                    .moves("p", 2, NONE, List.of("q"))
                    .change("p", 3, "B")
                    .change("q", 2, "B")
                    .moves("q", 2, List.of("p"), List.of("p"))
                    .change("q", 3, "A");
            RecordingConsumer consumer = new RecordingConsumer();

            CompletionReason reason = fresh.run(
                    Subscriber.builder(fresh.source, fresh.storage)
                            .options(options().build())
                            .readsAhead(ahead)
                            .build(),
                    consumer);

            assertThat(reason).isEqualTo(CompletionReason.COMPLETED);
            assertThat(consumer.labels()).containsSubsequence("A2", "A3").containsSubsequence("B2", "B3");
        }
    }

    /** The move-ins are read after a restart at their very time, and the worker stops before it has read the move-outs. */
    @Test
    void partitions_that_exchange_key_ranges_are_read_on_after_a_stop_between_their_events()
            throws InterruptedException {
        source.serverTime(at(4))
                .start("Parent0", 0, "p", "q")
                .end("Parent0")
                .heartbeat("p", 2)
                .heartbeat("q", 2);
        runUntil(
                new RecordingConsumer(),
                () -> List.of("p", "q").stream()
                        .allMatch(token -> find(token)
                                .filter(stored -> stored.watermark().equals(at(2)))
                                .isPresent()));
        source.moves("p", 2, List.of("q"), NONE).moves("q", 2, List.of("p"), NONE);
        source.heartbeat("p", 2).heartbeat("q", 2);
        int rows = source.rowsReturned("p") + source.rowsReturned("q");
        runUntil(
                new RecordingConsumer(),
                () -> source.rowsReturned("p") + source.rowsReturned("q") == rows + 6); // those of the watermark again

        assertThat(stored("p").moveIn()).isEmpty();
        assertThat(stored("q").moveIn()).isEmpty();

        source.moves("p", 2, NONE, List.of("q")).moves("q", 2, NONE, List.of("p"));
        source.change("p", 3, "B").change("q", 3, "A");
        RecordingConsumer consumer = new RecordingConsumer();
        runUntil(consumer, () -> consumer.labels().size() == 2);
    }

    /** Runs without an end until then. */
    private void runUntil(RecordingConsumer consumer, BooleanSupplier until) throws InterruptedException {
        Subscriber subscriber = fixture.subscriber(options -> options);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        Polling.await(until, () -> fixture.storage.lineage());
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void a_key_that_moves_on_waits_for_all_partitions_it_came_from() throws InterruptedException {
        source.start("Parent0", 0, "p", "q", "r")
                .end("Parent0")
                .change("p", 1, "A")
                .moves("p", 2, NONE, List.of("q"))
                .moves("q", 2, List.of("p"), NONE)
                .moves("q", 3, NONE, List.of("r"))
                .moves("r", 3, List.of("q"), NONE)
                .change("r", 4, "A")
                .heartbeat("q", 4);
        for (boolean ahead : List.of(true, false)) {
            fixture.storage = new SubscriberFixture().storage;
            CountDownLatch consuming = new CountDownLatch(1);
            CountDownLatch letGo = new CountDownLatch(1);
            RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
                if (delivery.partition().value().equals("p")) {
                    consuming.countDown();
                    letGo.await();
                }
            });
            CompletableFuture<CompletionReason> run = fixture.start(subscriber(ahead), consumer);
            SubscriberFixture.await(consuming);
            Polling.await(() -> source.rowsReturned("r") >= 2, source::queries);

            assertThat(consumer.labels()).isEmpty();
            letGo.countDown();

            assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
            assertThat(consumer.labels()).containsExactly("A1", "A4");
        }
    }

    @Test
    void keys_wait_for_a_source_from_which_others_came_before() throws InterruptedException {
        source.start("Parent0", 0, "p", "q", "r")
                .end("Parent0")
                .change("p", 1, "A")
                .moves("p", 2, NONE, List.of("q"))
                .change("p", 4, "B")
                .moves("p", 5, NONE, List.of("q"))
                .moves("q", 2, List.of("p"), NONE)
                .moves("q", 3, NONE, List.of("r"))
                .moves("q", 5, List.of("p", "r"), NONE)
                .change("q", 6, "C")
                .moves("r", 3, List.of("q"), NONE)
                .moves("r", 5, NONE, List.of("q"))
                .serverTime(at(10));
        AtomicLong lineages = new AtomicLong();
        SubscriptionListener counting = new SubscriptionListener() {
            @Override
            public void lowWatermark(Instant watermark) {
                lineages.incrementAndGet();
            }
        };
        CountDownLatch first = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("p")) {
                (change.commitTimestamp().equals(at(1)) ? first : release).await();
            }
        });
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(o -> o.maxInflight(10)
                        .endAt(at(7))
                        .partitionDiscoveryInterval(Duration.ofMillis(10))
                        .listener(counting)),
                consumer);
        Polling.await(() -> source.queriesOf("q").size() > 1, source::queries); // it is read ahead
        first.countDown();
        Polling.await(() -> stored("r").isFinished(), () -> fixture.storage.lineage());
        long seen = lineages.get();
        Polling.await(() -> lineages.get() > seen + 3, lineages::get);

        assertThat(stored("q").watermark()).isBeforeOrEqualTo(at(5));
        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "C6");
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).hasSize(3).endsWith("B4");
    }

    @Test
    void changes_before_a_stored_move_out_are_not_delivered_again() throws InterruptedException {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .change("p", 2, "A", "00000001")
                .moves("p", 2, NONE, List.of("q"))
                .moves("p", 2, List.of("q"), NONE)
                .change("p", 3, "B")
                .change("q", 1, "B")
                .moves("q", 2, List.of("p"), List.of("p"))
                .change("q", 3, "A");
        RecordingConsumer first = blockingOn("B1");
        Subscriber stopped = subscriber(false);
        CompletableFuture<CompletionReason> run = fixture.start(stopped, first);
        Polling.await(
                () -> find("p").flatMap(PartitionMetadata::moveOuts).isPresent(), () -> fixture.storage.lineage());
        stopped.close();
        SubscriberFixture.get(run);
        assertThat(stored("p").watermark()).isEqualTo(at(2));

        RecordingConsumer second = new RecordingConsumer();
        assertThat(fixture.run(subscriber(false), second)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(second.labels())
                .doesNotContain("A2")
                .containsSubsequence("B1", "B3")
                .contains("A3");
    }

    @Test
    void a_reader_that_waits_leaves_its_place_to_the_partition_it_waits_for() throws InterruptedException {
        twoLivingPartitionsAndAMove();
        RecordingConsumer consumer = new RecordingConsumer();
        CompletableFuture<CompletionReason> run = fixture.start(
                Subscriber.builder(source, fixture.storage)
                        .options(options().maxOpenPartitions(1).build())
                        .readsAhead(false)
                        .build(),
                consumer);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsSubsequence("A1", "A3").contains("B4");
    }

    @Test
    void a_window_that_brings_nothing_is_followed_by_the_next_one() throws InterruptedException {
        source.start("Parent0", 0, "p").end("Parent0").change("p", 7200, "A");
        source.serverTime(START.plus(Duration.ofHours(4)));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(9000))), consumer))
                .isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A7200");
        assertThat(source.queriesOf("p")).allMatch(query -> windowIsAtMostHalfAnHour(query));
        assertThat(stored("p").state()).isEqualTo(PartitionState.FINISHED);
    }

    @Test
    void a_destination_without_changes_passes_the_move_once_its_source_is_settled() throws InterruptedException {
        twoLivingPartitions();
        source.heartbeat("q", 4).serverTime(at(10));
        RecordingConsumer consumer = blockingOn("A1");
        Subscriber running = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick().build())
                .readsAhead(false)
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(running, consumer);
        AtomicLong second = new AtomicLong(4);
        Polling.await(
                () -> {
                    source.heartbeat("q", second.incrementAndGet());
                    return find("q").flatMap(PartitionMetadata::moveIn).isPresent();
                },
                () -> fixture.storage.lineage());

        assertThat(stored("q").watermark()).isEqualTo(at(2));
        release.countDown();

        Polling.await(() -> stored("q").watermark().isAfter(at(2)), () -> fixture.storage.lineage());
        running.close();
        SubscriberFixture.get(run);
    }

    /** The source may have been read by another process before, which parked the key after this one looked. */
    @Test
    void keys_parked_since_the_destination_was_acquired_stay_parked_after_the_move() throws InterruptedException {
        for (boolean ahead : List.of(true, false)) {
            SubscriberFixture fresh = new SubscriberFixture();
            fresh.source
                    .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                    .serverTime(at(4))
                    .start("Parent0", 0, "p", "q")
                    .end("Parent0")
                    .moves("p", 2, NONE, List.of("q"))
                    .change("q", 1, "B");
            RecordingDeadLetterSink letters = new RecordingDeadLetterSink(new CopyOnWriteArrayList<>());
            RecordingConsumer consumer = new RecordingConsumer();
            CompletableFuture<CompletionReason> run = fresh.start(
                    Subscriber.builder(fresh.source, fresh.storage)
                            .options(options().deadLetterSink(letters).build())
                            .readsAhead(ahead)
                            .build(),
                    consumer);
            Polling.await(() -> consumer.labels().contains("B1"), consumer::labels);
            letters.accept(behindParked(ScriptedSource.newChange(1, "A", "elsewhere")));

            fresh.source
                    .moves("q", 2, List.of("p"), NONE)
                    .change("q", 3, "A")
                    .heartbeat("p", 5)
                    .heartbeat("q", 5)
                    .serverTime(at(6));

            assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
            assertThat(consumer.labels()).containsExactly("B1");
            assertThat(letters.letters()).hasSize(2);
        }
    }

    /** The source waits for its turn until the destination has been read past the move. */
    @Test
    void in_commit_order_a_worker_that_has_the_source_of_moved_keys_reads_the_destination_too()
            throws InterruptedException {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .change("p", 2, "A", "t1")
                .moves("p", 2, NONE, List.of("q"))
                .heartbeat("p", 4)
                .moves("q", 2, List.of("p"), NONE)
                .change("q", 3, "A", "t2");
        Subscriber stopped = subscriber(false);
        CompletableFuture<CompletionReason> run = fixture.start(stopped, blockingOn("A2"));
        Polling.await(() -> find("q").flatMap(PartitionMetadata::moveIn).isPresent(), () -> fixture.storage.lineage());
        stopped.close();
        SubscriberFixture.get(run);
        assertThat(stored("p").moveOuts()).isEmpty();

        RecordingConsumer second = new RecordingConsumer();
        Subscriber inCommitOrder = Subscriber.builder(source, fixture.storage)
                .options(options().transactionMode(TransactionMode.COMMIT_ORDER).build())
                .build();
        assertThat(fixture.run(inCommitOrder, second)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(second.labels()).containsExactly("A2", "A3");
    }

    /** Only one wait of a partition is stored, and a source that was removed is known to be finished from that alone. */
    @Test
    void a_wait_that_another_one_replaced_is_stored_again() throws InterruptedException {
        source.start("Parent0", 0, "p", "q", "r")
                .end("Parent0")
                .moves("r", 2, NONE, List.of("q"))
                .endRecord("r", 2)
                .change("p", 1, "A")
                .moves("p", 2, NONE, List.of("q"))
                .heartbeat("p", 3)
                .serverTime(at(3));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber(true), blockingOn("A1"));
        Polling.await(
                () -> find("r").filter(PartitionMetadata::isFinished).isPresent(),
                () -> fixture.storage.lineage().partitions());
        fixture.storage.cleanUp(fixture.storage.lineage().readAt().plusSeconds(1));
        assertThat(find("r")).isEmpty();
        source.moves("q", 2, List.of("p"), NONE)
                .moves("q", 2, List.of("r"), NONE)
                .start("q", 3, "c")
                .moves("q", 3, NONE, List.of("c"))
                .endRecord("q", 3)
                .moves("c", 3, List.of("q"), NONE);
        Polling.await(
                () -> find("q")
                        .flatMap(PartitionMetadata::moveIn)
                        .filter(moveIn -> moveIn.sources().contains(new PartitionToken("p")))
                        .isPresent(),
                () -> fixture.storage.lineage().partitions());
        source.serverTime(at(9));
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(stored("q").moveIn()).contains(new MoveIn(at(2), List.of(new PartitionToken("r"))));
    }

    private static DeadLetter behindParked(DataChangeRecord change) {
        return new DeadLetter(
                DeadLetter.Reason.BEHIND_PARKED, new PartitionToken("p"), change, at(1), Optional.empty());
    }

    private void twoLivingPartitionsAndAMove() {
        twoLivingPartitions();
        source.change("q", 3, "A").change("q", 4, "B");
    }

    /** One after whose change keys move to the other. */
    private void twoLivingPartitions() {
        source.start("Parent0", 0, "p", "q")
                .end("Parent0")
                .change("p", 1, "A")
                .moves("p", 2, NONE, List.of("q"))
                .heartbeat("p", 4)
                .moves("q", 2, List.of("p"), NONE);
    }

    private Subscriber subscriber(boolean ahead) {
        return Subscriber.builder(source, fixture.storage)
                .options(options().build())
                .readsAhead(ahead)
                .build();
    }

    private static SubscriberOptions.Builder options() {
        return SubscriberFixture.quick().maxInflight(10).endAt(at(5));
    }

    private RecordingConsumer blockingOn(String label) {
        return new RecordingConsumer((change, delivery) -> {
            if (new RecordingConsumer.Consumed(change, delivery).label().equals(label)) {
                release.await();
            }
        });
    }

    private PartitionMetadata stored(String token) {
        return find(token).orElseThrow();
    }

    private Optional<PartitionMetadata> find(String token) {
        return fixture.storage.lineage().partition(new PartitionToken(token));
    }
}

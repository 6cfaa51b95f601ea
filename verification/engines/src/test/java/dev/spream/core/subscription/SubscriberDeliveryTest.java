package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the delivery of a partition's changes: order, failures and the decisions about them, watermarks. */
class SubscriberDeliveryTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void changes_of_a_partition_are_consumed_one_at_a_time_however_many_are_in_flight() throws InterruptedException {
        AtomicInteger concurrent = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            most.accumulateAndGet(concurrent.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            concurrent.decrementAndGet();
        });
        source.roots("p");
        for (int second = 1; second <= 300; second++) {
            source.change("p", second, "A");
        }

        fixture.run(fixture.subscriber(options -> options.maxInflight(20).endAt(at(300))), consumer);

        assertThat(most).hasValue(1);
        assertThat(consumer.consumed()).hasSize(300);
        assertThat(consumer.consumed().stream().map(c -> c.change().commitTimestamp()))
                .isSorted();
    }

    @Test
    void changes_that_came_together_are_consumed_while_children_behind_them_are_stored() throws InterruptedException {
        CompletableFuture<Void> consumed = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(3);
        FaultyStorage.Plan plan = new FaultyStorage.Plan() {
            @Override
            public FaultyStorage.Verdict judge(int call, String method) {
                return FaultyStorage.Verdict.PASS;
            }

            @Override
            public void inspect(String method, Object[] arguments) {
                if (method.equals("addChildren")
                        && ((PartitionLease) arguments[0]).token().value().equals("p")) {
                    consumed.orTimeout(SubscriberFixture.BOUND.toSeconds() / 2, TimeUnit.SECONDS)
                            .join();
                }
            }
        };
        fixture.storage = new FaultyStorage(fixture.storage, false, plan).storage();
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "C");
        source.split("p", 4, "q", "r").end("p");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), (change, delivery) -> {
            if (left.decrementAndGet() == 0) {
                consumed.complete(null);
            }
        });

        assertThat(fixture.state("p")).isEqualTo(PartitionState.FINISHED);
    }

    @Test
    void partitions_are_consumed_at_the_same_time() throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            both.countDown();
            SubscriberFixture.await(both);
        });
        source.roots("p", "q").change("p", 1, "A").change("q", 1, "B");

        fixture.run(fixture.subscriber(options -> options.endAt(at(2))), consumer);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "B1");
    }

    @Test
    void a_consumer_that_throws_a_cancellation_is_a_failure_and_no_success() {
        source.roots("p").change("p", 1, "A");
        for (Exception thrown : List.of(new CancellationException("its own http call"), new InterruptedException())) {
            SubscriberFixture fresh = new SubscriberFixture();
            fresh.source.roots("p").change("p", 1, "A");
            RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
                throw thrown;
            });

            assertThatThrownBy(() -> fresh.run(fresh.subscriber(), consumer))
                    .isInstanceOf(ConsumerException.class)
                    .hasCause(thrown);
            assertThat(fresh.state("p")).isEqualTo(PartitionState.RUNNING);
            assertThat(fresh.stored("p").watermark()).isEqualTo(START);
        }
    }

    @Test
    void an_error_thrown_by_a_consumer_takes_the_same_path_as_an_exception() {
        StackOverflowError error = new StackOverflowError();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            throw error;
        });
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), consumer))
                .isInstanceOf(ConsumerException.class)
                .hasCause(error)
                .hasMessageContaining("Orders/p")
                .hasMessageContaining("after 1 attempt; ")
                .hasMessageContaining("the watermark stays at " + START);
    }

    @Test
    void a_record_that_is_retried_keeps_its_place_and_its_watermark_and_then_the_rest_follows()
            throws InterruptedException {
        List<DeliveryFailure> failures = new CopyOnWriteArrayList<>();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.attempt() < 3 && change.commitTimestamp().equals(at(2))) {
                throw new IllegalStateException("not yet");
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "A");
        Subscriber subscriber = fixture.subscriber(
                options -> options.maxInflight(10).endAt(at(5)).errorHandler(failure -> {
                    failures.add(failure);
                    return new ErrorDecision.Retry(Duration.ofMillis(1));
                }));

        fixture.run(subscriber, consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A2", "A3");
        assertThat(consumer.consumed().get(1).delivery().attempt()).isEqualTo(3);
        assertThat(failures).extracting(DeliveryFailure::attempt).containsExactly(1, 2);
        assertThat(failures.getLast().firstFailureAt())
                .isEqualTo(failures.getFirst().failedAt());
        assertThat(failures.getLast().change().commitTimestamp()).isEqualTo(at(2));
        assertThat(failures.getLast().cause()).hasMessage("not yet");
        assertThat(failures.getLast().partition().value()).isEqualTo("p");
    }

    @Test
    void a_skipped_record_is_settled_and_holds_nothing_up() throws InterruptedException {
        RecordingConsumer consumer = failingOn("B");
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "C");

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(5)).errorHandler(failure -> new ErrorDecision.Skip())),
                consumer);

        assertThat(consumer.labels()).containsExactly("A1", "C3");
        assertThat(fixture.state("p")).isEqualTo(PartitionState.FINISHED);
    }

    @Test
    void a_dead_letter_is_settled_once_the_sink_has_it() throws InterruptedException {
        KeepingSink sink = new KeepingSink();
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "B");

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(5))
                        .deadLetterSink(sink)
                        .errorHandler(
                                failure -> failure.change().commitTimestamp().equals(at(2))
                                        ? new ErrorDecision.DeadLetter()
                                        : new ErrorDecision.Stop())),
                failingOnSecond(2));

        assertThat(sink.letters).extracting(DeadLetter::reason).containsExactly(DeadLetter.Reason.FAILED);
        assertThat(sink.letters.getFirst().failure()).isPresent();
    }

    @Test
    void a_parked_key_takes_its_later_changes_along_and_leaves_the_others() throws InterruptedException {
        KeepingSink sink = new KeepingSink();
        RecordingConsumer consumer = failingOn("B");
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "B")
                .change("p", 3, "B")
                .change("p", 4, "A");

        fixture.run(
                fixture.subscriber(options ->
                        options.endAt(at(5)).deadLetterSink(sink).errorHandler(failure -> new ErrorDecision.ParkKey())),
                consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A4");
        assertThat(sink.letters)
                .extracting(DeadLetter::reason)
                .containsExactly(DeadLetter.Reason.PARKED, DeadLetter.Reason.BEHIND_PARKED);
    }

    @Test
    void a_change_behind_a_parked_key_parks_its_other_keys_too_so_that_nothing_overtakes_it()
            throws InterruptedException {
        KeepingSink sink = new KeepingSink();
        RecordingConsumer consumer = failingOn("A");
        source.roots("p")
                .change("p", 1, "A")
                .add("p", ScriptedSource.newChange(2, "tx", List.of("A", "C")))
                .change("p", 3, "C")
                .change("p", 4, "B");

        fixture.run(
                fixture.subscriber(options ->
                        options.endAt(at(5)).deadLetterSink(sink).errorHandler(failure -> new ErrorDecision.ParkKey())),
                consumer);

        assertThat(consumer.labels()).containsExactly("B4");
        assertThat(sink.letters).hasSize(3);
    }

    @Test
    void a_key_that_was_parked_before_the_start_stays_parked() throws InterruptedException {
        KeepingSink sink = new KeepingSink();
        sink.parked.addAll(RecordKey.of(ScriptedSource.newChange(1, "A", "tx")));
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p").change("p", 1, "A").change("p", 2, "B");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5)).deadLetterSink(sink)), consumer);

        assertThat(consumer.labels()).containsExactly("B2");
        assertThat(sink.letters).hasSize(1);
    }

    @Test
    void a_key_that_another_worker_parked_is_parked_where_its_partition_goes_next() throws InterruptedException {
        KeepingSink sink = new KeepingSink();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) ->
                sink.parked.addAll(RecordKey.of(ScriptedSource.newChange(2, "B", "parked elsewhere"))));
        source.roots("p").change("p", 1, "A").split("p", 2, "c").change("c", 3, "B");

        fixture.run(
                fixture.subscriber(
                        options -> options.endAt(at(5)).deadLetterSink(sink).maxOpenPartitions(1)), // c begins after p
                consumer);

        assertThat(consumer.labels()).containsExactly("A1");
        assertThat(sink.letters).extracting(DeadLetter::reason).containsExactly(DeadLetter.Reason.BEHIND_PARKED);
    }

    @Test
    void setting_a_change_aside_without_a_sink_stops_and_does_not_lose_it() {
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> fixture.run(
                        fixture.subscriber(options -> options.errorHandler(f -> new ErrorDecision.DeadLetter())),
                        failingOn("A")))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("no dead letter sink is configured");
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
    }

    @Test
    void an_error_handler_that_throws_stops_the_subscription_with_both_failures() {
        source.roots("p").change("p", 1, "A");
        IllegalStateException broken = new IllegalStateException("handler");

        assertThatThrownBy(() -> fixture.run(
                        fixture.subscriber(options -> options.errorHandler(f -> {
                            throw broken;
                        })),
                        failingOn("A")))
                .isInstanceOf(ConsumerException.class)
                .hasCause(broken);
        assertThat(broken.getSuppressed()).hasSize(1);
    }

    @Test
    void a_slow_error_handler_holds_up_its_own_partition_and_no_other() throws InterruptedException {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = failingOn("A");
        source.roots("p", "q").change("p", 1, "A").change("q", 1, "B").change("q", 2, "B");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options -> options.endAt(at(5)).errorHandler(failure -> {
                    handling.countDown();
                    awaitUnchecked(release);
                    return new ErrorDecision.Skip();
                })),
                consumer);
        SubscriberFixture.await(handling);

        consumer.await(labels -> labels.equals(List.of("B1", "B2")));

        release.countDown();
        SubscriberFixture.get(run);
    }

    @Test
    void in_flight_work_of_other_partitions_is_not_interrupted_when_one_fails() throws InterruptedException {
        CountDownLatch slowStarted = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("slow")) {
                slowStarted.countDown();
                SubscriberFixture.await(failed);
                Polling.await(() -> source.openCursors() == 0, source::openCursors); // the others were told to stop
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            } else {
                SubscriberFixture.await(slowStarted);
                throw new IllegalStateException("fails");
            }
        });
        source.roots("slow", "bad")
                .change("slow", 1, "A")
                .change("slow", 2, "A")
                .change("bad", 1, "B");
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
                failed.countDown();
            }
        };

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(options -> options.listener(listener)), consumer))
                .isInstanceOf(ConsumerException.class);

        assertThat(consumer.labels()).startsWith("A1");
        assertThat(fixture.stored("slow").watermark()).isAfterOrEqualTo(at(1));
    }

    @Test
    void the_last_watermark_is_stored_after_the_stream_has_ended() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A");

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(5)).watermarkInterval(Duration.ofMinutes(10))),
                new RecordingConsumer());

        assertThat(fixture.stored("p").watermark()).isEqualTo(at(2));
    }

    @Test
    void a_watermark_waits_for_a_record_that_is_stuck_and_never_goes_back() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch stuck = new CountDownLatch(1);
        List<Instant> stored = new CopyOnWriteArrayList<>();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(2))) {
                stuck.countDown();
                SubscriberFixture.await(release);
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").heartbeat("p", 50);
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options -> options.maxInflight(5)
                        .endAt(at(60))
                        .listener(new SubscriptionListener() {
                            @Override
                            public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                                stored.addAll(watermarks.values());
                            }
                        })),
                consumer);
        SubscriberFixture.await(stuck);
        Polling.await(() -> stored.contains(at(1)), () -> stored);

        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
        release.countDown();

        SubscriberFixture.get(run);
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(50));
        assertThat(stored).isSorted();
    }

    @Test
    void no_watermark_is_stored_before_the_consumer_has_flushed() throws InterruptedException {
        Set<Instant> consumed = ConcurrentHashMap.newKeySet();
        Set<Instant> durable = ConcurrentHashMap.newKeySet();
        List<Instant> stored = new CopyOnWriteArrayList<>();
        Consumer buffered = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {
                consumed.add(change.commitTimestamp());
                if (change.commitTimestamp().equals(at(1_000))) {
                    Polling.await(() -> stored.size() > 1, () -> stored); // the root's end, and one on the way
                }
            }

            @Override
            public void flush() {
                durable.addAll(consumed);
            }
        };
        List<Instant> notDurable = new CopyOnWriteArrayList<>();
        FaultyStorage.Plan plan = new FaultyStorage.Plan() {
            @Override
            public FaultyStorage.Verdict judge(int call, String method) {
                return FaultyStorage.Verdict.PASS;
            }

            @Override
            public void inspect(String method, Object[] arguments) {
                if (method.equals("advanceWatermarks")) {
                    ((Collection<?>) arguments[0]).forEach(advance -> check(((WatermarkAdvance) advance).watermark()));
                } else if (method.equals("finish")) {
                    check((Instant) arguments[1]);
                }
            }

            private void check(Instant watermark) {
                stored.add(watermark);
                consumed.stream()
                        .filter(change -> change.isBefore(watermark) && !durable.contains(change))
                        .forEach(notDurable::add);
            }
        };
        fixture.storage = new FaultyStorage(fixture.storage, false, plan).storage();
        source.roots("p");
        for (int second = 1; second <= 2_000; second++) {
            source.change("p", second, "A");
        }

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(2_000)).watermarkInterval(Duration.ofMillis(1))),
                buffered);

        assertThat(stored).hasSizeGreaterThan(2);
        assertThat(notDurable).isEmpty();
    }

    @Test
    void a_flush_that_fails_leaves_the_watermark_where_it_was() {
        Consumer consumer = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {
                // kept in a buffer that never reaches the disk
            }

            @Override
            public void flush() throws IOException {
                throw new IOException("disk full");
            }
        };
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer))
                .isInstanceOf(ConsumerException.class)
                .hasRootCauseMessage("disk full");
        assertThat(fixture.storage.lineage().partitions())
                .allSatisfy(partition -> assertThat(partition.watermark()).isEqualTo(START));
    }

    @Test
    void a_thousand_records_cost_far_fewer_writes_of_metadata_than_records() throws InterruptedException {
        FaultyStorage counted = FaultyStorage.counting(fixture.storage);
        fixture.storage = counted.storage();
        source.roots("p");
        for (int second = 1; second <= 1_000; second++) {
            source.change("p", second, "A");
        }
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(2_000)).watermarkInterval(Duration.ofMillis(500))),
                consumer);

        assertThat(consumer.consumed()).hasSize(1_000);
        assertThat(counted.calls()).isLessThan(50);
    }

    @Test
    void a_listener_that_throws_disturbs_nothing() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p").change("p", 1, "A");
        SubscriptionListener broken = new SubscriptionListener() {
            @Override
            public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
                throw new IllegalStateException("listener");
            }
        };

        fixture.run(fixture.subscriber(options -> options.endAt(at(5)).listener(broken)), consumer);

        assertThat(consumer.labels()).containsExactly("A1");
    }

    @Test
    void options_out_of_range_are_refused_with_field_value_and_bound() {
        assertThatThrownBy(() -> SubscriberOptions.builder().maxInflight(0).build())
                .hasMessage("maxInflight is 0, must be 1 to 1000");
        assertThatThrownBy(() -> SubscriberOptions.builder().maxInflight(1_001).build())
                .hasMessage("maxInflight is 1001, must be 1 to 1000");
        assertThatThrownBy(() -> SubscriberOptions.builder()
                        .heartbeatInterval(Duration.ofMinutes(6))
                        .build())
                .hasMessage("heartbeatInterval is 6 min, must be 100 ms to 5 min");
        assertThatThrownBy(() ->
                        SubscriberOptions.builder().startAt(at(2)).endAt(at(1)).build())
                .hasMessageContaining("is before startTimestamp");
    }

    private static RecordingConsumer failingOn(String key) {
        return new RecordingConsumer((change, delivery) -> {
            if (change.mods().getFirst().keys().string("Id").orElseThrow().equals(key)) {
                throw new IllegalStateException("refused");
            }
        });
    }

    private static RecordingConsumer failingOnSecond(long second) {
        return new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(second))) {
                throw new IllegalStateException("refused");
            }
        });
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            SubscriberFixture.await(latch);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A dead letter sink in memory. */
    private static final class KeepingSink implements DeadLetterSink {
        final List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        final Set<RecordKey> parked = ConcurrentHashMap.newKeySet();

        @Override
        public void accept(DeadLetter letter) {
            letters.add(letter);
        }

        @Override
        public Set<RecordKey> parkedKeys() {
            return parked;
        }
    }
}

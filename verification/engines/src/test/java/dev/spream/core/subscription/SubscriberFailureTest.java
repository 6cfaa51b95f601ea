package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the engine neither hangs nor ends silently when user code or the storage misbehaves. */
class SubscriberFailureTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void an_interrupt_that_a_failing_consumer_leaves_behind_disturbs_neither_its_retry_nor_the_order()
            throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.attempt() == 1) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("wrapped an interrupt of its own");
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .maxInflight(3)
                .errorHandler(failure -> new ErrorDecision.Retry(Duration.ofMillis(1))));

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A1", "A2", "A3");
    }

    @ParameterizedTest
    @EnumSource(TransactionMode.class)
    void attempts_that_do_not_count_leave_all_others_of_the_limit(TransactionMode mode) throws InterruptedException {
        List<String> judged = new CopyOnWriteArrayList<>();
        ErrorHandler two =
                ErrorHandler.fixedBackoff(Duration.ofMillis(1)).maxAttempts(2).thenSkip();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            throw new IOException("unreachable");
        });
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .transactionMode(mode)
                .errorHandler(failure -> {
                    judged.add("%d, of them %d counted".formatted(failure.attempt(), failure.counted()));
                    return failure.attempt() < 3
                            ? new ErrorDecision.Retry(Duration.ofMillis(1), false)
                            : two.onFailure(failure);
                }));

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(judged)
                .containsExactly(
                        "1, of them 1 counted", "2, of them 1 counted", "3, of them 1 counted", "4, of them 2 counted");
    }

    @Test
    void a_lease_that_expired_in_a_pause_is_dropped_and_the_partition_claimed_again() throws InterruptedException {
        AtomicLong pause = new AtomicLong();
        RecordingConsumer consumer =
                new RecordingConsumer((change, delivery) -> pause.compareAndSet(0, LONG.toNanos()));
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .maxInflight(2)
                        .leaseTime(Duration.ofMillis(400))
                        .partitionDiscoveryInterval(Duration.ofMillis(20))
                        .build())
                .time(MonotonicTime.of(InstantSource.system(), () -> System.nanoTime() + pause.get()))
                .build();

        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.contains("A2"));
        subscriber.close();

        SubscriberFixture.get(run);
        assertThat(consumer.labels()).endsWith("A2");
    }

    @Test
    void a_failure_after_the_end_of_the_lease_is_left_to_the_next_owner() throws InterruptedException {
        AtomicLong pause = new AtomicLong();
        leavesToTheNextOwner(pause, MonotonicTime.of(InstantSource.system(), () -> System.nanoTime() + pause.get()));
    }

    /** The monotonic clock of a machine stands still while it is suspended. */
    @Test
    void a_failure_after_a_suspension_longer_than_the_lease_is_left_to_the_next_owner() throws InterruptedException {
        AtomicLong pause = new AtomicLong();
        leavesToTheNextOwner(pause, MonotonicTime.of(() -> Instant.now().plusNanos(pause.get()), System::nanoTime));
    }

    private void leavesToTheNextOwner(AtomicLong pause, MonotonicTime time) throws InterruptedException {
        List<DeliveryFailure> judged = new CopyOnWriteArrayList<>();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (pause.compareAndSet(0, LONG.toNanos())) {
                throw new IOException("timed out while the process stood still");
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .endAt(at(9))
                        .leaseTime(Duration.ofMillis(400))
                        .partitionDiscoveryInterval(Duration.ofMillis(20))
                        .errorHandler(failure -> {
                            judged.add(failure);
                            return new ErrorDecision.Skip();
                        })
                        .build())
                .time(time)
                .build();

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(judged).isEmpty();
        assertThat(consumer.labels()).endsWith("A1", "A2");
    }

    @Test
    void a_reader_that_fails_is_reported_although_its_consumer_is_stuck() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        Consumer stuck = (change, delivery) -> {
            started.countDown();
            new CountDownLatch(1).await();
        };
        source.roots("p")
                .change("p", 1, "A")
                .fault("p", new ScriptedSource.Fault.Break(2, SourceException.Kind.MALFORMED));
        Subscriber subscriber =
                fixture.subscriber(options -> options.maxInflight(3).drainTimeout(Duration.ofMillis(20)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, stuck);
        SubscriberFixture.await(started);

        source.change("p", 2, "A");

        assertThatThrownBy(() -> SubscriberFixture.get(run))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("cannot be read any further");
    }

    @Test
    void a_closed_source_is_a_failure_and_no_reason_to_reconnect() {
        source.roots("p").fault("p", new ScriptedSource.Fault.Break(0, SourceException.Kind.CANCELLED));
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(1)));

        assertThatThrownBy(() -> fixture.run(subscriber, new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class);
    }

    @Test
    void close_ends_the_run_although_a_partition_cannot_be_finished_for_now() throws InterruptedException {
        FaultyStorage faulty = failing((method) -> () -> method.equals("finish"));
        source.roots("p");
        Subscriber subscriber = fixture.subscriber(options -> options.leaseTime(Duration.ofMinutes(1)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());
        Polling.await(() -> faulty.calls("finish") > 0, faulty::calls);

        subscriber.close();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_watermark_that_cannot_be_stored_keeps_no_partition_from_finishing() throws InterruptedException {
        FaultyStorage faulty = failing((method) -> () -> method.equals("advanceWatermarks"));
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.commitTimestamp().equals(at(2))) {
                Polling.await(() -> faulty.calls("advanceWatermarks") > 0, faulty::calls);
            }
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A");

        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(9))), consumer))
                .isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void a_storage_that_is_away_for_longer_than_a_lease_costs_the_partition_and_not_the_subscription()
            throws InterruptedException {
        AtomicBoolean away = new AtomicBoolean();
        FaultyStorage faulty = failing(method -> away::get);
        source.roots("p").change("p", 1, "A").split("p", 2, "c", "d");
        RecordingConsumer consumer =
                new RecordingConsumer((change, delivery) -> away.compareAndSet(false, delivery.epoch() == 1));
        CountDownLatch lost = new CountDownLatch(1);
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9))
                .leaseTime(Duration.ofMillis(300))
                .partitionDiscoveryInterval(Duration.ofMillis(20))
                .listener(new SubscriptionListener() {
                    @Override
                    public void leaseLost(PartitionToken partition, long epoch) {
                        lost.countDown();
                    }
                }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(lost);
        long looks = faulty.calls("frontierSince");
        Polling.await(() -> faulty.calls("frontierSince") > looks, faulty::calls);

        away.set(false);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsOnly("A1");
    }

    @Test
    void close_ends_a_run_that_waits_for_its_storage_to_open() throws InterruptedException {
        FaultyStorage faulty = failing(method -> () -> true);
        Subscriber subscriber = fixture.subscriber();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());
        Polling.await(() -> faulty.calls() > 0, faulty::calls);

        subscriber.close();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_storage_that_blinks_when_asked_for_the_stored_start_stops_nothing() throws InterruptedException {
        AtomicBoolean once = new AtomicBoolean();
        failing(method -> () -> method.equals("subscription") && once.compareAndSet(false, true));
        source.roots("p");
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberOptions.builder().endAt(at(3600)).build())
                .build();
        source.serverTime(START);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());
        Polling.await(() -> !source.queriesOf("p").isEmpty(), source::queries);

        subscriber.close();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void shutdown_called_by_a_listener_does_not_wait_for_itself() throws InterruptedException {
        AtomicReference<Subscriber> self = new AtomicReference<>();
        source.roots("p");
        Subscriber subscriber = fixture.subscriber(options -> options.listener(new SubscriptionListener() {
            @Override
            public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
                requireNonNull(self.get()).shutdown(LONG);
            }
        }));
        self.set(subscriber);

        assertThat(fixture.run(subscriber, new RecordingConsumer())).isEqualTo(CompletionReason.SHUT_DOWN);
    }

    @Test
    void an_error_of_a_listener_goes_no_further() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber =
                fixture.subscriber(options -> options.endAt(at(9)).listener(new SubscriptionListener() {
                    @Override
                    public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
                        throw new AssertionError("listener");
                    }
                }));

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A1");
    }

    @Test
    void an_error_handler_that_throws_what_it_was_given_is_reported_as_such() {
        IllegalStateException refused = new IllegalStateException("refused");
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            throw refused;
        });
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.errorHandler(failure -> {
            throw refused;
        }));

        assertThatThrownBy(() -> fixture.run(subscriber, consumer))
                .isInstanceOf(ConsumerException.class)
                .hasMessageContaining("the error handler failed")
                .hasCause(refused);
    }

    @Test
    void an_interrupt_thrown_by_flush_does_not_end_the_storing_of_watermarks_in_silence() {
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), flushing(new InterruptedException("flush"))))
                .isInstanceOf(SubscriptionException.class);
    }

    @Test
    void partitions_are_given_back_although_the_last_flush_failed() {
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), flushing(new IOException("flush"))))
                .isInstanceOf(ConsumerException.class);

        assertThat(fixture.stored("p").owner()).isEmpty();
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
        assertThat(Set.copyOf(fixture.storage.workers())).isEmpty();
    }

    /** A consumer whose flush fails as soon as there is something to flush. */
    private static Consumer flushing(Exception failure) {
        AtomicBoolean consumed = new AtomicBoolean();
        return new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {
                consumed.set(true);
            }

            @Override
            public void flush() throws Exception {
                if (consumed.get()) {
                    throw failure;
                }
            }
        };
    }

    /** The unavailable methods. */
    private interface Outage {
        BooleanSupplier of(String method);
    }

    private FaultyStorage failing(Outage outage) {
        FaultyStorage faulty = new FaultyStorage(
                fixture.storage,
                true,
                (call, method) -> outage.of(method).getAsBoolean()
                        ? FaultyStorage.Verdict.FAIL_BEFORE
                        : FaultyStorage.Verdict.PASS);
        fixture.storage = faulty.storage();
        return faulty;
    }
}

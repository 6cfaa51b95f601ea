package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Shutdown, close, and losing a partition to another worker. */
class SubscriberStopTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void shutdown_lets_the_started_record_finish_and_leaves_the_rest_for_the_next_run() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            started.countDown();
            SubscriberFixture.await(release);
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.maxInflight(3));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(started);
        CompletableFuture<Boolean> shutdown = CompletableFuture.supplyAsync(() -> subscriber.shutdown(LONG));
        Polling.await(() -> source.openCursors() == 0, source::openCursors);
        assertThat(run).isNotDone();

        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(shutdown.join()).isTrue();
        assertThat(consumer.labels()).containsExactly("A1");
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
        assertThat(fixture.stored("p").owner()).isEmpty();
        assertThat(fixture.storage.workers()).isEmpty();

        RecordingConsumer next = new RecordingConsumer();
        fixture.source.serverTime(at(100));
        Subscriber second = fixture.subscriber();
        CompletableFuture<CompletionReason> secondRun = fixture.start(second, next);
        next.await(labels -> labels.size() == 3);
        assertThat(next.labels()).containsExactly("A1", "A2", "A3");
        assertThat(second.shutdown(LONG)).isTrue();
        SubscriberFixture.get(secondRun);
    }

    @Test
    void shutdown_stores_the_last_watermarks_however_seldom_they_are_stored_otherwise() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.watermarkInterval(Duration.ofMinutes(10)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 1);
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);

        assertThat(subscriber.shutdown(LONG)).isTrue();

        SubscriberFixture.get(run);
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
    }

    @Test
    void shutdown_past_its_timeout_interrupts_and_says_so() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(started);

        assertThat(subscriber.shutdown(Duration.ofMillis(20))).isFalse();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
        assertThat(interrupted).isTrue();
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
        assertThat(fixture.stored("p").owner()).isEmpty();
    }

    @Test
    void a_shutdown_that_another_thread_cuts_short_says_so() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber();
        CompletableFuture<CompletionReason> run =
                fixture.start(subscriber, new RecordingConsumer((change, delivery) -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                }));
        SubscriberFixture.await(started);
        CompletableFuture<Boolean> shutdown = CompletableFuture.supplyAsync(() -> subscriber.shutdown(LONG));
        Polling.await(() -> source.openCursors() == 0, source::openCursors);

        subscriber.close();

        assertThat(shutdown.join()).isFalse();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_consumer_that_ignores_its_interrupt_leaves_time_to_release_the_other_partitions()
            throws InterruptedException {
        CountDownLatch ignoring = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            while (change.commitTimestamp().equals(at(2)) && release.getCount() > 0) {
                ignoring.countDown();
                LockSupport.parkNanos(1_000_000);
                Thread.interrupted();
            }
        });
        source.roots("p", "q").change("p", 1, "A").change("q", 2, "B");
        EngineContext context = EngineContext.of(
                source,
                fixture.storage,
                SubscriberFixture.quick()
                        .watermarkInterval(Duration.ofMinutes(10))
                        .build(),
                MonotonicTime.SYSTEM,
                new SplittableRandom(),
                false);
        SubscriptionRun run = new SubscriptionRun(context, consumer);
        Thread runner = Thread.ofVirtual().start(run::run);
        consumer.await(labels -> labels.contains("A1"));
        SubscriberFixture.await(ignoring);
        run.drain();

        run.cancel(Duration.ofSeconds(2));

        assertThat(runner.join(Duration.ofSeconds(4))).isTrue();
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
        assertThat(fixture.stored("p").owner()).isEmpty();
        assertThat(fixture.stored("q").owner()).isPresent();
        release.countDown();
    }

    @Test
    void shutdown_ends_although_a_record_has_failed_and_waits_for_its_retry() throws InterruptedException {
        CountDownLatch failed = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            throw new IllegalStateException("never");
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.errorHandler(failure -> {
            failed.countDown();
            return new ErrorDecision.Retry(Duration.ofHours(1));
        }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(failed);

        assertThat(subscriber.shutdown(LONG)).isTrue();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
    }

    @Test
    void close_wakes_a_reader_that_waits_for_room() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            started.countDown();
            new CountDownLatch(1).await();
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = fixture.subscriber();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(started);

        subscriber.close();
        subscriber.close();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
        assertThat(source.openCursors()).isZero();
    }

    @Test
    void an_interrupt_of_the_calling_thread_closes_and_is_kept() throws InterruptedException {
        CountDownLatch settled = new CountDownLatch(1);
        AtomicReference<CompletionReason> result = new AtomicReference<>();
        AtomicBoolean flag = new AtomicBoolean();
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.listener(new SubscriptionListener() {
            @Override
            public void settled(
                    PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
                settled.countDown();
            }
        }));
        Thread thread = Thread.ofVirtual().start(() -> {
            result.set(subscriber.run(change -> {}));
            flag.set(Thread.currentThread().isInterrupted());
        });
        SubscriberFixture.await(settled);

        thread.interrupt();

        assertThat(thread.join(LONG)).isTrue();
        assertThat(result).hasValue(CompletionReason.CLOSED);
        assertThat(flag).isTrue();
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
    }

    @Test
    void shutdown_called_by_the_consumer_does_not_wait_for_itself() throws InterruptedException {
        AtomicReference<Subscriber> self = new AtomicReference<>();
        RecordingConsumer consumer = new RecordingConsumer(
                (change, delivery) -> requireNonNull(self.get()).shutdown(LONG));
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = fixture.subscriber();
        self.set(subscriber);

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.SHUT_DOWN);

        assertThat(consumer.labels()).containsExactly("A1");
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
    }

    @Test
    void a_subscriber_told_to_stop_before_it_runs_reads_nothing() throws InterruptedException {
        Subscriber closed = fixture.subscriber();
        closed.close();
        Subscriber shutDown = fixture.subscriber();
        assertThat(shutDown.shutdown(LONG)).isTrue();

        assertThat(fixture.run(closed, new RecordingConsumer())).isEqualTo(CompletionReason.CLOSED);
        assertThat(fixture.run(shutDown, new RecordingConsumer())).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(source.queries()).isEmpty();
    }

    @Test
    void a_subscriber_runs_once() throws InterruptedException {
        source.roots("p");
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(1)));
        fixture.run(subscriber, new RecordingConsumer());

        assertThatThrownBy(() -> subscriber.run(change -> {})).isInstanceOf(IllegalStateException.class);
        assertThat(subscriber.shutdown(LONG)).isTrue();
        subscriber.close();
    }

    @Test
    void a_worker_whose_partition_was_taken_over_cannot_write_and_stops_reading_it() throws InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.leaseTime(Duration.ofSeconds(2))
                .listener(new SubscriptionListener() {
                    @Override
                    public void leaseLost(PartitionToken partition, long epoch) {
                        lost.countDown();
                    }
                }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 1);
        Polling.await(() -> fixture.isStoredAt("p", at(1)), () -> fixture.storage.lineage());

        WorkerId thief = new WorkerId("thief");
        fixture.storage.release(List.of(new PartitionLease(
                fixture.stored("p").token(), fixture.stored("p").owner().orElseThrow(), 1, START)));
        assertThat(fixture.storage.acquire(thief, List.of(PartitionClaim.of(fixture.stored("p"))), LONG))
                .hasSize(1);
        source.change("p", 2, "A");
        SubscriberFixture.await(lost);
        Polling.await(() -> source.openCursors() == 0, source::openCursors);

        assertThat(fixture.stored("p").owner()).hasValue(thief);
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(1));
        assertThat(run).isNotDone();
        subscriber.close();
        SubscriberFixture.get(run);
        assertThat(fixture.stored("p").owner()).hasValue(thief);
        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    void a_worker_that_could_not_renew_in_time_consumes_nothing_more_and_takes_the_partition_anew()
            throws InterruptedException {
        AtomicBoolean unreachable = new AtomicBoolean();
        RecordingConsumer consumer = new RecordingConsumer();
        CountDownLatch lost = new CountDownLatch(1);
        FaultyStorage faulty = new FaultyStorage(
                fixture.storage,
                true,
                (call, method) -> unreachable.get() ? FaultyStorage.Verdict.FAIL_BEFORE : FaultyStorage.Verdict.PASS);
        fixture.storage = faulty.storage();
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.leaseTime(Duration.ofSeconds(2))
                .partitionDiscoveryInterval(Duration.ofMillis(20))
                .listener(new SubscriptionListener() {
                    @Override
                    public void leaseLost(PartitionToken partition, long epoch) {
                        if (unreachable.get() && partition.value().equals("p")) {
                            lost.countDown();
                        }
                    }
                }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 1);

        unreachable.set(true);
        SubscriberFixture.await(lost);
        source.change("p", 2, "A");
        Polling.await(() -> source.openCursors() == 0, source::openCursors);
        assertThat(consumer.labels()).doesNotContain("A2");
        unreachable.set(false);
        consumer.await(labels -> labels.contains("A2"));

        assertThat(consumer.consumed().getLast().delivery().epoch()).isGreaterThan(1);
        assertThat(consumer.labels()).endsWith("A2");
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void a_record_that_waits_while_the_lease_runs_out_is_not_consumed() throws InterruptedException {
        AtomicLong nanos = new AtomicLong();
        CountDownLatch readAhead = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            SubscriberFixture.await(readAhead);
            nanos.addAndGet(Duration.ofHours(2).toNanos()); // the process was paused
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .maxInflight(5)
                        .leaseTime(Duration.ofHours(1))
                        .build())
                .time(MonotonicTime.of(InstantSource.system(), nanos::get))
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        Polling.await(() -> source.queriesOf("p").size() == 1, source::queries);
        Polling.await(() -> source.rowsReturned("p") == 2, () -> source.rowsReturned("p"));
        readAhead.countDown();
        Polling.await(() -> source.openCursors() == 0, source::openCursors);

        assertThat(consumer.labels()).containsExactly("A1");
        subscriber.close();
        SubscriberFixture.get(run);
        assertThat(consumer.labels()).containsExactly("A1");
    }

    @Test
    void finished_partitions_are_removed_in_time_and_their_proofs_stay() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        Subscriber subscriber = fixture.subscriber(options -> options.finishedRetention(Duration.ZERO));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());

        Polling.await(
                () -> !fixture.storage.proofs().isEmpty(),
                () -> fixture.storage.lineage().partitions());

        assertThat(fixture.storage.lineage().partition(PartitionToken.ROOT)).isEmpty();
        assertThat(fixture.storage.proofs())
                .extracting(FinishedPartition::token)
                .containsExactly(PartitionToken.ROOT);
        Polling.await(() -> fixture.state("p") == PartitionState.RUNNING, () -> fixture.storage.lineage());
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void two_subscribers_with_the_same_options_are_two_workers() throws InterruptedException {
        SubscriberOptions options = SubscriberFixture.quick().build();
        source.roots("p");
        Subscriber first =
                Subscriber.builder(source, fixture.storage).options(options).build();
        Subscriber second =
                Subscriber.builder(source, fixture.storage).options(options).build();
        CompletableFuture<CompletionReason> firstRun = fixture.start(first, new RecordingConsumer());
        CompletableFuture<CompletionReason> secondRun = fixture.start(second, new RecordingConsumer());

        Polling.await(() -> fixture.storage.workers().size() == 2, () -> fixture.storage.workers());

        first.close();
        second.close();
        SubscriberFixture.get(firstRun);
        SubscriberFixture.get(secondRun);
    }
}

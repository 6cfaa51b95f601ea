package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of the consumer that take longer than they may. */
class ConsumeTimeoutTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final DrivenTime time = new DrivenTime(START);
    private final Queue<String> timedOut = new ConcurrentLinkedQueue<>();
    private final Queue<String> settled = new ConcurrentLinkedQueue<>();
    private final Queue<DeliveryFailure> failures = new ConcurrentLinkedQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void release() {
        release.countDown();
    }

    @Test
    void an_interrupted_call_fails_with_a_timeout_while_its_key_waits_and_others_continue()
            throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "B");
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (label(change).equals("A1") && delivery.attempt() == 1) {
                started.countDown();
                never.await();
            }
        });
        CompletableFuture<CompletionReason> run = start(consumer);
        SubscriberFixture.await(started);
        Polling.await(() -> settled.contains("B3"), settled::toString);

        time.advance(TIMEOUT);

        consumer.await(labels -> labels.equals(List.of("B3", "A1", "A2")));
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(timedOut).containsExactly("A1 after PT10S");
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.attempt()).isEqualTo(1);
            assertThat(failure.cause())
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("after 10 s")
                    .hasCauseInstanceOf(InterruptedException.class);
        });
    }

    @Test
    void a_call_that_returns_normally_after_the_interrupt_counts_as_consumed() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        AtomicBoolean interruptLeft = new AtomicBoolean();
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (label(change).equals("A1")) {
                started.countDown();
                awaitInterrupt();
                Thread.currentThread().interrupt(); // as well-behaved code does that stops waiting and returns
            } else {
                interruptLeft.set(Thread.currentThread().isInterrupted());
            }
        });
        CompletableFuture<CompletionReason> run = start(consumer);
        SubscriberFixture.await(started);

        time.advance(TIMEOUT);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A1", "A2");
        assertThat(timedOut).containsExactly("A1 after PT10S");
        assertThat(failures).isEmpty();
        assertThat(interruptLeft).as("the interrupt hit the next change").isFalse();
    }

    @Test
    void a_call_that_ignores_the_interrupt_is_waited_for_and_reported_once() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "B");
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch interrupted = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (label(change).startsWith("A")) {
                calls.incrementAndGet();
                assertThat(atOnce.incrementAndGet()).isEqualTo(1);
                started.countDown();
                awaitUninterruptibly(interrupted);
                atOnce.decrementAndGet();
            }
        });
        CompletableFuture<CompletionReason> run = start(consumer);
        SubscriberFixture.await(started);
        Polling.await(() -> settled.contains("B3"), settled::toString);
        time.advance(TIMEOUT);
        Polling.await(() -> !timedOut.isEmpty(), timedOut::toString);
        time.advance(TIMEOUT.multipliedBy(3));
        SubscriberFixture.await(interrupted);
        assertThat(calls).hasValue(1);
        assertThat(run).isNotDone();
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);

        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("B3", "A1", "A2");
        assertThat(timedOut).containsExactly("A1 after PT10S");
        assertThat(failures).isEmpty();
    }

    @Test
    void each_attempt_has_a_time_of_its_own_and_is_told_when_it_ends() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        Queue<Instant> deadlines = new ConcurrentLinkedQueue<>();
        CountDownLatch second = new CountDownLatch(2);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            deadlines.add(delivery.deadline().orElseThrow());
            started.countDown();
            second.countDown();
            if (delivery.attempt() < 3) {
                never.await();
            }
        });
        CompletableFuture<CompletionReason> run = start(consumer);
        SubscriberFixture.await(started);
        time.advance(TIMEOUT);
        SubscriberFixture.await(second);
        time.advance(TIMEOUT);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(deadlines)
                .containsExactly(
                        START.plus(TIMEOUT), START.plus(TIMEOUT.multipliedBy(2)), START.plus(TIMEOUT.multipliedBy(3)));
        assertThat(failures).extracting(DeliveryFailure::attempt).containsExactly(1, 2);
    }

    @Test
    void without_a_timeout_a_delivery_has_no_deadline() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(fixture.subscriber(options -> options.endAt(at(9))), consumer);

        assertThat(consumer.consumed())
                .singleElement()
                .satisfies(
                        consumed -> assertThat(consumed.delivery().deadline()).isEmpty());
    }

    @Test
    void a_batch_that_is_interrupted_is_handed_over_again_one_by_one() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 3, "A");
        Queue<List<String>> together = new ConcurrentLinkedQueue<>();
        Queue<String> alone = new ConcurrentLinkedQueue<>();
        BatchConsumer consumer = batch -> {
            List<String> labels =
                    batch.changes().stream().map(ConsumeTimeoutTest::label).toList();
            assertThat(batch.delivery(0).deadline()).isPresent();
            if (labels.size() > 1) {
                together.add(labels);
                started.countDown();
                never.await();
            }
            alone.add(labels.getFirst());
            // The first call may have come before there was more; all that follows is read when the next query is made.
            Polling.await(() -> source.queriesOf("p").size() > 1, source::queries);
        };
        CompletableFuture<CompletionReason> run = start(consumer);
        SubscriberFixture.await(started);

        time.advance(TIMEOUT);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(together).hasSize(1);
        assertThat(alone).containsExactly("A1", "A2", "A3");
        assertThat(timedOut).containsExactly(together.element().getFirst() + " after PT10S");
    }

    private CompletableFuture<CompletionReason> start(Consumer consumer) {
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .endAt(at(9))
                        .maxInflight(4)
                        .consumeTimeout(TIMEOUT)
                        .leaseTime(Duration.ofHours(1))
                        .errorHandler(failure -> {
                            failures.add(failure);
                            return new ErrorDecision.Retry(Duration.ZERO);
                        })
                        .listener(new SubscriptionListener() {
                            @Override
                            public void consumeTimedOut(
                                    PartitionToken partition, DataChangeRecord change, Duration elapsed) {
                                timedOut.add(label(change) + " after " + elapsed);
                            }

                            @Override
                            public void settled(
                                    PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration time) {
                                settled.add(label(change));
                            }
                        })
                        .build())
                .time(time)
                .build();
        return fixture.start(subscriber, consumer);
    }

    private void awaitInterrupt() {
        try {
            never.await();
        } catch (InterruptedException e) {
            // The caller waits for the interrupt.
        }
    }

    private void awaitUninterruptibly(CountDownLatch interrupted) {
        while (true) {
            try {
                release.await();
                return;
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }
    }

    private static String label(DataChangeRecord change) {
        return change.mods().getFirst().keys().string("Id").orElseThrow()
                + (change.commitTimestamp().getEpochSecond() - START.getEpochSecond());
    }
}

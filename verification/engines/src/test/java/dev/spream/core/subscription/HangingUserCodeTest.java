package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.internal.UserCalls;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** User code that hangs holds up no shutdown for long, and is named. */
class HangingUserCodeTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(15); // what drains takes 30 s
    private static final Duration LEFT_BEHIND_WITHIN = Duration.ofSeconds(25);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final CountDownLatch hanging = new CountDownLatch(1);

    @BeforeEach
    void script() {
        fixture.source.roots("p").change("p", 1, "A").change("p", 2, "A");
    }

    @Test
    void a_flush_that_hangs_is_named_and_interrupted_and_lets_no_watermark_pass() throws InterruptedException {
        Consumer consumer = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {}

            @Override
            public void flush() throws InterruptedException {
                hang();
            }
        };
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(9)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);

        assertThat(shutdownNames(subscriber, "the consumer's flush")).isLessThan(LIMIT);

        // That of the flush which hung, or of one that waited behind it, whichever comes first.
        assertThatThrownBy(() -> SubscriberFixture.get(run))
                .message()
                .containsAnyOf("flush failed", "the run ended before the consumer was flushed");
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
    }

    @Test
    void a_listener_that_hangs_is_named_and_interrupted() throws InterruptedException {
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                try {
                    hang();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Subscriber subscriber = fixture.subscriber(options -> options.listener(listener));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());

        assertThat(shutdownNames(subscriber, "listener " + listener.getClass().getName()))
                .isLessThan(LIMIT.plusSeconds(2)); // the last watermarks are told as well
        assertThat(run.handle((result, failure) -> true)).succeedsWithin(LIMIT);
    }

    @Test
    void a_dead_letter_sink_that_hangs_is_named_and_interrupted() throws InterruptedException {
        DeadLetterSink sink = new DeadLetterSink() {
            @Override
            public void accept(DeadLetter letter) throws InterruptedException {
                hang();
            }

            @Override
            public Set<RecordKey> parkedKeys() {
                return Set.of();
            }
        };
        Subscriber subscriber = fixture.subscriber(
                options -> options.errorHandler(ErrorHandler.deadLetter()).deadLetterSink(sink));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, HangingUserCodeTest::refuse);

        assertThat(shutdownNames(subscriber, "the dead letter sink")).isLessThan(LIMIT);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
        assertThat(fixture.stored("p").watermark()).isBeforeOrEqualTo(at(1));
    }

    @Test
    void an_error_handler_that_hangs_is_named_and_interrupted() throws InterruptedException {
        Subscriber subscriber = fixture.subscriber(options -> options.errorHandler(failure -> {
            try {
                hang();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new ErrorDecision.Retry(Duration.ofDays(1));
        }));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, HangingUserCodeTest::refuse);

        assertThat(shutdownNames(subscriber, "the error handler")).isLessThan(LIMIT);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
        assertThat(fixture.stored("p").watermark()).isBeforeOrEqualTo(at(1));
    }

    @Test
    void user_code_that_ignores_interrupts_is_named_and_left_behind() throws Exception {
        SubscriberFixture second = new SubscriberFixture();
        second.source.roots("p").change("p", 1, "A").change("p", 2, "A");
        Stubborn flush = new Stubborn();
        Stubborn secondFlush = new Stubborn();
        Stubborn started = new Stubborn();
        Subscriber shutDown = fixture.subscriber();
        Subscriber closed = second.subscriber();
        SubscriberFixture third = new SubscriberFixture();
        third.source.roots("p");
        Subscriber starting = third.subscriber(options -> options.listener(new SubscriptionListener() {
            @Override
            public void started(SubscriptionView subscription) {
                started.hang();
            }
        }));
        List<CompletableFuture<CompletionReason>> runs = List.of(
                fixture.start(shutDown, flushing(flush)),
                second.start(closed, flushing(secondFlush)),
                third.start(starting, new RecordingConsumer()));
        for (Stubborn hanging : List.of(flush, secondFlush, started)) {
            SubscriberFixture.await(hanging.entered);
        }
        try (LogLines lines = new LogLines(UserCalls.class)) {
            CompletableFuture.allOf(
                            inBackground(() -> shutDown.shutdown(TIMEOUT)),
                            inBackground(closed::close),
                            inBackground(starting::close))
                    .get(LEFT_BEHIND_WITHIN.toSeconds(), TimeUnit.SECONDS);

            assertThat(runs)
                    .allSatisfy(run -> assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED));
            assertThat(lines.of(Level.ERROR, "Orders"))
                    .filteredOn(line -> line.contains("ignores the interrupt"))
                    .hasSize(3)
                    .filteredOn(line -> line.contains("the consumer's flush"))
                    .hasSize(2);
            assertThat(List.of(fixture, second)).allSatisfy(one -> {
                assertThat(one.stored("p").watermark()).isEqualTo(START);
                assertThat(one.stored("p").owner()).as("not released").isPresent();
            });
        } finally {
            for (Stubborn hanging : List.of(flush, secondFlush, started)) {
                hanging.end();
            }
        }
    }

    private static CompletableFuture<Void> inBackground(Runnable task) {
        return CompletableFuture.runAsync(task, Thread::startVirtualThread);
    }

    private static Consumer flushing(Stubborn flush) {
        return new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {}

            @Override
            public void flush() {
                flush.hang();
            }
        };
    }

    private static void refuse(DataChangeRecord change, Delivery delivery) {
        throw new IllegalStateException("refused");
    }

    /** Code that hangs whether it is interrupted or not, until the test lets it end. */
    private static final class Stubborn {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile Thread thread = Thread.currentThread();

        void hang() {
            thread = Thread.currentThread();
            entered.countDown();
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    // that is the point
                }
            }
        }

        /** Returns when the thread that was left behind has ended. */
        void end() throws InterruptedException {
            released.countDown();
            assertThat(thread.join(SubscriberFixture.BOUND)).isTrue();
        }
    }

    private void hang() throws InterruptedException {
        hanging.countDown();
        new CountDownLatch(1).await();
    }

    private Duration shutdownNames(Subscriber subscriber, String what) throws InterruptedException {
        SubscriberFixture.await(hanging);
        try (LogLines lines = new LogLines(UserCalls.class)) {
            long startedAt = System.nanoTime();
            assertThat(subscriber.shutdown(TIMEOUT)).isFalse();
            Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
            assertThat(lines.of(Level.ERROR, "Orders")).first().asString().contains(what, "has not returned for");
            return took;
        }
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import dev.spream.core.StorageException;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the engine's log lines about repeated failures. */
final class SubscriberLogTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void of_many_attempts_that_fail_the_first_is_a_line_and_the_others_a_number() throws InterruptedException {
        source.roots("p");
        for (int second = 1; second <= 40; second++) {
            source.change("p", second, "A");
        }
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.attempt() == 1) {
                throw new IOException("not yet");
            }
        });
        try (LogLines lines = new LogLines(AttemptLog.class)) {
            Subscriber subscriber = fixture.subscriber(options ->
                    options.endAt(at(50)).errorHandler(failure -> new ErrorDecision.Retry(Duration.ofMillis(1))));

            assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);

            assertThat(lines.of(Level.WARN, "Orders/p"))
                    .singleElement()
                    .asString()
                    .endsWith("(attempt 1); retrying in 1 ms");
            assertThat(lines.of(Level.WARN, "Orders"))
                    .containsExactly("[Orders] 39 more attempts failed and are retried");
        }
    }

    @Test
    void a_stream_that_brings_records_again_after_it_broke_is_told_once() throws InterruptedException {
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 3, "A")
                .fault("p", new ScriptedSource.Fault.Break(1, SourceException.Kind.TRANSIENT));
        List<String> told = new CopyOnWriteArrayList<>();
        Subscriber subscriber =
                fixture.subscriber(options -> options.endAt(at(9)).listener(new SubscriptionListener() {
                    @Override
                    public void reconnecting(
                            PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
                        told.add("broken");
                    }

                    @Override
                    public void reconnected(PartitionToken partition) {
                        told.add("back");
                    }
                }));

        fixture.run(subscriber, new RecordingConsumer());

        assertThat(told).containsExactly("broken", "back");
    }

    @Test
    void watermarks_that_could_not_be_stored_are_said_to_be_over_when_none_is_left() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "A");
        CountDownLatch refused = new CountDownLatch(1);
        AtomicBoolean delivered = new AtomicBoolean();
        fixture.storage = new FaultyStorage(fixture.storage, true, (call, method) -> {
                    if (!method.equals("advanceWatermarks")) {
                        return FaultyStorage.Verdict.PASS;
                    }
                    if (delivered.get()) {
                        refused.countDown();
                    }
                    return FaultyStorage.Verdict.FAIL_BEFORE;
                })
                .storage();
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            CompletionReason result =
                    fixture.run(fixture.subscriber(options -> options.endAt(at(9))), (change, delivery) -> {
                        if (change.commitTimestamp().equals(at(2))) {
                            delivered.set(true);
                            SubscriberFixture.await(refused);
                        }
                    });

            assertThat(result).isEqualTo(CompletionReason.COMPLETED);
            assertThat(lines.all(Level.WARN))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .last()
                    .asString()
                    .startsWith("partition storage: storing watermarks is no longer retried, after ");
        }
    }

    @Test
    void a_failure_for_one_partition_is_not_over_because_another_ones_call_works() throws InterruptedException {
        RetryingStorageCalls calls = storageCalls();
        AtomicInteger failures = new AtomicInteger();
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            calls.repeat("finishing", new PartitionToken("p"), () -> true, storage -> {
                finish(calls, "q");
                if (failures.incrementAndGet() <= 2) {
                    throw new StorageException("locked", true, null);
                }
                return true;
            });
            assertThat(lines.all(Level.WARN))
                    .containsExactly(
                            "partition storage: finishing (p) failed: locked; retrying; recovery will be logged",
                            "partition storage: finishing (p) succeeded, after 2 attempts that failed");
        }
    }

    @Test
    void a_listener_that_fails_is_named_by_its_class_and_by_what_it_says_of_itself() {
        Consumer<String> listener = new Consumer<>() {
            @Override
            public void accept(String event) {
                throw new IllegalStateException("no metrics");
            }

            @Override
            public String toString() {
                return "metrics of Orders";
            }
        };
        try (LogLines lines = new LogLines(SafeListeners.class)) {
            new SafeListeners<>(List.of(listener)).publish(told -> told.accept("started"));
            assertThat(lines.all(Level.WARN))
                    .containsExactly("listener %s (metrics of Orders) failed; it misses this event"
                            .formatted(listener.getClass().getName()));
        }
    }

    private static RetryingStorageCalls storageCalls() {
        return new RetryingStorageCalls(
                new InMemoryPartitionStorage(), MonotonicTime.SYSTEM, new Random(1), new SafeListeners<>(List.of()));
    }

    private static boolean finish(RetryingStorageCalls calls, String partition) {
        try {
            return calls.repeat("finishing", new PartitionToken(partition), () -> true, storage -> true);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_call_that_is_not_wanted_any_more_is_said_to_be_over() {
        RetryingStorageCalls calls = storageCalls();
        AtomicInteger asked = new AtomicInteger();
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            for (int round = 0; round < 2; round++) {
                asked.set(0);
                assertThatExceptionOfType(StorageException.class)
                        .isThrownBy(() -> calls.repeat(
                                "finishing", new PartitionToken("p"), () -> asked.incrementAndGet() <= 1, storage -> {
                                    throw new StorageException("locked", true, null);
                                }));
            }
            assertThat(lines.all(Level.WARN))
                    .hasSize(4)
                    .endsWith(
                            "partition storage: finishing (p) failed: locked; retrying; recovery will be logged",
                            "partition storage: finishing (p) is no longer retried, after 1 attempt that failed");
        }
    }

    @Test
    void a_storage_that_fails_is_said_once_and_so_is_that_it_works_again() throws InterruptedException {
        AtomicInteger failures = new AtomicInteger();
        RetryingStorageCalls calls = storageCalls();
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            calls.repeat("looking", () -> true, storage -> {
                if (failures.incrementAndGet() <= 3) {
                    throw new StorageException("refused", true, null);
                }
                return true;
            });
            assertThat(lines.all(Level.WARN))
                    .containsExactly(
                            "partition storage: looking failed: refused; retrying; recovery will be logged",
                            "partition storage: looking succeeded, after 3 attempts that failed");
        }
    }
}

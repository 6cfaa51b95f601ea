package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the batches of a consumer, and of the settlement of the changes of a batch that was not accepted as a whole. */
class SubscriberBatchTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);

    private static String label(DataChangeRecord change) {
        return change.mods().getFirst().keys().string("Id").orElseThrow()
                + (change.commitTimestamp().getEpochSecond() - START.getEpochSecond());
    }

    private static List<String> labels(BatchConsumer.Batch batch) {
        return batch.changes().stream().map(SubscriberBatchTest::label).toList();
    }

    /** Holds up the first call until the rest has been read, so that it is known what the next one is given. */
    private BatchConsumer holdingFirst(BatchConsumer rest) {
        AtomicInteger calls = new AtomicInteger();
        return batch -> {
            batches.add(labels(batch));
            if (calls.incrementAndGet() == 1) {
                SubscriberFixture.await(release);
            } else {
                rest.consume(batch);
            }
        };
    }

    private SubscriberOptions.Builder inFlight(SubscriberOptions.Builder options) {
        return options.maxInflight(10);
    }

    /** Runs until all is settled: the first change is on its way when the rest is added, and returns when that has been read. */
    private void run(Subscriber subscriber, BatchConsumer consumer, String... rest) throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        Polling.await(() -> !batches.isEmpty(), () -> batches);
        for (String change : rest) {
            source.change("p", Long.parseLong(change.substring(1)), change.substring(0, 1));
        }
        source.heartbeat("p", 9);
        Polling.await(() -> source.rowsReturned("p") >= rest.length + 2, () -> source.rowsReturned("p"));
        release.countDown();
        Polling.await(() -> fixture.isStoredAt("p", at(9)), () -> batches);
        subscriber.shutdown(SubscriberFixture.BOUND);
        SubscriberFixture.get(run);
    }

    @Test
    void changes_that_arrive_during_a_call_come_in_one_batch_in_order() throws InterruptedException {
        run(
                fixture.subscriber(options -> inFlight(options).ordering(Ordering.PARTITION)),
                holdingFirst(batch -> {}),
                "A2",
                "B3",
                "A4");

        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "B3", "A4"));
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(9));
    }

    @Test
    void by_key_changes_of_one_key_come_in_one_batch_too() throws InterruptedException {
        run(fixture.subscriber(this::inFlight), holdingFirst(batch -> {}), "A2", "B3", "A4", "C5");

        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "B3", "A4", "C5"));
    }

    @Test
    void by_key_a_change_behind_one_that_is_on_its_way_waits_though_others_make_a_full_batch()
            throws InterruptedException {
        CountDownLatch full = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        BatchConsumer consumer = batch -> {
            batches.add(labels(batch));
            if (calls.incrementAndGet() == 1) {
                SubscriberFixture.await(full); // comes only if a full batch does not wait for this call
                SubscriberFixture.await(release);
            } else {
                full.countDown();
            }
        };

        run(fixture.subscriber(options -> inFlight(options).maxBatchSize(3)), consumer, "A2", "B3", "C4", "D5", "A6");

        assertThat(batches).startsWith(List.of("A1"), List.of("B3", "C4", "D5")).contains(List.of("A2", "A6"));
    }

    @Test
    void a_change_that_was_failed_is_judged_and_those_behind_it_come_after_it() throws InterruptedException {
        List<DeliveryFailure> failures = new CopyOnWriteArrayList<>();
        List<String> attempts = new CopyOnWriteArrayList<>();
        BatchConsumer consumer = holdingFirst(batch -> {
            attempts.add(labels(batch).getFirst() + ":" + batch.delivery(0).attempt());
            if (labels(batch).size() == 4) {
                batch.fail(0, new IllegalStateException("refused"));
            }
        });

        run(
                fixture.subscriber(options -> inFlight(options).errorHandler(failure -> {
                    failures.add(failure);
                    return new ErrorDecision.Retry(Duration.ofMillis(1));
                })),
                consumer,
                "A2",
                "B3",
                "A4",
                "B5");

        assertThat(batches)
                .containsExactly(List.of("A1"), List.of("A2", "B3", "A4", "B5"), List.of("A2"), List.of("A4"));
        assertThat(failures).hasSize(1);
        assertThat(label(failures.getFirst().change())).isEqualTo("A2");
        assertThat(failures.getFirst().attempt()).isEqualTo(1);
        assertThat(attempts).as("the call did not get to A4").containsExactly("A2:1", "A2:2", "A4:1");
    }

    @Test
    void a_batch_that_throws_is_handed_over_one_by_one_so_that_only_the_bad_change_fails() throws InterruptedException {
        List<DeliveryFailure> failures = new CopyOnWriteArrayList<>();
        List<String> consumed = new CopyOnWriteArrayList<>();
        BatchConsumer consumer = holdingFirst(batch -> {
            if (labels(batch).contains("A3")) {
                throw new IllegalStateException("bad value");
            }
            consumed.addAll(labels(batch));
        });

        run(
                fixture.subscriber(options -> inFlight(options).errorHandler(failure -> {
                    failures.add(failure);
                    return new ErrorDecision.Skip();
                })),
                consumer,
                "A2",
                "A3",
                "A4");

        assertThat(batches)
                .containsExactly(List.of("A1"), List.of("A2", "A3", "A4"), List.of("A2"), List.of("A3"), List.of("A4"));
        assertThat(consumed).containsExactly("A2", "A4");
        assertThat(failures).extracting(failure -> label(failure.change())).containsExactly("A3");
        assertThat(failures.getFirst().attempt())
                .as("once in the batch, once alone")
                .isEqualTo(2);
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(9));
    }

    @Test
    void changes_settled_before_an_exception_stay_settled() throws InterruptedException {
        BatchConsumer consumer = holdingFirst(batch -> {
            if (batch.changes().size() == 3) {
                batch.settle(0);
                batch.settle(0);
                throw new IllegalStateException("after the first");
            }
        });

        run(fixture.subscriber(this::inFlight), consumer, "A2", "A3", "A4");

        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "A3", "A4"), List.of("A3"), List.of("A4"));
    }

    @Test
    void a_change_that_failed_before_a_throw_is_judged_by_its_own_failure() throws InterruptedException {
        List<DeliveryFailure> failures = new CopyOnWriteArrayList<>();
        BatchConsumer consumer = holdingFirst(batch -> {
            if (batch.changes().size() == 2) {
                batch.fail(0, new IllegalStateException("its own"));
                throw new IllegalStateException("of the call");
            }
        });

        run(
                fixture.subscriber(options -> inFlight(options).errorHandler(failure -> {
                    failures.add(failure);
                    return new ErrorDecision.Skip();
                })),
                consumer,
                "A2",
                "B3");

        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "B3"), List.of("B3"));
        assertThat(failures).hasSize(1);
        assertThat(failures.getFirst().cause()).hasMessage("its own");
    }

    @Test
    void settling_a_change_moves_the_watermark_while_the_rest_of_the_batch_is_at_work() throws InterruptedException {
        CountDownLatch stored = new CountDownLatch(1);
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                if (watermarks.containsValue(at(2))) {
                    stored.countDown();
                }
            }
        };

        run(
                fixture.subscriber(options -> inFlight(options).listener(listener)),
                holdingFirst(batch -> {
                    batch.settle(0);
                    SubscriberFixture.await(stored);
                }),
                "A2",
                "A3");

        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "A3"));
    }

    @Test
    void a_batch_is_of_no_use_after_its_call_and_a_settled_change_cannot_fail_any_more() throws InterruptedException {
        List<BatchConsumer.Batch> kept = new CopyOnWriteArrayList<>();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();

        run(
                fixture.subscriber(this::inFlight),
                holdingFirst(batch -> {
                    kept.add(batch);
                    batch.settle(0);
                    try {
                        batch.fail(0, new IllegalStateException());
                    } catch (IllegalStateException e) {
                        thrown.add(e);
                    }
                }),
                "A2",
                "A3");

        assertThat(thrown).hasSize(1);
        assertThat(kept).hasSize(1);
        assertThatThrownBy(() -> kept.getFirst().settle(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> kept.getFirst().fail(0, new IllegalStateException()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void changes_of_a_parked_key_are_parked_in_order_and_the_others_continue() throws InterruptedException {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        BatchConsumer consumer = holdingFirst(batch -> {
            int failing = labels(batch).indexOf("A2");
            if (failing >= 0) {
                batch.fail(failing, new IllegalStateException("refused"));
            }
        });

        run(
                fixture.subscriber(options -> inFlight(options)
                        .deadLetterSink(new RecordingDeadLetterSink(letters))
                        .errorHandler(failure -> new ErrorDecision.ParkKey())),
                consumer,
                "A2",
                "B3",
                "A4",
                "B5",
                "A6");

        assertThat(letters).extracting(letter -> label(letter.change())).containsExactly("A2", "A4", "A6");
        assertThat(batches).containsExactly(List.of("A1"), List.of("A2", "B3", "A4", "B5", "A6"));
        assertThat(fixture.stored("p").watermark()).isEqualTo(at(9));
    }

    @Test
    void in_all_orders_every_change_is_settled_once_when_nothing_fails() throws InterruptedException {
        for (Ordering ordering : Ordering.values()) {
            SubscriberFixture fresh = new SubscriberFixture();
            List<String> consumed = new ArrayList<>();
            BatchConsumer consumer = batch -> {
                synchronized (consumed) {
                    consumed.addAll(labels(batch));
                }
            };
            fresh.source.roots("p");
            for (int second = 1; second <= 500; second++) {
                fresh.source.change("p", second, "K" + second % 5 + "-");
            }

            fresh.run(
                    fresh.subscriber(options -> options.maxInflight(40)
                            .maxBatchSize(7)
                            .ordering(ordering)
                            .endAt(at(500))),
                    consumer);

            assertThat(consumed).as(ordering.name()).hasSize(500).doesNotHaveDuplicates();
        }
    }
}

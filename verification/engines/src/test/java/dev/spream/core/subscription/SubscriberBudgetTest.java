package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.subscription.ScriptedSource;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of the limits on the number and size of changes in memory over all partitions. */
class SubscriberBudgetTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    /** The first partition uses up the budget and waits for the second: without a change of its own, both would wait. */
    @Test
    void a_partition_gets_through_while_another_holds_the_whole_budget_and_waits_for_it() throws InterruptedException {
        CountDownLatch secondConsumed = new CountDownLatch(1);
        CountDownLatch firstHoldsAll = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("p")) {
                firstHoldsAll.countDown();
                SubscriberFixture.await(secondConsumed);
            } else if (change.commitTimestamp().equals(at(3))) {
                secondConsumed.countDown();
            }
        });
        source.roots("p", "q").change("p", 1, "A").change("p", 2, "B");
        Subscriber subscriber =
                fixture.subscriber(options -> options.maxInflight(10).maxBufferedChanges(1));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(firstHoldsAll);

        source.change("q", 1, "C").change("q", 2, "C").change("q", 3, "C");

        consumer.await(labels -> labels.size() == 5);
        subscriber.shutdown(SubscriberFixture.BOUND);
        SubscriberFixture.get(run);
    }

    @Test
    void a_change_larger_than_the_whole_budget_gets_through() throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer();
        source.roots("p");
        String large = "x".repeat((int) SubscriberOptions.MIN_MAX_BUFFERED_BYTES);
        source.change("p", 1, "A").change("p", 2, large).change("p", 3, large).change("p", 4, "B");

        fixture.run(
                fixture.subscriber(options -> options.maxInflight(10)
                        .maxBufferedBytes(SubscriberOptions.MIN_MAX_BUFFERED_BYTES)
                        .endAt(at(5))),
                consumer);

        assertThat(consumer.consumed()).hasSize(4);
    }

    @Test
    void over_all_partitions_no_more_is_in_flight_than_the_budget_and_one_each() throws InterruptedException {
        int partitions = 8;
        int budget = 5;
        AtomicInteger read = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("quick")) {
                return;
            }
            read.incrementAndGet();
            SubscriberFixture.await(release);
        });
        String[] tokens = new String[partitions];
        for (int p = 0; p < partitions; p++) {
            tokens[p] = "p" + p;
        }
        source.roots(Stream.concat(Arrays.stream(tokens), Stream.of("quick")).toArray(String[]::new));
        for (String token : tokens) {
            for (int second = 1; second <= 20; second++) {
                source.change(token, second, token + "-" + second + "-");
            }
        }
        for (int second = 1; second <= 200; second++) {
            source.change("quick", second, "quick");
        }
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options ->
                        options.maxInflight(20).maxBufferedChanges(budget).endAt(at(300))),
                consumer);
        Polling.await(() -> read.get() >= partitions, read::get);
        consumer.await(labels -> labels.size() == 200); // time enough for the others to read too much
        assertThat(read.get()).isBetween(partitions, budget + partitions);
        release.countDown();

        SubscriberFixture.get(run);
        assertThat(consumer.consumed()).hasSize(partitions * 20 + 200);
    }

    @Test
    void a_stop_wakes_a_reader_that_waits_for_the_budget() throws InterruptedException {
        CountDownLatch consuming = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            consuming.countDown();
            new CountDownLatch(1).await();
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "C");
        Subscriber subscriber =
                fixture.subscriber(options -> options.maxInflight(10).maxBufferedChanges(1));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(consuming);
        Polling.await(() -> source.rowsReturned("p") == 2, () -> source.rowsReturned("p"));

        subscriber.close();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.CLOSED);
        assertThat(fixture.stored("p").watermark()).isEqualTo(ScriptedSource.START);
    }
}

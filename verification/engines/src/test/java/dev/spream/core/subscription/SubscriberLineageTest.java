package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Reading partitions to their proven end, child after parents. */
class SubscriberLineageTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final RecordingConsumer consumer = new RecordingConsumer();

    @Test
    void a_stream_of_another_partition_mode_than_the_stored_subscription_is_refused() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), new RecordingConsumer());
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE);
        Subscriber again = fixture.subscriber(options -> options.endAt(at(5)));

        assertThatThrownBy(() -> fixture.run(again, new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining(
                        "partition mode is IMMUTABLE_KEY_RANGE, that of the stream is MUTABLE_KEY_RANGE; nothing was changed");
    }

    @Test
    void a_lineage_that_splits_merges_and_moves_is_read_once_and_in_order() throws InterruptedException {
        source.roots("p", "q")
                .change("p", 1, "A")
                .split("p", 2, "p1", "p2")
                .change("p1", 3, "A")
                .change("p2", 3, "B")
                .change("q", 3, "C")
                .merge("p2", "q", 4, "m")
                .change("m", 4, "B")
                .change("m", 5, "C")
                .split("m", 6, "moved")
                .change("moved", 7, "B");

        CompletionReason result = fixture.run(fixture.subscriber(options -> options.endAt(at(10))), consumer);

        assertThat(result).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "A3", "B3", "C3", "B4", "C5", "B7");
        assertThat(consumer.labels()).containsSubsequence("A1", "A3");
        assertThat(consumer.labels()).containsSubsequence("B3", "B4", "B7");
        assertThat(consumer.labels()).containsSubsequence("C3", "C5");
        assertThat(fixture.storage.lineage().isComplete()).isTrue();
        assertThat(fixture.storage.subscription().orElseThrow().completed()).isTrue();
        assertThat(source.openCursors()).isZero();
    }

    @Test
    void a_child_read_ahead_waits_for_the_keys_in_flight_in_its_parent_only() throws InterruptedException {
        CountDownLatch parentConsuming = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer slow = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("p")) {
                parentConsuming.countDown();
                release.await();
            }
        });
        source.roots("p")
                .change("p", 1, "A")
                .split("p", 2, "c")
                .change("c", 3, "A")
                .change("c", 4, "B");
        Subscriber subscriber =
                fixture.subscriber(options -> options.maxInflight(10).endAt(at(5)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, slow);
        SubscriberFixture.await(parentConsuming);
        Polling.await(() -> slow.labels().contains("B4"), slow::labels);

        assertThat(slow.labels()).containsExactly("B4");
        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
        assertThat(fixture.storage.lineage().claimable()).isEmpty();
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(slow.labels()).containsExactly("B4", "A1", "A3");
    }

    @Test
    void the_watermark_of_a_child_read_ahead_stays_at_its_start_until_its_parent_is_finished()
            throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer slow = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("p")) {
                release.await();
            }
        });
        source.roots("p").change("p", 1, "A").split("p", 2, "c").change("c", 3, "B");
        Subscriber subscriber = fixture.subscriber(options -> options.maxInflight(10));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, slow);
        Polling.await(() -> slow.labels().contains("B3"), slow::labels);

        subscriber.close();
        SubscriberFixture.get(run);
        assertThat(fixture.storage
                        .lineage()
                        .partition(new PartitionToken("c"))
                        .orElseThrow()
                        .watermark())
                .isEqualTo(at(2));
    }

    @Test
    void a_child_of_a_parent_in_another_process_waits_until_every_record_of_that_is_settled()
            throws InterruptedException {
        CountDownLatch parentConsuming = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer slow = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("p")) {
                parentConsuming.countDown();
                release.await();
            }
        });
        source.roots("p").change("p", 1, "A").split("p", 2, "c").change("c", 3, "B");
        CompletableFuture<CompletionReason> run = fixture.start(
                Subscriber.builder(source, fixture.storage)
                        .options(SubscriberFixture.quick()
                                .maxInflight(10)
                                .endAt(at(5))
                                .build())
                        .readsAhead(false)
                        .build(),
                slow);
        SubscriberFixture.await(parentConsuming);
        awaitStored("c");

        assertThat(fixture.storage.lineage().claimable()).isEmpty();
        assertThat(source.queriesOf("c")).isEmpty();
        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(slow.labels()).containsExactly("A1", "B3");
    }

    @Test
    void a_merge_waits_for_the_slower_parent() throws InterruptedException {
        CountDownLatch leftConsuming = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer slow = new RecordingConsumer((change, delivery) -> {
            if (delivery.partition().value().equals("left")) {
                leftConsuming.countDown();
                release.await();
            }
        });
        source.roots("left", "right")
                .change("left", 1, "A")
                .change("right", 1, "B")
                .merge("left", "right", 2, "m")
                .change("m", 3, "A");
        CompletableFuture<CompletionReason> run =
                fixture.start(fixture.subscriber(options -> options.endAt(at(5))), slow);
        SubscriberFixture.await(leftConsuming);
        awaitFinished("right");

        assertThat(slow.labels()).doesNotContain("A3");
        release.countDown();

        SubscriberFixture.get(run);
        assertThat(slow.labels()).endsWith("A3");
    }

    @Test
    void the_end_of_a_stream_without_children_is_no_end_of_the_partition_but_a_reconnect() throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.EndWithOk(1))
                .change("p", 1, "A")
                .change("p", 2, "A")
                .split("p", 3, "c");
        Subscriber subscriber = fixture.subscriber();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        awaitFinished("p");

        assertThat(consumer.labels()).containsExactly("A1", "A2");
        assertThat(source.queriesOf("p")).hasSizeGreaterThan(1);
        assertThat(fixture.stored("p").endProof())
                .hasValue(PartitionEnd.childPartitions(at(3), List.of(new PartitionToken("c"))));
        subscriber.close();
        SubscriberFixture.get(run);
    }

    @Test
    void a_break_between_two_child_records_loses_no_child() throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.Break(1, SourceException.Kind.TRANSIENT))
                .children("p", 2, child("c1", "p"))
                .children("p", 2, child("c2", "p"))
                .end("p")
                .change("c1", 3, "A")
                .change("c2", 3, "B");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A3", "B3");
        assertThat(fixture.stored("p").endProof())
                .hasValue(PartitionEnd.childPartitions(
                        at(2), List.of(new PartitionToken("c1"), new PartitionToken("c2"))));
    }

    @Test
    void children_of_a_broken_query_do_not_prove_the_end_of_a_later_one() throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.Break(1, SourceException.Kind.TRANSIENT), new Fault.EndWithOk(0))
                .children("p", 2, child("c1", "p"))
                .children("p", 2, child("c2", "p"))
                .end("p")
                .change("c2", 3, "B");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(source.queriesOf("p")).hasSize(3);
        assertThat(consumer.labels()).containsExactly("B3");
    }

    @Test
    void a_bounded_partition_ends_only_after_a_second_query_that_brings_nothing_new() throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.EndWithOk(1))
                .change("p", 1, "A")
                .change("p", 5, "A")
                .change("p", 6, "A");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A5");
        assertThat(source.queriesOf("p")).hasSize(3);
        assertThat(fixture.stored("p").endProof()).hasValue(PartitionEnd.boundedEnd(at(5)));
    }

    @Test
    void a_bounded_end_is_not_proven_before_the_servers_time_has_passed_it() throws InterruptedException {
        source.roots("p").change("p", 1, "A").serverTime(at(4));
        Subscriber subscriber = fixture.subscriber(options -> options.endAt(at(5)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 1);
        assertThat(run).isNotDone();

        source.change("p", 5, "A").serverTime(at(6));

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A1", "A5");
    }

    @Test
    void a_child_that_starts_exactly_at_the_end_timestamp_is_read() throws InterruptedException {
        source.roots("p").change("p", 1, "A").split("p", 5, "c").change("c", 5, "A");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A5");
    }

    @Test
    void a_broken_stream_is_read_again_from_the_last_position_inclusive_and_what_was_dispatched_is_dropped()
            throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.Break(2, SourceException.Kind.TRANSIENT))
                .change("p", 1, "A")
                .change("p", 2, "B", "tx-1")
                .change("p", 2, "C", "tx-2")
                .change("p", 3, "D");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(consumer.labels()).containsExactly("A1", "B2", "C2", "D3");
        assertThat(source.queriesOf("p").stream().map(PartitionQuery::startTimestamp))
                .startsWith(START, at(2));
    }

    @Test
    void rows_that_the_server_sends_twice_are_delivered_once() throws InterruptedException {
        source.roots("p")
                .fault("p", new Fault.Repeat())
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 2, "B", "other");

        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A2", "B2");
    }

    @Test
    void a_stream_that_stalls_is_cancelled_and_queried_again() throws InterruptedException {
        source.roots("p").fault("p", new Fault.Stall(1)).change("p", 1, "A").change("p", 2, "A");

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(5))
                        .heartbeatInterval(Duration.ofMillis(100))
                        .missedHeartbeats(2)),
                consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A2");
        assertThat(source.queriesOf("p").get(1).startTimestamp()).isEqualTo(at(1));
    }

    @Test
    void a_stream_held_up_by_its_consumer_does_not_count_as_stalled() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer slow = new RecordingConsumer((change, delivery) -> SubscriberFixture.await(release));
        source.roots("p", "q")
                .fault("q", new Fault.Stall(1), new Fault.Stall(1), new Fault.Stall(1))
                .heartbeat("q", 1)
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 3, "A");
        CompletableFuture<CompletionReason> run = fixture.start(
                fixture.subscriber(options -> options.endAt(at(5))
                        .heartbeatInterval(Duration.ofMillis(300))
                        .missedHeartbeats(2)),
                slow);
        Polling.await(() -> source.queriesOf("q").size() > 3, source::queries);

        assertThat(source.queriesOf("p")).hasSize(1);
        release.countDown();
        SubscriberFixture.get(run);
    }

    @Test
    void a_stream_that_breaks_for_good_stops_with_an_error_and_leaves_the_partition_where_it_is() {
        source.roots("p").change("p", 1, "A").fault("p", new Fault.Break(1, SourceException.Kind.RETENTION_LOST));

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("Orders/p")
                .hasMessageContaining("watermark stays at");
        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
        assertThat(fixture.stored("p").owner()).isEmpty();
    }

    @Test
    void a_lineage_that_clean_up_emptied_before_it_was_completed_is_complete() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        FaultyStorage dying = new FaultyStorage(
                fixture.storage,
                false,
                (call, method) -> method.equals("completeIfAllFinished")
                        ? FaultyStorage.Verdict.FAIL_BEFORE
                        : FaultyStorage.Verdict.PASS);
        Subscriber first = Subscriber.builder(source, dying.storage())
                .options(SubscriberFixture.quick().endAt(at(9)).build())
                .build();
        assertThatThrownBy(() -> fixture.run(first, new RecordingConsumer())).isInstanceOf(StorageException.class);
        assertThat(fixture.storage.cleanUp(Instant.MAX)).isEqualTo(2);

        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(9))), new RecordingConsumer()))
                .isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void an_end_before_the_servers_time_needs_a_start() {
        source.serverTime(at(100));
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberOptions.builder().endAt(at(99)).build())
                .build();

        assertThatThrownBy(() -> fixture.run(subscriber, new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining(at(99).toString())
                .hasMessageContaining(at(100).toString());
    }

    @Test
    void a_second_subscriber_takes_over_where_the_first_stopped_and_completes_in_order() throws InterruptedException {
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "A")
                .split("p", 3, "c", "d")
                .change("c", 3, "A")
                .change("d", 4, "B");
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        List<String> delivered = new CopyOnWriteArrayList<>();
        RecordingConsumer one = new RecordingConsumer((change, delivery) -> {
            started.countDown();
            SubscriberFixture.await(release);
            delivered.add("A1");
        });
        RecordingConsumer two = new RecordingConsumer(
                (change, delivery) -> delivered.add(new RecordingConsumer.Consumed(change, delivery).label()));
        UnaryOperator<SubscriberOptions.Builder> bounded =
                options -> options.endAt(at(9)).partitionDiscoveryInterval(Duration.ofMillis(10));
        Subscriber first = fixture.subscriber(bounded);
        CompletableFuture<CompletionReason> firstRun = fixture.start(first, one);
        SubscriberFixture.await(started);
        Subscriber second = fixture.subscriber(bounded);
        CompletableFuture<CompletionReason> secondRun = fixture.start(second, two);
        CompletableFuture<Boolean> shutdown =
                CompletableFuture.supplyAsync(() -> first.shutdown(SubscriberFixture.BOUND));
        Polling.await(() -> source.openCursors() == 0, source::openCursors);
        release.countDown();

        assertThat(SubscriberFixture.get(firstRun)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(shutdown.join()).isTrue();
        assertThat(SubscriberFixture.get(secondRun)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(delivered.stream().filter(label -> label.startsWith("A"))).containsExactly("A1", "A1", "A2", "A3");
        assertThat(delivered).contains("B4");
    }

    @Test
    void a_completed_subscription_is_not_read_again() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);
        int queries = source.queries().size();

        CompletionReason again = fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThat(again).isEqualTo(CompletionReason.COMPLETED);
        assertThat(source.queries()).hasSize(queries);
        assertThat(consumer.labels()).containsExactly("A1");
    }

    @Test
    void a_restart_with_another_start_or_end_is_refused_with_both_values() throws InterruptedException {
        source.roots("p");
        fixture.run(fixture.subscriber(options -> options.endAt(at(5))), consumer);

        assertThatThrownBy(() -> fixture.run(
                        fixture.subscriber(options -> options.startAt(at(1)).endAt(at(6))), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining(START.toString())
                .hasMessageContaining(at(1).toString())
                .hasMessageContaining(at(5).toString())
                .hasMessageContaining(at(6).toString());
    }

    @Test
    void without_a_start_a_new_subscription_starts_at_the_servers_time_and_a_stored_one_where_it_started()
            throws InterruptedException {
        source.roots("p").serverTime(START);
        SubscriberOptions options = SubscriberOptions.builder().endAt(at(200)).build();
        Subscriber first =
                Subscriber.builder(source, fixture.storage).options(options).build();
        CompletableFuture<CompletionReason> run = fixture.start(first, consumer);
        awaitStored("p");
        first.close();
        SubscriberFixture.get(run);
        source.serverTime(at(300));

        fixture.run(Subscriber.builder(source, fixture.storage).options(options).build(), consumer);

        assertThat(fixture.storage.subscription().orElseThrow().startTimestamp())
                .isEqualTo(START);
    }

    private void awaitStored(String token) {
        Polling.await(
                () -> fixture.storage
                        .lineage()
                        .partition(new PartitionToken(token))
                        .isPresent(),
                () -> fixture.storage.lineage().partitions());
    }

    private void awaitFinished(String token) {
        Polling.await(
                () -> fixture.storage
                        .lineage()
                        .partition(new PartitionToken(token))
                        .map(partition -> partition.state() == PartitionState.FINISHED)
                        .orElse(false),
                () -> fixture.storage.lineage().partitions());
    }
}

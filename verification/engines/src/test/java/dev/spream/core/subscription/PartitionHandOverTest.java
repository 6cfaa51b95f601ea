package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Partitions over the limit take turns with those that are read. */
class PartitionHandOverTest {
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(2); // some seconds, as time is driven here

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final DrivenTime time = new DrivenTime(START);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void release() {
        release.countDown();
    }

    @Test
    void partitions_over_the_limit_take_turns_and_continue_at_their_watermarks() throws InterruptedException {
        source.roots("a", "b")
                .change("a", 2, "A")
                .heartbeat("a", 5)
                .change("b", 1, "B")
                .heartbeat("b", 8);
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = subscriber(1);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);

        advanceUntil(() -> source.queriesOf("a").size() == 2);

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(consumer.labels()).containsExactly("A2", "B1");
        assertThat(source.queriesOf("a"))
                .extracting(PartitionQuery::startTimestamp)
                .containsExactly(START, at(5));
        assertThat(source.mostOpenCursors()).isEqualTo(1);
        assertThat(events)
                .containsSubsequence("acquired a 1", "released a", "acquired b 1", "released b", "acquired a 2")
                .noneMatch(event -> event.startsWith("lost"));
    }

    @Test
    void nothing_is_handed_over_before_its_turn_is_due() throws InterruptedException {
        source.roots("a", "b").heartbeat("a", 5).change("b", 1, "B");
        RecordingConsumer consumer = new RecordingConsumer();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber(1), consumer);

        advanceUntil(() -> consumer.labels().contains("B1"));

        assertThat(time.nanoTime()).isGreaterThanOrEqualTo(PartitionHandOver.ROTATION_INTERVAL.toNanos());
        assertThat(run).isNotDone();
    }

    @Test
    void the_partition_with_the_oldest_watermark_keeps_its_turn_however_long_it_is_read() throws InterruptedException {
        source.roots("a", "b", "c").heartbeat("b", 5).change("c", 1, "C");
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = subscriber(2);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        Polling.await(() -> source.rowsReturned("b") == 1, source::queries);

        advanceUntil(() -> consumer.labels().contains("C1"));
        source.heartbeat("c", 9);
        advanceUntil(() -> events.contains("acquired b 2"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(source.queriesOf("a")).hasSize(1);
        assertThat(events.subList(0, events.indexOf("acquired b 2")))
                .contains("released b", "released c")
                .doesNotContain("released a");
    }

    @Test
    void many_partitions_take_turns_several_at_a_time() throws InterruptedException {
        List<String> read = IntStream.range(0, 20).mapToObj("p%02d"::formatted).toList();
        List<String> over = List.of("q1", "q2", "q3");
        source.roots(Stream.concat(read.stream(), over.stream()).toArray(String[]::new));
        read.forEach(partition -> source.change(partition, 5, partition));
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = subscriber(20);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 20);
        Polling.await(() -> events.contains("3 wait"), events::toString);

        time.advance(PartitionHandOver.ROTATION_INTERVAL);

        Polling.await(() -> events.contains("acquired q1 1") && events.contains("acquired q2 1"), events::toString);
        assertThat(source.queriesOf("q3")).isEmpty();
        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(source.mostOpenCursors()).isEqualTo(20);
    }

    @Test
    void changes_that_were_read_settle_before_the_partition_is_released() throws InterruptedException {
        scriptBlocking();
        Subscriber subscriber = subscriber(1);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, blockingOn("A2"));
        SubscriberFixture.await(blocked);
        Polling.await(() -> source.rowsReturned("a") == 3, source::queries);

        advanceUntil(() -> source.openCursors() == 0);
        assertThat(source.queriesOf("b")).isEmpty();
        assertThat(fixture.stored("a").owner()).isPresent();
        release.countDown();
        advanceUntil(() -> events.contains("B1"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        SubscriberFixture.get(run);
        assertThat(events).containsSubsequence("A1", "A2", "A3", "stored a 3", "released a", "acquired b 1", "B1");
        assertThat(fixture.stored("a").watermark()).isEqualTo(at(3));
    }

    @Test
    void a_stuck_consumer_keeps_its_partition_and_what_was_not_started_comes_with_the_next_turn()
            throws InterruptedException {
        scriptBlocking();
        Subscriber subscriber = subscriber(1);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, blockingOn("A2"));
        SubscriberFixture.await(blocked);
        Polling.await(() -> source.rowsReturned("a") == 3, source::queries);
        advanceUntil(() -> source.openCursors() == 0);

        Instant overdue = time.instant().plus(DRAIN_TIMEOUT).plus(PartitionHandOver.ROTATION_INTERVAL.multipliedBy(2));
        advanceUntil(() -> time.instant().isAfter(overdue));
        assertThat(source.queriesOf("b")).isEmpty();
        assertThat(fixture.stored("a").owner()).isPresent();
        release.countDown();
        advanceUntil(() -> events.contains("A3"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        SubscriberFixture.get(run);
        assertThat(events)
                .containsSubsequence(
                        "A1", "A2", "stored a 2", "released a", "acquired b 1", "B1", "released b", "A2", "A3");
        assertThat(events.stream().filter("A3"::equals)).hasSize(1);
    }

    @Test
    void a_partition_that_is_read_to_its_end_leaves_its_place_and_is_finished() throws InterruptedException {
        source.roots("a", "b")
                .change("a", 1, "A")
                .change("a", 2, "A")
                .split("a", 3, "c")
                .change("b", 1, "B");
        Subscriber subscriber = subscriber(1);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, blockingOn("A2"));
        SubscriberFixture.await(blocked);
        advanceUntil(() -> events.contains("B1"));

        release.countDown();
        advanceUntil(() -> events.contains("finished a"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        SubscriberFixture.get(run);
        assertThat(fixture.state("a")).isEqualTo(PartitionState.FINISHED);
        assertThat(events).doesNotContain("released a");
    }

    @Test
    void a_storage_that_loses_its_confirmation_of_the_release_costs_nothing() throws InterruptedException {
        AtomicBoolean once = new AtomicBoolean();
        fixture.storage = new FaultyStorage(
                        fixture.storage,
                        true,
                        (call, method) -> method.equals("release") && once.compareAndSet(false, true)
                                ? Verdict.FAIL_AFTER
                                : Verdict.PASS)
                .storage();
        source.roots("a", "b").heartbeat("a", 5).change("b", 1, "B");
        Subscriber subscriber = subscriber(1);
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, blockingOn("nothing"));

        advanceUntil(() -> events.contains("B1"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(once).isTrue();
        assertThat(events).contains("released a").noneMatch(event -> event.startsWith("lost"));
    }

    @Test
    void a_partition_that_cannot_be_finished_yet_holds_no_other_up() throws InterruptedException {
        AtomicBoolean away = new AtomicBoolean();
        fixture.storage = new FaultyStorage(
                        fixture.storage,
                        true,
                        (call, method) -> method.equals("finish") && away.get() ? Verdict.FAIL_BEFORE : Verdict.PASS)
                .storage();
        source.roots("a", "b").change("a", 2, "A").split("a", 3, "c").change("b", 1, "B");
        Subscriber subscriber = subscriber(1);
        release.countDown();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, blockingOn("A2", () -> away.set(true)));

        advanceUntil(() -> run.isDone() || events.containsAll(List.of("A2", "B1")));
        assertThat(events).doesNotContain("finished a");
        away.set(false);
        advanceUntil(() -> run.isDone() || events.contains("finished a"));

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(events).containsSubsequence("A2", "finished a").containsSubsequence("B1", "finished a");
    }

    @Test
    void shutdown_in_the_middle_of_a_hand_over_starts_nothing_more_and_gives_the_partition_back()
            throws InterruptedException {
        scriptBlocking();
        Subscriber subscriber = subscriber(1);
        RecordingConsumer consumer = blockingOn("A2", () -> subscriber.shutdown(SubscriberFixture.BOUND));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(blocked);
        Polling.await(() -> source.rowsReturned("a") == 3, source::queries);
        advanceUntil(() -> source.openCursors() == 0);

        release.countDown();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(fixture.stored("a").owner()).isEmpty();
        assertThat(source.queriesOf("b")).isEmpty();
        assertThat(events).doesNotContain("A3").containsOnlyOnce("released a");
    }

    /** Partition a has the first turn, and in it a change that blocks, and another one behind it. */
    private void scriptBlocking() {
        source.roots("a", "b")
                .change("a", 1, "A")
                .change("a", 2, "A")
                .change("a", 3, "A")
                .change("b", 1, "B")
                .heartbeat("b", 8);
    }

    private RecordingConsumer blockingOn(String label) {
        return blockingOn(label, () -> {});
    }

    private RecordingConsumer blockingOn(String label, Runnable afterwards) {
        return new RecordingConsumer((change, delivery) -> {
            String its = new RecordingConsumer.Consumed(change, delivery).label();
            if (its.equals(label)) {
                blocked.countDown();
                SubscriberFixture.await(release);
                afterwards.run();
            }
            events.add(its);
        });
    }

    private Subscriber subscriber(int maxOpenPartitions) {
        return Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .maxInflight(4)
                        .maxOpenPartitions(maxOpenPartitions)
                        .leaseTime(Duration.ofHours(1))
                        .heartbeatInterval(SubscriberOptions.MAX_HEARTBEAT_INTERVAL)
                        .drainTimeout(DRAIN_TIMEOUT)
                        .listener(new Noting())
                        .build())
                .time(time)
                .build();
    }

    /** In steps, so that all parts of the engine can follow; they end when the condition holds. */
    private void advanceUntil(BooleanSupplier condition) {
        Polling.await(
                () -> {
                    time.advance(STEP);
                    return condition.getAsBoolean();
                },
                events::toString);
    }

    private final class Noting implements SubscriptionListener {
        @Override
        public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
            events.add("acquired " + partition + " " + epoch);
        }

        @Override
        public void partitionsWaiting(int count, @Nullable Instant oldestWatermark) {
            events.add(count + " wait");
        }

        @Override
        public void partitionReleased(PartitionToken partition) {
            events.add("released " + partition);
        }

        @Override
        public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
            events.add("finished " + partition);
        }

        @Override
        public void leaseLost(PartitionToken partition, long epoch) {
            events.add("lost " + partition);
        }

        @Override
        public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
            watermarks.forEach((partition, watermark) ->
                    events.add("stored " + partition + " " + (watermark.getEpochSecond() - START.getEpochSecond())));
        }
    }
}

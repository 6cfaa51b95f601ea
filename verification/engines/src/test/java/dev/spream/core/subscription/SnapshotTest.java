package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A subscription that begins with a snapshot: its rows first, and then the changes after it. */
class SnapshotTest {
    private static final Instant AFTER = START.plusNanos(1);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    /** Two chunks of rows, and a change of a key of each after them; in "p" too is what the stream has at its start. */
    @BeforeEach
    void write() {
        source.serverTime(START).roots("p");
        source.add("snapshot", children(START, "snapshot:keys", "Parent0")).end("snapshot");
        source.add("snapshot:keys", children(START, "snapshot:a", "snapshot:keys"));
        source.add("snapshot:keys", children(START, "snapshot:b", "snapshot:keys"));
        source.change("snapshot:a", 0, "A").add("snapshot:a", continued());
        source.change("snapshot:b", 0, "B")
                .change("snapshot:b", 0, "C", "row-c")
                .add("snapshot:b", continued());
        source.add("snapshot:stream", children(AFTER, "p", "snapshot:stream")).end("snapshot:stream");
        source.change("p", 1, "A").change("p", 2, "B");
        List.of("snapshot:keys", "snapshot:a", "snapshot:b").forEach(source::end);
    }

    private static ChildPartitionsRecord children(Instant start, String token, String parent) {
        return new ChildPartitionsRecord(
                start, "0", List.of(parent.equals("Parent0") ? child(token) : child(token, parent)));
    }

    private static ChildPartitionsRecord continued() {
        return children(AFTER, "snapshot:stream", "snapshot:rows");
    }

    private Subscriber snapshot(UnaryOperator<SubscriberOptions.Builder> options) {
        source.serverTime(at(0));
        return Subscriber.builder(source, fixture.storage)
                .options(options.apply(SubscriberOptions.builder()
                                .snapshot(true)
                                .endAt(at(9))
                                .watermarkInterval(Duration.ofMillis(5))
                                .partitionDiscoveryInterval(Duration.ofMinutes(10)))
                        .build())
                .build();
    }

    private CompletableFuture<CompletionReason> start(
            UnaryOperator<SubscriberOptions.Builder> options, RecordingConsumer consumer) throws InterruptedException {
        CompletableFuture<CompletionReason> run = fixture.start(snapshot(options), consumer);
        Polling.await(() -> fixture.storage.subscription().isPresent() || run.isDone(), () -> "not stored");
        source.serverTime(at(99)); // the end of the subscription is past
        return run;
    }

    @ParameterizedTest
    @EnumSource(Ordering.class)
    void changes_are_read_when_every_row_of_the_snapshot_is_settled(Ordering ordering) throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.serverTransactionId().equals("row-c")) {
                SubscriberFixture.await(release);
            }
        });
        CompletableFuture<CompletionReason> run =
                start(options -> options.maxInflight(8).ordering(ordering), consumer);
        Polling.await(() -> fixture.storage.lineage().partitions().size() == 5, () -> "b is not read");
        consumer.await(labels -> labels.contains("A0"));
        assertThat(source.queriesOf("snapshot:stream")).isEmpty();
        assertThat(source.queriesOf("p")).isEmpty();

        release.countDown();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A0", "B0", "C0", "A1", "B2");
        assertThat(consumer.labels().subList(3, 5)).containsExactlyInAnyOrder("A1", "B2");
        assertThat(source.queriesOf("p"))
                .first()
                .satisfies(query -> assertThat(query.startTimestamp()).isEqualTo(AFTER));
        requireProven();
    }

    @Test
    void a_stream_with_mutable_key_ranges_continues_a_snapshot_too() throws InterruptedException {
        ScriptedSource mutable = new SubscriberFixture().source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE);
        mutable.start("Parent0", 0, "p").end("Parent0");
        mutable.add("snapshot", children(START, "snapshot:a", "Parent0")).end("snapshot");
        mutable.change("snapshot:a", 0, "A").add("snapshot:a", continued());
        mutable.add("snapshot:a", new dev.spream.core.record.PartitionEndRecord(AFTER, "1", "snapshot:a"));
        mutable.add("snapshot:stream", new dev.spream.core.record.PartitionStartRecord(AFTER, "0", List.of("p")));
        mutable.add("snapshot:stream", new dev.spream.core.record.PartitionEndRecord(AFTER, "1", "snapshot:stream"));
        mutable.change("p", 1, "A").endRecord("p", 5);
        mutable.serverTime(START);
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = Subscriber.builder(mutable, fixture.storage)
                .options(SubscriberOptions.builder()
                        .snapshot(true)
                        .endAt(at(9))
                        .watermarkInterval(Duration.ofMillis(5))
                        .build())
                .build();

        assertThat(fixture.run(subscriber, consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A0", "A1");
        requireProven();
    }

    @Test
    void a_restart_reads_only_chunks_that_were_not_settled() throws InterruptedException {
        AtomicBoolean fails = new AtomicBoolean(true);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (change.serverTransactionId().equals("row-c") && fails.get()) {
                awaitFinished("snapshot:a");
                throw new IllegalStateException("broken");
            }
        });
        assertThatThrownBy(() -> SubscriberFixture.get(start(options -> options, consumer)))
                .isInstanceOf(ConsumerException.class);
        assertThat(source.queriesOf("snapshot:stream")).isEmpty();
        fails.set(false);

        // without the option: the stored partitions tell how it began
        assertThat(SubscriberFixture.get(start(options -> options.snapshot(false), consumer)))
                .isEqualTo(CompletionReason.COMPLETED);

        assertThat(source.queriesOf("snapshot")).hasSize(1);
        assertThat(source.queriesOf("snapshot:a")).hasSize(1);
        assertThat(source.queriesOf("snapshot:b")).hasSize(2);
        assertThat(consumer.labels()).containsSubsequence("A0", "A1").containsSubsequence("B0", "B2");
        assertThat(consumer.labels()).contains("C0").filteredOn("A0"::equals).hasSize(1);
        requireProven();
    }

    private void awaitFinished(String token) throws InterruptedException {
        Polling.await(() -> fixture.stored(token).isFinished(), () -> token + " is not finished");
    }

    @Test
    void a_subscription_that_began_without_a_snapshot_is_refused() throws InterruptedException {
        source.serverTime(at(99));
        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(9))), new RecordingConsumer()))
                .isEqualTo(CompletionReason.COMPLETED);

        assertThatThrownBy(() -> fixture.run(snapshot(options -> options), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("began without a snapshot; nothing was changed");
    }

    @Test
    void a_subscription_that_was_stored_without_a_snapshot_is_refused_before_anything_is_read()
            throws InterruptedException {
        fixture.storage.openSubscription(record(Optional.empty()));

        assertThatThrownBy(() -> fixture.run(snapshot(options -> options), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("began without a snapshot; nothing was changed");
        assertThat(source.queriesOf("snapshot")).isEmpty();
    }

    @Test
    void partitions_of_another_reader_are_not_continued_by_a_snapshot() throws InterruptedException {
        fixture.storage = hiding(Optional.empty(), Integer.MAX_VALUE);

        assertThatThrownBy(() -> fixture.run(snapshot(options -> options), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("began without a snapshot; nothing was changed");
    }

    @Test
    void a_snapshot_that_another_worker_stores_at_the_same_time_is_continued() throws InterruptedException {
        fixture.storage = hiding(Optional.of(PartitionToken.SNAPSHOT), 1);
        RecordingConsumer consumer = new RecordingConsumer();

        CompletableFuture<CompletionReason> run = fixture.start(snapshot(options -> options), consumer);
        Polling.await(() -> consumer.labels().contains("A0") || run.isDone(), () -> "no row is read");
        source.serverTime(at(99)); // the end of the subscription is past

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactlyInAnyOrder("A0", "B0", "C0", "A1", "B2");
    }

    /** Returns a storage with partitions, in which the engine's first reads of the subscription find none. */
    private static PartitionStorage hiding(Optional<PartitionToken> snapshot, int reads) {
        InMemoryPartitionStorage stored = new InMemoryPartitionStorage();
        stored.openSubscription(record(snapshot));
        AtomicInteger left = new AtomicInteger(reads);
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> method.getName().equals("subscription")
                                && Thread.currentThread().getName().startsWith("spream-")
                                && left.getAndDecrement() > 0
                        ? Optional.empty()
                        : method.invoke(stored, arguments));
    }

    @Test
    void a_subscription_whose_start_was_moved_reads_the_stream_alone() throws InterruptedException {
        fixture.storage.openSubscription(record(Optional.of(PartitionToken.SNAPSHOT_ROWS)));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(SubscriberFixture.get(start(options -> options, consumer))).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A1", "B2");
        assertThat(source.queriesOf("snapshot")).isEmpty();
    }

    @Test
    void a_stored_snapshot_is_not_read_in_commit_order() throws InterruptedException {
        fixture.storage.openSubscription(record(Optional.of(PartitionToken.SNAPSHOT)));
        UnaryOperator<SubscriberOptions.Builder> inOrder =
                options -> options.snapshot(false).transactionMode(TransactionMode.COMMIT_ORDER);

        assertThatThrownBy(() -> SubscriberFixture.get(start(inOrder, new RecordingConsumer())))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("the snapshot of the stored subscription is not read yet")
                .hasMessageContaining("nothing was changed");
        assertThat(source.queriesOf("snapshot")).isEmpty();

        RecordingConsumer consumer = new RecordingConsumer();
        assertThat(SubscriberFixture.get(start(options -> options.snapshot(false), consumer)))
                .isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).hasSize(5);
    }

    private static SubscriptionRecord record(Optional<PartitionToken> snapshot) {
        return new SubscriptionRecord(
                "Orders",
                START,
                Optional.of(at(9)),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false,
                snapshot);
    }

    @Test
    void a_snapshot_has_no_other_start_than_the_time_of_the_first_run() {
        assertThatThrownBy(() -> snapshot(options -> options.startAt(START)))
                .hasMessageContaining("a snapshot starts at the time of the first run");
    }

    private void requireProven() {
        assertThat(LineageCheck.check(
                                fixture.storage.subscription().orElseThrow(),
                                fixture.storage.lineage(),
                                fixture.storage.proofs())
                        .findings())
                .isEmpty();
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** More partitions than may be read at the same time. */
class OpenPartitionsLimitTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final List<String> acquired = new CopyOnWriteArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>(); // told by the runner, read when it has ended

    private record Waiting(int count, Optional<Instant> oldest) {}

    @Test
    void no_more_partitions_are_read_at_the_same_time_than_the_options_allow() throws InterruptedException {
        List<String> partitions = List.of("a", "b", "c", "d", "e");
        source.roots(partitions.toArray(String[]::new));
        partitions.forEach(partition -> source.change(partition, 1, partition));
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = fixture.subscriber(options -> listening(options).maxOpenPartitions(2));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        consumer.await(labels -> labels.size() == 2);
        assertThat(source.openCursors()).isEqualTo(2);

        partitions.forEach(partition -> source.split(partition, 3, "child of " + partition));

        consumer.await(labels -> labels.size() == 5);
        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(source.mostOpenCursors()).isEqualTo(2);
    }

    @Test
    void no_more_partitions_are_read_at_the_same_time_than_the_source_can_carry() throws InterruptedException {
        scriptTree();
        source.maxOpenQueries(1);
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(limitedTo(10), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).hasSize(7);
        assertThat(source.mostOpenCursors()).isEqualTo(1);
    }

    @Test
    void the_partition_with_the_oldest_watermark_is_next() throws InterruptedException {
        String root = PartitionToken.ROOT.value();
        source.children(root, 1, child("late"))
                .children(root, 3, child("latest"))
                .children(root, 2, child("later"))
                .end(root);

        assertThat(fixture.run(limitedTo(1), new RecordingConsumer())).isEqualTo(CompletionReason.COMPLETED);

        assertThat(acquired).containsExactly(root, "late", "later", "latest");
    }

    @Test
    void partitions_that_wait_are_told_when_their_number_changes_and_not_again() throws InterruptedException {
        source.roots("a", "b", "c");
        FaultyStorage counting = FaultyStorage.counting(fixture.storage);
        fixture.storage = counting.storage();
        Subscriber subscriber = fixture.subscriber(
                options -> listening(options).maxOpenPartitions(1).partitionDiscoveryInterval(Duration.ofMillis(1)));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());
        Polling.await(() -> acquired.contains("a"), acquired::toString);
        long rounds = counting.calls("frontierSince");
        Polling.await(() -> counting.calls("frontierSince") > rounds + 10, acquired::toString);

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(waiting.getLast()).isEqualTo(new Waiting(2, Optional.of(START)));
        assertThat(waiting)
                .zipSatisfy(
                        previousOf(waiting), (told, before) -> assertThat(told).isNotEqualTo(before));
    }

    @Test
    void it_is_told_when_no_partition_waits_any_more() throws InterruptedException {
        scriptTree();

        assertThat(fixture.run(limitedTo(1), new RecordingConsumer())).isEqualTo(CompletionReason.COMPLETED);

        assertThat(waiting.getFirst().count()).isPositive();
        assertThat(waiting.getLast()).isEqualTo(new Waiting(0, Optional.empty()));
    }

    private static List<@Nullable Waiting> previousOf(List<Waiting> told) {
        List<@Nullable Waiting> previous = new ArrayList<>();
        previous.add(null);
        previous.addAll(told.subList(0, told.size() - 1));
        return previous;
    }

    private void scriptTree() {
        source.roots("a", "b", "c", "d")
                .change("a", 1, "A")
                .change("b", 1, "B")
                .change("c", 1, "C")
                .change("d", 1, "D")
                .split("a", 3, "e", "f")
                .split("b", 3, "g", "h")
                .change("e", 4, "E")
                .change("f", 4, "F")
                .change("g", 4, "G");
    }

    private Subscriber limitedTo(int partitions) {
        return fixture.subscriber(options -> listening(options).endAt(at(9)).maxOpenPartitions(partitions));
    }

    private SubscriberOptions.Builder listening(SubscriberOptions.Builder options) {
        return options.listener(new SubscriptionListener() {
            @Override
            public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
                acquired.add(partition.value());
            }

            @Override
            public void partitionsWaiting(int count, @Nullable Instant oldestWatermark) {
                waiting.add(new Waiting(count, Optional.ofNullable(oldestWatermark)));
            }
        });
    }
}

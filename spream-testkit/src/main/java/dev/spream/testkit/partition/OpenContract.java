package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of opening and completing a subscription, and of the snapshot of its lineage. */
interface OpenContract extends StorageScenario.Stage {

    @Test
    default void a_storage_that_was_never_opened_holds_nothing() {
        PartitionStorage storage = given().storage();
        assertThat(storage.subscription()).isEmpty();
        assertThat(storage.createdAt()).isEmpty();
        assertThat(storage.lineage().partitions()).isEmpty();
        assertThat(storage.proofs()).isEmpty();
        assertThat(storage.workers()).isEmpty();
    }

    @Test
    default void opening_stores_the_record_and_returns_it() {
        assertThat(given().storage().openSubscription(SUBSCRIPTION)).isEqualTo(SUBSCRIPTION);
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
        assertThat(given().anotherConnection().subscription()).contains(SUBSCRIPTION);
    }

    @Test
    default void a_subscription_without_an_end_in_the_other_mode_is_stored_as_it_is() {
        SubscriptionRecord endless = new SubscriptionRecord(
                "Ärger",
                Instant.EPOCH,
                Optional.empty(),
                Duration.ofMinutes(5),
                PartitionMode.MUTABLE_KEY_RANGE,
                false);
        given().storage().openSubscription(endless);
        assertThat(given().anotherConnection().subscription()).contains(endless);
    }

    @Test
    default void the_query_of_a_snapshot_is_stored_with_the_subscription() {
        SubscriptionRecord snapshot = new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                SUBSCRIPTION.startTimestamp(),
                SUBSCRIPTION.endTimestamp(),
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                false,
                Optional.of(new PartitionToken("snapshot:tables:10000")));
        assertThat(given().storage().openSubscription(snapshot)).isEqualTo(snapshot);
        assertThat(given().anotherConnection().subscription()).contains(snapshot);
        assertThat(given().anotherConnection().openSubscription(SUBSCRIPTION)).isEqualTo(snapshot);
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
    }

    @Test
    default void opening_creates_the_root_partition() {
        given().storage().openSubscription(SUBSCRIPTION);
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
        PartitionMetadata root = given().partition("Parent0");
        assertThat(root).isEqualTo(SUBSCRIPTION.root(root.createdAt()));
    }

    @Test
    default void opening_again_returns_what_is_stored_whatever_was_requested() {
        given().runningRoot(ANN);
        PartitionMetadata root = given().partition("Parent0");
        SubscriptionRecord other = new SubscriptionRecord(
                "Payments", at(7), Optional.empty(), Duration.ofSeconds(1), PartitionMode.MUTABLE_KEY_RANGE, false);

        assertThat(given().storage().openSubscription(other)).isEqualTo(SUBSCRIPTION);
        assertThat(given().anotherConnection().openSubscription(other)).isEqualTo(SUBSCRIPTION);
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
        assertThat(given().storage().lineage().partitions()).containsExactly(root);
    }

    @Test
    default void the_time_at_which_a_subscription_was_stored_stays_the_same() {
        given().storage().openSubscription(SUBSCRIPTION);
        Optional<Instant> createdAt = given().storage().createdAt();
        assertThat(createdAt).contains(given().partition("Parent0").createdAt());

        given().anotherConnection().openSubscription(SUBSCRIPTION);
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(2), PartitionEnd.boundedEnd(at(2)));
        Instant finishedAt = given().partition(root).finishedAt().orElseThrow();
        assertThat(given().storage().cleanUp(finishedAt.plusSeconds(1))).isEqualTo(1);
        assertThat(given().storage().createdAt()).isEqualTo(createdAt);
        assertThat(given().anotherConnection().createdAt()).isEqualTo(createdAt);
    }

    @Test
    default void several_that_open_at_once_agree_on_one_record() throws Exception {
        int openers = 8;
        CyclicBarrier start = new CyclicBarrier(openers);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<SubscriptionRecord>> calls = IntStream.range(0, openers)
                    .mapToObj(i -> (Callable<SubscriptionRecord>) () -> {
                        SubscriptionRecord mine = new SubscriptionRecord(
                                "Orders",
                                at(i),
                                Optional.empty(),
                                Duration.ofSeconds(10),
                                PartitionMode.IMMUTABLE_KEY_RANGE,
                                false);
                        PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                        start.await();
                        return storage.openSubscription(mine);
                    })
                    .toList();
            List<SubscriptionRecord> opened =
                    threads.invokeAll(calls).stream().map(Future::resultNow).toList();

            SubscriptionRecord stored = given().storage().subscription().orElseThrow();
            assertThat(opened).hasSize(openers).containsOnly(stored);
            assertThat(given().partition("Parent0").startTimestamp()).isEqualTo(stored.startTimestamp());
        }
    }

    @Test
    default void a_subscription_that_was_never_opened_does_not_complete() {
        assertThat(given().storage().completeIfAllFinished()).isFalse();
        assertThat(given().storage().subscription()).isEmpty();
    }

    @Test
    default void a_subscription_does_not_complete_while_a_partition_is_unfinished() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().storage().finish(a, at(2), PartitionEnd.boundedEnd(at(2)));

        assertThat(given().storage().completeIfAllFinished()).isFalse();
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
    }

    @Test
    default void a_subscription_completes_when_all_its_partitions_are_finished() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(2), PartitionEnd.boundedEnd(at(2)));

        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertThat(given().anotherConnection().completeIfAllFinished()).isTrue();
        assertThat(given().storage().subscription()).contains(completed());
        assertThat(given().anotherConnection().openSubscription(SUBSCRIPTION))
                .as("completed is not the same as never started")
                .isEqualTo(completed());
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
    }

    @Test
    default void a_subscription_completes_and_stays_completed_when_all_its_partitions_were_removed() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(2), PartitionEnd.boundedEnd(at(2)));
        Instant finishedAt = given().partition(root).finishedAt().orElseThrow();
        assertThat(given().storage().cleanUp(finishedAt.plusSeconds(1))).isEqualTo(1);

        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertThat(given().storage().subscription()).contains(completed());
    }

    @Test
    default void the_lineage_is_ordered_by_start_and_then_by_token_as_text_compares() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 3, "early", "late");
        given().add(root, 2, "b", "_", "B", "a", "-", "A", "Z1", "10", "9");

        assertThat(given().storedTokens())
                .isEqualTo(tokens("Parent0", "-", "10", "9", "A", "B", "Z1", "_", "a", "b", "early", "late"));
        assertThat(given().anotherConnection().lineage().partitions())
                .containsExactlyElementsOf(given().storage().lineage().partitions());
    }

    private static SubscriptionRecord completed() {
        return new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                SUBSCRIPTION.startTimestamp(),
                SUBSCRIPTION.endTimestamp(),
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                true);
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of exact timestamps, long tokens, and many partitions. */
interface CapacityContract extends StorageScenario.Stage {
    /** The last timestamp that Spanner supports; rounded up, it falls into the year 10000. */
    Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    /** The number of partitions that are started, each by a call of its own, and advanced together. */
    int RUNNING = Integer.getInteger("partitions.running", 20);

    @Test
    default void timestamps_keep_their_nanoseconds_up_to_the_last_one_there_is() {
        SubscriptionRecord requested = new SubscriptionRecord(
                "Orders",
                Instant.parse("1970-01-01T00:00:00.000000001Z"),
                Optional.of(LAST),
                Duration.ofMillis(1500),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false);
        given().storage().openSubscription(requested);
        assertThat(given().anotherConnection().subscription()).contains(requested);

        PartitionLease root = given().running(ANN, "Parent0");
        assertThat(root.watermark()).isEqualTo(requested.startTimestamp());
        Instant childStart = Instant.parse("2026-03-01T00:00:00.999999999Z");
        given().storage()
                .addChildren(
                        root, new ChildPartitionsRecord(childStart, "0", List.of(new ChildPartition("a", List.of()))));
        assertThat(given().partition("a").startTimestamp()).isEqualTo(childStart);
        assertThat(given().partition("a").watermark()).isEqualTo(childStart);

        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(root, LAST.minusNanos(1))));
        assertThat(given().partition("Parent0").watermark()).isEqualTo(LAST.minusNanos(1));
        given().storage().finish(root, LAST, PartitionEnd.boundedEnd(LAST));
        assertThat(given().partition("Parent0").watermark()).isEqualTo(LAST);
        assertThat(given().partition("Parent0").endProof()).contains(PartitionEnd.boundedEnd(LAST));
    }

    @Test
    default void timestamps_that_differ_by_a_nanosecond_order_the_lineage() {
        PartitionLease root = given().runningRoot(ANN);
        for (int nanos : new int[] {3, 1, 2}) {
            given().storage()
                    .addChildren(
                            root,
                            new ChildPartitionsRecord(
                                    at(1).plusNanos(nanos),
                                    "0",
                                    List.of(new ChildPartition("z" + (9 - nanos), List.of()))));
        }
        assertThat(given().storedTokens()).isEqualTo(StorageScenario.tokens("Parent0", "z8", "z7", "z6"));
    }

    @Test
    default void tokens_of_thousands_of_characters_that_differ_in_the_last_are_kept_apart() {
        String stem = "0123456789".repeat(500).substring(1);
        String first = stem + "a";
        String second = stem + "b";
        PartitionLease root = given().runningRoot(ANN);
        given().storage()
                .addChildren(
                        root,
                        new ChildPartitionsRecord(
                                at(1),
                                "0",
                                List.of(
                                        new ChildPartition(first, List.of()),
                                        new ChildPartition(second, List.of(first, stem + "c")))));
        assertThat(given().storedTokens()).isEqualTo(StorageScenario.tokens("Parent0", first, second));
        assertThat(given().partition(second).parentTokens()).isEqualTo(StorageScenario.tokens(first, stem + "c"));

        PartitionLease lease = given().running(ANN, first);
        assertThat(lease.token()).isEqualTo(token(first));
        assertThat(given().partition(second).state()).isEqualTo(PartitionState.CREATED);
        given().finish(root, 1, first, second);
        assertThat(given().partition("Parent0").endProof().orElseThrow().children())
                .isEqualTo(StorageScenario.tokens(first, second));
    }

    @Test
    default void sources_and_destinations_of_thousands_of_characters_are_kept_apart() {
        String stem = "0123456789".repeat(500).substring(1);
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        MoveIn moveIn = StorageScenario.moveIn(5, stem + "a", stem + "b");
        MoveOuts moveOuts = StorageScenario.moveOuts("0".repeat(1_000), stem + "c", stem + "d");
        given().waitForMoveIn(a, moveIn);
        given().advance(a, at(5), moveOuts);
        assertThat(given().partition("a").moveIn()).contains(moveIn);
        assertThat(given().partition("a").moveOuts()).contains(moveOuts);

        given().advance(a, at(5), StorageScenario.moveOuts("0", stem + "e", stem + "d"));
        assertThat(given().partition("a").moveOuts())
                .contains(StorageScenario.moveOuts("0".repeat(1_000), stem + "c", stem + "d", stem + "e"));
    }

    @Test
    default void two_thousand_partitions_are_added_acquired_renewed_and_released_together() {
        int count = 2_000;
        PartitionLease root = given().runningRoot(ANN);
        List<ChildPartition> children = IntStream.range(0, count)
                .mapToObj(i -> new ChildPartition("p%04d".formatted(i), List.of()))
                .toList();
        given().storage().addChildren(root, new ChildPartitionsRecord(at(1), "0", children));
        given().finish(root, 1, children.stream().map(ChildPartition::token).toArray(String[]::new));

        List<PartitionMetadata> claimable = given().storage().lineage().claimable();
        assertThat(claimable).hasSize(count);
        List<PartitionLease> leases = given().storage()
                .acquire(ANN, claimable.stream().map(PartitionClaim::of).toList(), LEASE);
        assertThat(leases)
                .extracting(PartitionLease::token)
                .isEqualTo(StorageScenario.tokens(
                        children.stream().map(ChildPartition::token).toArray(String[]::new)));
        List<PartitionLease> running = leases.subList(0, RUNNING);
        assertThat(running).allMatch(given().storage()::markRunning);
        assertThat(given().storage().renew(leases, LEASE)).isEmpty();
        assertThat(given().storage()
                        .advanceWatermarks(running.stream()
                                .map(lease -> new WatermarkAdvance(lease, at(2)))
                                .toList()))
                .isEmpty();
        given().storage().release(leases);

        List<PartitionMetadata> released = given().storage().lineage().claimable();
        assertThat(released).hasSize(count);
        assertThat(released)
                .filteredOn(partition -> partition.state() == PartitionState.RUNNING)
                .hasSize(RUNNING)
                .allMatch(partition -> partition.watermark().equals(at(2)));
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of the part of the lineage that workers read periodically, and of the moment of a snapshot. */
interface FrontierContract extends StorageScenario.Stage {

    @Test
    default void the_frontier_has_the_unfinished_and_the_parents_they_name() {
        given().created("a", "b", "c");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        given().storage().addChildren(a, children(2, child("m", "a", "b")));
        given().finish(a, 2, "m");
        PartitionLease c = given().running(ANN, "c");
        given().add(c, 3, "d");
        given().finish(c, 3, "d");
        PartitionLease d = given().running(BOB, "d");
        given().add(d, 4, "e");
        given().finish(d, 4, "e");

        Lineage frontier = given().storage().frontier();
        assertThat(frontier.partitions())
                .as("a is named by m, d by e; the root and c by no partition that is left")
                .extracting(PartitionMetadata::token)
                .isEqualTo(tokens("a", "b", "m", "d", "e"));
        Lineage lineage = given().storage().lineage();
        assertThat(frontier.partitions())
                .allSatisfy(partition ->
                        assertThat(lineage.partition(partition.token())).contains(partition));
        assertThat(frontier.claimable()).isEqualTo(lineage.claimable());
        assertThat(frontier.lowWatermark()).isEqualTo(lineage.lowWatermark());

        given().finish(b, 2, "m");
        assertThat(given().storage().frontier().claimable())
                .extracting(PartitionMetadata::token)
                .isEqualTo(tokens("m", "e"));
    }

    @Test
    default void the_frontier_is_empty_before_the_subscription_and_after_its_last_partition() {
        assertThat(given().storage().frontier().partitions()).isEmpty();
        given().storage().openSubscription(SUBSCRIPTION);
        assertThat(given().storage().frontier().partitions())
                .extracting(PartitionMetadata::token)
                .containsExactly(PartitionToken.ROOT);
        PartitionLease root = given().running(ANN, PartitionToken.ROOT.value());
        given().storage().finish(root, StorageScenario.at(9), PartitionEnd.boundedEnd(StorageScenario.at(9)));
        assertThat(given().storage().frontier().partitions()).isEmpty();
    }

    @Test
    default void a_snapshot_has_the_time_of_the_clock_that_measures_leases() {
        given().created("a", "b");
        given().acquired(ANN, "a");
        given().passTime(LEASE.minus(MOMENT));
        given().acquired(BOB, "b");
        Lineage before = given().storage().frontier();
        given().passTime(MOMENT.multipliedBy(2));
        for (Lineage snapshot : List.of(
                before,
                given().storage().frontier(),
                given().anotherConnection().lineage())) {
            snapshot.partitions().stream()
                    .filter(partition -> partition.leaseUntil().isPresent())
                    .forEach(partition -> {
                        Instant until = partition.leaseUntil().orElseThrow();
                        assertThat(partition.leaseLive()).isEqualTo(until.isAfter(snapshot.readAt()));
                    });
        }
        assertThat(given().storage().frontier().claimable())
                .extracting(PartitionMetadata::token)
                .isEqualTo(tokens("a"));
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of several subscriptions in one storage. */
interface SeparationContract extends StorageScenario.Stage {

    @Test
    default void two_subscriptions_side_by_side_share_nothing() {
        PartitionStorage other = given().anotherSubscription();
        SubscriptionRecord payments = new SubscriptionRecord(
                "Payments", at(5), Optional.empty(), Duration.ofSeconds(2), PartitionMode.IMMUTABLE_KEY_RANGE, false);
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().storage().registerWorker(ANN, 1, LEASE);
        assertThat(other.subscription()).isEmpty();
        assertThat(other.lineage().partitions()).isEmpty();
        assertThat(other.workers()).isEmpty();

        assertThat(other.openSubscription(payments)).isEqualTo(payments);
        other.registerWorker(BOB, 2, LEASE);
        PartitionLease root = acquire(other, "Parent0");
        other.addChildren(root, children(6, child("a"), child("c")));
        other.finish(root, at(6), StorageScenario.endedInto(6, "a", "c"));
        PartitionLease sameToken = acquire(other, "a");
        other.advanceWatermarks(
                List.of(new WatermarkAdvance(sameToken, at(100), Optional.of(StorageScenario.moveOuts("1", "b")))));
        other.waitForMoveIn(sameToken, StorageScenario.moveIn(100, "Parent0"));
        assertThat(other.cleanUp(Instant.parse("9000-01-01T00:00:00Z")))
                .as("its move-in names the root")
                .isZero();
        other.waitForMoveIn(sameToken, StorageScenario.moveIn(100, "b"));
        assertThat(other.cleanUp(Instant.parse("9000-01-01T00:00:00Z"))).isEqualTo(1);

        assertThat(given().storage().openSubscription(payments)).isEqualTo(StorageScenario.SUBSCRIPTION);
        assertThat(given().partition("a").watermark()).isEqualTo(at(1));
        assertThat(given().partition("a").moveIn()).isEmpty();
        assertThat(given().partition("a").moveOuts()).isEmpty();
        assertThat(given().partition("a").owner()).contains(ANN);
        assertThat(given().storedTokens()).isEqualTo(StorageScenario.tokens("Parent0", "a", "b"));
        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::worker)
                .containsExactly(ANN);
        assertThat(given().storage().proofs()).isEmpty();

        given().storage().release(List.of(a));
        given().storage().unregisterWorker(BOB);
        assertThat(other.lineage()
                        .partition(StorageScenario.token("a"))
                        .orElseThrow()
                        .owner())
                .contains(BOB);
        assertThat(other.workers()).extracting(WorkerRegistration::worker).containsExactly(BOB);
        assertThat(other.completeIfAllFinished()).isFalse();
    }

    private static PartitionLease acquire(PartitionStorage storage, String token) {
        PartitionMetadata partition =
                storage.lineage().partition(StorageScenario.token(token)).orElseThrow();
        PartitionLease lease = storage.acquire(BOB, List.of(PartitionClaim.of(partition)), LEASE)
                .getFirst();
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }
}

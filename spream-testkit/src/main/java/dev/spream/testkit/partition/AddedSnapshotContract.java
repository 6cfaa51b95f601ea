package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.CorrectionStage.added;
import static dev.spream.testkit.partition.CorrectionStage.planned;
import static dev.spream.testkit.partition.CorrectionStage.withSnapshot;
import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of snapshots that an operator adds: the stream is read up to their time, then the rows, then the stream on. */
interface AddedSnapshotContract extends CorrectionStage {
    @Test
    default void a_snapshot_is_added_behind_everything_that_was_read() {
        given().created("a", "b");
        PartitionMetadata root = given().partition("Parent0");
        PartitionMetadata a = idle(given().running(ANN, "a"), 20);
        PartitionLease b = given().running(ANN, "b");
        given().letLeasesRunOut();
        List<PartitionClaim> seen = given().storage().frontier().claimable().stream()
                .map(PartitionClaim::of)
                .toList();

        CorrectionPlan plan = corrected(added(30, false, "x", "y"));

        assertThat(given().partition("Parent0")).isEqualTo(root);
        assertThat(given().partition("a"))
                .usingRecursiveComparison()
                .ignoringFields("epoch")
                .isEqualTo(a);
        assertThat(given().storage().acquire(BOB, seen, LEASE))
                .as("a worker that has not seen the snapshot would read on past it")
                .isEmpty();
        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(b, at(40)))))
                .as("its owner may not have read up to the time of the snapshot only")
                .containsExactly(b.token());
        PartitionMetadata x = given().partition("snapshot:added:x");
        assertThat(x)
                .usingRecursiveComparison()
                .ignoringFields("createdAt")
                .isEqualTo(PartitionMetadata.created(
                        token("snapshot:added:x"), List.of(PartitionToken.SNAPSHOT_CHANGES), at(30), at(0)));
        assertThat(given().anotherConnection().lineage().partitions())
                .extracting(PartitionMetadata::token)
                .containsExactlyInAnyOrderElementsOf(plan.partitionsAfter().stream()
                        .map(PartitionMetadata::token)
                        .toList());
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
        assertThat(given().storage().frontier().pausedAt()).contains(at(30));
        assertClaimable("b", "a");
        given().storage().finish(given().running(BOB, "a"), at(30), PartitionEnd.boundedEnd(at(30)));
        assertClaimable("b");
        given().storage().finish(given().running(BOB, "b"), at(30), PartitionEnd.boundedEnd(at(30)));
        assertClaimable("snapshot:added:x", "snapshot:added:y");
        assertProven();
        assertThat(planned(given().storage().correct(new Correction.ContinueAfterSnapshot(), ACT))
                        .changesNothing())
                .as("rows are left")
                .isTrue();
    }

    @Test
    default void partitions_are_read_on_after_an_added_snapshot() {
        given().created("a", "b");
        given().storage().release(List.of(given().running(ANN, "a"), given().running(ANN, "b")));
        corrected(added(30, false, "x"));
        for (String each : List.of("a", "b")) {
            given().storage().finish(given().running(ANN, each), at(30), PartitionEnd.boundedEnd(at(30)));
        }
        PartitionMetadata b = given().partition("b");
        given().storage()
                .finish(
                        given().running(ANN, "snapshot:added:x"),
                        at(30).plusNanos(1),
                        PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()));
        assertProven();
        given().storage().cleanUp(b.finishedAt().orElseThrow().plusSeconds(60));
        assertThat(given().storedTokens()).isEmpty();
        given().storage().registerWorker(BOB, 4, LEASE);

        CorrectionPlan plan = corrected(new Correction.ContinueAfterSnapshot());

        assertThat(plan.restored()).containsExactlyInAnyOrder(token("a"), token("b"));
        assertThat(given().partition("a").watermark()).isEqualTo(at(30).plusNanos(1));
        assertThat(given().partition("b").state()).isEqualTo(PartitionState.RUNNING);
        assertThat(given().storage().frontier().pausedAt()).isEmpty();
        assertClaimable("a", "b");
        assertThat(given().storage().completeIfAllFinished()).isFalse();
        assertProven();
        assertThat(planned(given().storage().correct(new Correction.ContinueAfterSnapshot(), ACT))
                        .changesNothing())
                .isTrue();
        for (String each : List.of("a", "b")) {
            given().storage().finish(given().running(ANN, each), END, PartitionEnd.boundedEnd(END));
        }
        assertThat(planned(given().storage().correct(new Correction.ContinueAfterSnapshot(), ACT))
                        .changesNothing())
                .as("at the end of the subscription")
                .isTrue();
        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertProven();
    }

    @Test
    default void an_added_snapshot_is_replaced_if_that_is_requested() {
        given().created("a");
        given().storage().release(List.of(given().running(ANN, "a")));
        corrected(added(30, false, "x"));
        given().storage().finish(given().running(ANN, "a"), at(30), PartitionEnd.boundedEnd(at(30)));
        PartitionLease x = given().running(ANN, "snapshot:added:x");
        given().add(x, 30, "snapshot:added:x1", "snapshot:added:x2");
        given().finish(x, 30, "snapshot:added:x1", "snapshot:added:x2");
        PartitionLease x1 = given().running(ANN, "snapshot:added:x1");
        given().storage().finish(x1, at(30).plusNanos(1), PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()));
        given().storage()
                .cleanUp(given().partition(x1).finishedAt().orElseThrow().plusSeconds(60));
        given().letLeasesRunOut();
        assertThat(refused(added(40, false, "z")))
                .contains("a snapshot as of " + at(30) + " was added and is not settled", "--again");
        assertThat(refused(new Correction.MoveEnd(Optional.empty()))).contains("was added and is not settled");

        corrected(added(40, true, "z"));

        assertThat(given().storage().proofs()).noneMatch(proof -> proof.token().isOfSnapshot());
        assertThat(given().storedTokens())
                .contains(token("a"), token("snapshot:added:z"))
                .noneMatch(stored -> stored.value().startsWith("snapshot:added:x"));
        assertThat(given().partition("a").watermark()).isEqualTo(at(30).plusNanos(1));
        assertThat(given().storage().frontier().pausedAt()).contains(at(40));
        assertClaimable("a");
        assertProven();
    }

    @Test
    default void a_snapshot_that_would_come_too_late_or_too_early_is_refused() {
        given().storage().openSubscription(withSnapshot(at(0), SNAPSHOT));
        assertThat(refused(added(30, false, "x"))).contains("the snapshot is not read yet");
        PartitionLease root = given().running(ANN, "Parent0");
        given().add(root, 1, "a");
        given().finish(root, 1, "a");
        idle(given().running(ANN, "a"), 30);

        assertThat(refused(added(29, false, "x"))).contains("partition a is settled before " + at(30));
        assertThat(refused(added(3601, false, "x"))).contains("after the end of the subscription", "move-end");
        corrected(added(30, false, "x"));
    }

    @Test
    default void a_snapshot_before_the_end_of_a_finished_partition_is_refused() {
        given().storage().openSubscription(SUBSCRIPTION);
        PartitionLease root = given().running(ANN, "Parent0");
        given().add(root, 1, "a", "b");
        given().finish(root, 1, "a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().storage().finish(a, at(3600), PartitionEnd.boundedEnd(at(3600)));
        idle(given().running(ANN, "b"), 20);

        String reason = "partition a is finished, and was read until " + at(3600);
        assertThat(refused(added(30, false, "x"))).contains(reason, "move-end");
        given().storage().cleanUp(given().storage().lineage().readAt().plusSeconds(3600));
        assertThat(refused(added(30, false, "x"))).contains(reason);
        corrected(added(3600, false, "x"));
    }

    private void assertClaimable(String... partitions) {
        assertThat(given().storage().frontier().claimable())
                .extracting(partition -> partition.token().value())
                .containsExactlyInAnyOrder(partitions);
    }
}

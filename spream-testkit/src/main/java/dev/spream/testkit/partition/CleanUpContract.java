package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static dev.spream.testkit.partition.StorageScenario.endedInto;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of clean-up: finished partitions are removed, and their effect on the watermark and the gate stays. */
interface CleanUpContract extends StorageScenario.Stage {
    Duration LATER = Duration.ofDays(3650);

    @Test
    default void a_finished_partition_is_removed_and_its_proof_remains() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().add(a, 5, "b");
        given().finish(a, 5, "b");
        PartitionLease b = given().running(ANN, "b");
        PartitionMetadata root = given().partition("Parent0");
        PartitionMetadata finished = given().partition("a");
        given().storage().finish(b, at(9), PartitionEnd.boundedEnd(at(9)));

        assertThat(given().storage().cleanUp(finishedAfter("b"))).isEqualTo(3);

        assertThat(given().storage().lineage().partitions()).isEmpty();
        assertThat(given().anotherConnection().proofs()).hasSize(3);
        assertThat(given().storage().proofs().subList(0, 2)).containsExactly(proof(root), proof(finished));
    }

    @Test
    default void what_finished_later_stays() {
        given().created("a");
        Instant finishedAt = given().partition("Parent0").finishedAt().orElseThrow();
        given().running(ANN, "a");
        assertThat(given().storage().cleanUp(finishedAt))
                .as("removed partitions that finished before %s; Parent0 finished at that moment and stays", finishedAt)
                .isZero();
        assertThat(given().storage().proofs()).isEmpty();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a"));
    }

    @Test
    default void what_is_not_finished_is_never_removed() {
        given().created("created", "scheduled", "running");
        given().acquired(ANN, "scheduled");
        given().running(ANN, "running");
        given().storage().cleanUp(finishedAfter("Parent0"));
        assertThat(given().storedTokens()).isEqualTo(tokens("created", "running", "scheduled"));
    }

    @Test
    default void a_parent_of_a_created_child_stays() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        ChildPartitionsRecord merge = children(5, child("m", "a", "b"));
        given().storage().addChildren(a, merge);
        given().finish(a, 5, "m");
        assertThat(given().storage().cleanUp(finishedAfter("a")))
                .as("only the root is removed; a is a parent of m, which is not finished")
                .isEqualTo(1);
        given().finish(b, 5, "m");
        assertThat(given().storage().cleanUp(finishedAfter("b"))).isZero();
        assertThat(given().storedTokens()).isEqualTo(tokens("a", "b", "m"));
    }

    @Test
    default void a_claimable_child_stays_claimable_after_clean_up() {
        given().created("slow", "a");
        PartitionLease slow = given().running(BOB, "slow");
        PartitionLease a = given().running(ANN, "a");
        given().add(a, 50, "b");
        given().finish(a, 50, "b");
        PartitionLease b = given().running(ANN, "b");
        given().storage().cleanUp(finishedAfter("a"));
        given().storage().release(List.of(b));

        assertThat(given().storage().lineage().parentsFinished(given().partition("b")))
                .as("taken over while %s is at an earlier time", slow.token())
                .isTrue();
    }

    @Test
    default void a_removed_child_does_not_come_back_when_its_other_parent_reports_it() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(BOB, "b");
        given().add(a, 5, "shared");
        PartitionLease shared = given().running(ANN, "shared");
        given().storage().finish(shared, at(7), PartitionEnd.boundedEnd(at(7)));
        assertThat(given().storage().cleanUp(finishedAfter("shared"))).isEqualTo(2);

        assertThat(given().storage().addChildren(b, children(5, child("shared", "a", "b"))))
                .isTrue();
        assertThat(given().find(token("shared"))).isEmpty();
        assertThat(given().storage().finish(b, at(5), endedInto(5, "shared")))
                .as("a child whose proof remains counts as stored")
                .isTrue();
    }

    @Test
    default void a_removed_root_does_not_come_back_when_the_subscription_is_opened_again() {
        given().created("a");
        given().running(ANN, "a");
        given().storage().cleanUp(finishedAfter("Parent0"));
        given().anotherConnection().openSubscription(StorageScenario.SUBSCRIPTION);
        assertThat(given().storedTokens()).isEqualTo(tokens("a"));
    }

    @Test
    default void writes_under_the_lease_of_a_removed_partition_are_lost() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(4), PartitionEnd.boundedEnd(at(4)));
        given().storage().cleanUp(finishedAfter("Parent0"));

        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(root, at(9)))))
                .containsExactly(root.token());
        assertThat(given().storage().markRunning(root)).isFalse();
        assertThat(given().storage().lineage().partitions()).isEmpty();
    }

    @Test
    default void cleaning_up_again_finds_nothing_and_keeps_the_proofs() {
        given().created("a");
        given().running(ANN, "a");
        Instant moment = finishedAfter("Parent0");
        assertThat(given().storage().cleanUp(moment)).isEqualTo(1);
        List<FinishedPartition> proofs = given().storage().proofs();
        assertThat(given().storage().cleanUp(moment.plus(LATER))).isZero();
        assertThat(given().storage().proofs()).isEqualTo(proofs).hasSize(1);
    }

    private Instant finishedAfter(String token) {
        return given().partition(token).finishedAt().orElseThrow().plusSeconds(60);
    }

    private static FinishedPartition proof(PartitionMetadata partition) {
        return new FinishedPartition(
                partition.token(),
                partition.parentTokens(),
                partition.startTimestamp(),
                partition.endProof().orElseThrow(),
                partition.finishedAt().orElseThrow(),
                partition.gaps());
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static dev.spream.testkit.partition.StorageScenario.endedInto;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.WatermarkAdvance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of finishing a partition, which requires a proof. */
interface FinishContract extends StorageScenario.Stage {

    @Test
    default void finishing_stores_watermark_and_proof_and_ends_the_lease() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 4, "a", "b");
        assertThat(given().storage().finish(root, at(4), endedInto(4, "b", "a")))
                .isTrue();

        PartitionMetadata finished = given().partition(root);
        assertThat(finished.state()).isEqualTo(PartitionState.FINISHED);
        assertThat(finished.watermark()).isEqualTo(at(4));
        assertThat(finished.endProof()).contains(endedInto(4, "b", "a"));
        assertThat(finished.finishedAt()).isPresent();
        assertThat(finished.leaseLive()).isFalse();
        assertThat(finished.owner()).as("its last owner").contains(ANN);
        assertThat(finished.epoch()).isEqualTo(1);
        assertThat(given().anotherConnection().lineage().partition(root.token()))
                .contains(finished);
    }

    @Test
    default void every_kind_of_proof_is_kept() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 1, "children", "end", "bounded", "lost", "continued");
        given().finish(root, 1, "children", "end", "bounded", "lost", "continued");
        List<PartitionEnd> proofs = List.of(
                endedInto(2, "continued"),
                new PartitionEnd(PartitionEnd.Kind.PARTITION_END, at(3), List.of()),
                PartitionEnd.boundedEnd(at(4).plusNanos(1)),
                new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, at(5), StorageScenario.tokens("continued")));
        List<String> names = List.of("children", "end", "bounded", "lost");
        for (int i = 0; i < names.size(); i++) {
            PartitionLease lease = given().running(ANN, names.get(i));
            assertThat(given().storage().finish(lease, at(2), proofs.get(i))).isTrue();
            assertThat(given().partition(names.get(i)).endProof()).contains(proofs.get(i));
        }
    }

    @Test
    default void the_last_watermark_is_stored_only_if_it_is_later() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(root, at(9))));
        given().storage().finish(root, at(4), PartitionEnd.boundedEnd(at(9)));
        assertThat(given().partition(root).watermark()).isEqualTo(at(9));
    }

    @Test
    default void finishing_again_under_the_same_lease_is_harmless() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 4, "a");
        given().finish(root, 4, "a");
        PartitionMetadata finished = given().partition(root);
        given().passTime(LEASE);

        assertThat(given().storage().finish(root, at(4), endedInto(4, "a")))
                .as("finish, repeated after the lease has expired")
                .isTrue();
        assertThat(given().storage().finish(root, at(8), PartitionEnd.boundedEnd(at(8))))
                .as("finish, repeated with another end")
                .isTrue();
        assertThat(given().partition(root)).isEqualTo(finished);
    }

    @Test
    default void a_partition_does_not_finish_before_every_child_of_its_proof_is_stored() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 4, "a");
        PartitionMetadata before = given().partition(root);

        assertThatThrownBy(() -> given().storage().finish(root, at(4), endedInto(4, "a", "missing")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing");
        assertThat(given().partition(root)).isEqualTo(before);

        given().add(root, 4, "missing");
        assertThat(given().storage().finish(root, at(4), endedInto(4, "a", "missing")))
                .isTrue();
    }

    @Test
    default void a_partition_end_record_may_name_children_that_are_not_stored() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionEnd proof = PartitionEnd.partitionEnd(at(4), tokens("b", "not stored"));

        assertThat(given().storage().finish(a, at(4), proof)).isTrue();

        assertThat(given().partition("a").state()).isEqualTo(PartitionState.FINISHED);
        assertThat(given().anotherConnection().lineage().partition(token("a")).flatMap(PartitionMetadata::endProof))
                .contains(proof);
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a", "b"));
    }

    @Test
    default void a_partition_that_is_not_running_does_not_finish() {
        given().created("a");
        PartitionLease scheduled = given().acquired(ANN, "a");
        PartitionMetadata before = given().partition("a");
        assertThatThrownBy(() -> given().storage().finish(scheduled, at(4), PartitionEnd.boundedEnd(at(4))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(given().partition("a")).isEqualTo(before);
    }

    @Test
    default void a_lost_lease_is_a_value_even_where_a_child_is_missing() {
        given().created("a");
        PartitionLease stale = given().staleLease("a");
        assertThat(given().storage().finish(stale, at(4), endedInto(4, "missing")))
                .isFalse();
        assertThat(given().partition("a").endProof()).isEmpty();
    }

    @Test
    default void a_finished_partition_ignores_every_other_write_of_its_last_owner() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(4), PartitionEnd.boundedEnd(at(4)));
        PartitionMetadata finished = given().partition(root);

        assertThat(given().storage().markRunning(root)).isFalse();
        assertThat(given().storage().renew(List.of(root), LEASE)).containsExactly(root.token());
        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(root, at(9)))))
                .containsExactly(root.token());
        assertThat(given().storage().addChildren(root, children(9, child("a")))).isFalse();
        assertThat(given().storage().waitForMoveIn(root, moveIn(9, "a"))).isFalse();
        assertThat(given().storage().acceptGap(root, new PartitionGap(at(4), at(9))))
                .isFalse();
        given().storage().release(List.of(root));
        assertThat(given().storage().lineage().partitions()).containsExactly(finished);
    }
}

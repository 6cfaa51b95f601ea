package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static dev.spream.testkit.partition.StorageScenario.endedInto;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.moveOuts;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WatermarkAdvance;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of fencing: a write under a lost lease changes nothing. */
interface FencingContract extends StorageScenario.Stage {

    @Test
    default void a_worker_whose_lease_was_taken_over_cannot_write_any_more() {
        given().created("a");
        PartitionLease stale = given().staleLease("a");
        assertThatNothingIsWrittenUnder(stale);
    }

    @Test
    default void a_worker_that_took_its_own_partition_over_cannot_write_under_the_older_lease() {
        given().created("a");
        PartitionLease older = given().running(ANN, "a");
        given().letLeasesRunOut();
        given().acquired(ANN, "a");
        assertThatNothingIsWrittenUnder(older);
    }

    @Test
    default void a_worker_that_released_a_partition_cannot_write_it_any_more() {
        given().created("a");
        PartitionLease released = given().running(ANN, "a");
        given().storage().release(List.of(released));
        assertThatNothingIsWrittenUnder(released);
    }

    @Test
    default void a_lease_of_another_owner_with_the_right_epoch_is_lost() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        assertThatNothingIsWrittenUnder(new PartitionLease(lease.token(), BOB, lease.epoch(), lease.watermark()));
    }

    @Test
    default void a_lease_with_an_epoch_to_come_is_lost() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        assertThatNothingIsWrittenUnder(new PartitionLease(lease.token(), ANN, lease.epoch() + 1, lease.watermark()));
    }

    @Test
    default void a_lease_on_an_unknown_partition_is_lost() {
        given().created("a");
        assertThatNothingIsWrittenUnder(new PartitionLease(token("unknown"), ANN, 1, at(0)));
    }

    @Test
    default void a_lease_that_ran_out_and_was_not_taken_over_may_still_write() {
        given().created("a");
        PartitionLease lease = given().acquired(ANN, "a");
        given().letLeasesRunOut();

        assertThat(given().storage().markRunning(lease)).as("markRunning").isTrue();
        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(lease, at(5)))))
                .isEmpty();
        assertThat(given().storage().waitForMoveIn(lease, moveIn(5, "source")))
                .as("waitForMoveIn")
                .isTrue();
        assertThat(given().storage().addChildren(lease, children(9, child("b", "a"))))
                .as("addChildren")
                .isTrue();
        assertThat(given().storage().finish(lease, at(9), endedInto(9, "b")))
                .as("finish")
                .isTrue();
        assertThat(given().partition("a").state()).isEqualTo(PartitionState.FINISHED);
        assertThat(given().partition("a").watermark()).isEqualTo(at(9));
    }

    private void assertThatNothingIsWrittenUnder(PartitionLease lost) {
        PartitionStorage storage = given().storage();
        List<PartitionMetadata> before = List.copyOf(storage.lineage().partitions());

        assertThat(storage.markRunning(lost)).as("markRunning").isFalse();
        assertThat(storage.renew(List.of(lost), LEASE)).as("renew").containsExactly(lost.token());
        assertThat(storage.addChildren(lost, children(9, child("b", lost.token().value()))))
                .as("addChildren")
                .isFalse();
        assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lost, at(8)))))
                .as("advanceWatermarks")
                .containsExactly(lost.token());
        assertThat(storage.advanceWatermarks(
                        List.of(new WatermarkAdvance(lost, at(1), Optional.of(moveOuts("1", "b"))))))
                .as("advanceWatermarks with move-outs")
                .containsExactly(lost.token());
        assertThat(storage.waitForMoveIn(lost, moveIn(8, "b")))
                .as("waitForMoveIn")
                .isFalse();
        assertThat(storage.acceptGap(lost, new PartitionGap(at(1), at(8))))
                .as("acceptGap")
                .isFalse();
        assertThat(storage.finish(lost, at(9), PartitionEnd.boundedEnd(at(9))))
                .as("finish")
                .isFalse();
        storage.release(List.of(lost));

        assertThat(storage.lineage().partitions())
                .as("after release and the other writes")
                .containsExactlyElementsOf(before);
    }
}

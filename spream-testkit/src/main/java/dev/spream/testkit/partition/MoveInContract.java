package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.moveOuts;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import org.junit.jupiter.api.Test;

/** The contract of move-ins: a partition has at most one, the last that it had to wait for. */
interface MoveInContract extends StorageScenario.Stage {

    @Test
    default void a_move_in_is_stored_with_its_sources_and_changes_nothing_else() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().advance(a, at(5), moveOuts("1", "b"));
        PartitionMetadata before = given().partition("a");
        PartitionMetadata other = given().partition("b");
        assertThat(before.moveIn()).isEmpty();

        assertThat(given().storage().waitForMoveIn(a, moveIn(5, "z", "b", "not stored")))
                .isTrue();

        PartitionMetadata after = given().partition("a");
        assertThat(after.moveIn()).contains(moveIn(5, "z", "b", "not stored"));
        assertThat(after).usingRecursiveComparison().ignoringFields("moveIn").isEqualTo(before);
        assertThat(given().anotherConnection().lineage().partition(token("a"))).contains(after);
        assertThat(given().storage().frontier().partition(token("a"))).contains(after);
        assertThat(given().partition("b")).isEqualTo(other);
        assertThat(given().storedTokens())
                .as("a source is not stored by being named")
                .isEqualTo(tokens("Parent0", "a", "b"));
    }

    @Test
    default void the_next_move_in_takes_the_place_of_the_one_before() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().waitForMoveIn(a, moveIn(5, "b", "c"));
        given().waitForMoveIn(a, moveIn(5, "d", "c"));
        assertThat(given().partition("a").moveIn()).contains(moveIn(5, "d", "c"));
        given().waitForMoveIn(a, moveIn(7, "b"));
        assertThat(given().partition("a").moveIn()).contains(moveIn(7, "b"));
    }

    @Test
    default void the_same_move_in_again_changes_nothing() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().waitForMoveIn(a, moveIn(5, "b"));
        PartitionMetadata before = given().partition("a");
        given().waitForMoveIn(a, moveIn(5, "b"));
        assertThat(given().partition("a")).isEqualTo(before);

        given().advance(a, at(9));
        assertThat(given().storage().waitForMoveIn(a, moveIn(5, "b")))
                .as("a move-in that the watermark has passed")
                .isTrue();
        assertThat(given().partition("a").watermark()).isEqualTo(at(9));
    }

    @Test
    default void a_move_in_outlives_watermarks_take_overs_and_the_end_of_its_partition() {
        given().created("a", "b");
        given().waitForMoveIn(given().running(ANN, "b"), moveIn(6, "a"));
        PartitionLease first = given().running(ANN, "a");
        given().waitForMoveIn(first, moveIn(5, "b"));
        given().advance(first, at(5));
        given().letLeasesRunOut();
        PartitionLease second = given().acquired(BOB, "a");
        assertThat(given().partition("a").moveIn()).as("after a take-over").contains(moveIn(5, "b"));

        given().advance(second, at(6));
        assertThat(given().partition("a").moveIn()).as("with a later watermark").contains(moveIn(5, "b"));
        given().storage().finish(second, at(7), PartitionEnd.partitionEnd(at(7), tokens()));
        assertThat(given().partition("a").moveIn()).as("finished").contains(moveIn(5, "b"));
        assertThat(given().partition("b").moveIn()).as("of another partition").contains(moveIn(6, "a"));
    }

    @Test
    default void a_partition_that_is_not_running_waits_for_no_move_in() {
        given().created("a");
        PartitionLease scheduled = given().acquired(ANN, "a");
        PartitionMetadata before = given().partition("a");
        assertThat(given().storage().waitForMoveIn(scheduled, moveIn(5, "b"))).isFalse();
        assertThat(given().partition("a")).isEqualTo(before);
    }

    @Test
    default void a_move_in_keeps_its_nanoseconds_up_to_the_last_one_there_is() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        for (MoveIn moveIn : new MoveIn[] {
            new MoveIn(at(5).plusNanos(1), tokens("b")), new MoveIn(CapacityContract.LAST, tokens("b"))
        }) {
            given().waitForMoveIn(a, moveIn);
            assertThat(given().partition("a").moveIn()).contains(moveIn);
        }
    }
}

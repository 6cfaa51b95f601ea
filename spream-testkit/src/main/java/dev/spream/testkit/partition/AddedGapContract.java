package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.CorrectionStage.gap;
import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of gaps that an operator adds: watermarks pass them, and the lineage is proven all the same. */
interface AddedGapContract extends CorrectionStage {
    @Test
    default void a_gap_moves_unfinished_partitions_to_its_end() {
        given().created("a", "b", "c");
        idle(given().running(ANN, "a"), 20);
        PartitionMetadata later = idle(given().running(ANN, "b"), 50);

        corrected(new Correction.AddGap(gap(0, 40), Set.of()));

        assertThat(given().partition("a").watermark()).isEqualTo(at(40));
        assertThat(given().partition("a").gaps()).containsExactly(gap(20, 40));
        assertThat(given().partition("b")).isEqualTo(later);
        assertThat(given().partition("c").state()).isEqualTo(PartitionState.CREATED);
        assertThat(given().partition("c").watermark()).isEqualTo(at(40));
        assertThat(given().partition("c").gaps()).containsExactly(gap(1, 40));
        assertThat(given().running(BOB, "c").watermark()).isEqualTo(at(40));
        assertThat(assertProven().losses())
                .containsExactlyInAnyOrder(
                        new LineageReport.Loss(token("a"), gap(20, 40)),
                        new LineageReport.Loss(token("c"), gap(1, 40)));
    }

    @Test
    default void a_gap_of_named_partitions_leaves_the_others() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().storage().acceptGap(a, gap(1, 9));
        idle(a, 20);
        PartitionMetadata b = given().partition("b");

        corrected(new Correction.AddGap(gap(20, 40), Set.of(token("a"))));

        assertThat(given().partition("a").gaps()).containsExactly(gap(1, 9), gap(20, 40));
        assertThat(given().partition("b")).isEqualTo(b);
        assertProven();
    }

    @Test
    default void a_child_waits_for_parents_that_may_be_discovered_in_a_gap() {
        given().created("a", "d");
        idle(given().running(ANN, "a"), 10); // its child b, a parent of c, is not known yet
        PartitionLease d = given().running(ANN, "d");
        given().storage().addChildren(d, StorageScenario.children(30, StorageScenario.child("c", "b", "d")));
        given().finish(d, 30, "c");
        corrected(new Correction.AddGap(gap(10, 40), Set.of()));

        assertThat(given().storage().frontier().claimable())
                .extracting(PartitionMetadata::token)
                .containsExactly(token("a"));
        assertProven();
        PartitionLease a = given().running(BOB, "a");
        given().advance(a, at(41));
        assertThat(given().storage().frontier().parentsFinished(given().partition("c")))
                .as("a did not end in the gap")
                .isTrue();
    }

    @Test
    default void a_gap_that_leaves_time_uncovered_or_names_other_partitions_is_refused() {
        given().created("a");
        idle(given().running(ANN, "a"), 20);
        List<PartitionMetadata> before = List.copyOf(given().storage().lineage().partitions());

        assertThat(refused(new Correction.AddGap(gap(21, 40), Set.of()))).contains(at(20).toString(), "uncovered");
        assertThat(refused(new Correction.AddGap(gap(-1, 40), Set.of()))).contains("outside of the subscription");
        assertThat(refused(new Correction.AddGap(gap(20, 3601), Set.of()))).contains("outside of the subscription");
        assertThat(refused(new Correction.AddGap(gap(20, 40), Set.of(token("x")))))
                .contains("x is not stored");
        assertThat(refused(new Correction.AddGap(gap(20, 40), Set.of(PartitionToken.ROOT))))
                .contains("is finished");
        assertThat(List.copyOf(given().storage().lineage().partitions())).isEqualTo(before);
    }

    @Test
    default void a_gap_does_not_pass_a_move_in_before_its_sources_do() {
        given().created("a", "b");
        PartitionLease b = given().running(ANN, "b");
        given().waitForMoveIn(b, StorageScenario.moveIn(30, "a"));
        given().letLeasesRunOut();

        assertThat(refused(new Correction.AddGap(gap(1, 40), Set.of(token("b")))))
                .contains("waits for partition a");
        corrected(new Correction.AddGap(gap(1, 30), Set.of(token("b"))));
        corrected(new Correction.AddGap(gap(1, 40), Set.of()));
        assertThat(given().partition("b").gaps()).containsExactly(gap(1, 30), gap(30, 40));
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.AuditedCorrection;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The contract of corrections: an operator changes a stored subscription that no worker reads, and the audit has it. */
interface CorrectionContract extends StorageScenario.Stage {
    CorrectionAct ACT = new CorrectionAct("ann@host", "it's the wrong end; \"Größe\"");
    Instant END = at(3600);
    PartitionToken SNAPSHOT = new PartitionToken("snapshot:tables:7");

    @Test
    default void a_storage_that_was_never_opened_cannot_be_corrected() {
        assertThat(refused(new Correction.BeginAnew(Optional.empty()))).contains("no subscription is stored");
        assertThat(given().storage().subscription()).isEmpty();
        assertThat(given().storage().corrections()).isEmpty();
    }

    @Test
    default void a_later_end_reopens_what_finished_at_the_former_one() {
        given().created("a", "b");
        PartitionMetadata root = given().partition("Parent0");
        PartitionMetadata running = idle(given().running(ANN, "b"), 20);
        PartitionLease a = given().running(ANN, "a");
        given().storage().finish(a, at(3500), PartitionEnd.boundedEnd(END));

        CorrectionPlan plan = corrected(new Correction.MoveEnd(Optional.of(at(7200))));

        assertThat(given().anotherConnection().subscription()).contains(until(Optional.of(at(7200))));
        assertThat(given().partition("Parent0")).isEqualTo(root);
        assertThat(given().partition("b")).isEqualTo(running);
        PartitionMetadata reopened = given().partition("a");
        assertThat(reopened.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(reopened.watermark()).isEqualTo(END);
        assertThat(reopened.endProof()).isEmpty();
        assertThat(reopened.finishedAt()).isEmpty();
        assertThat(reopened.owner()).isEmpty();
        assertThat(reopened.epoch()).isEqualTo(a.epoch());
        assertThat(given().storage().lineage().partitions())
                .containsExactlyInAnyOrderElementsOf(plan.partitionsAfter());
        assertThat(given().storage().frontier().partitions())
                .extracting(PartitionMetadata::token)
                .contains(token("a"), token("b"));
        assertProven();
    }

    @Test
    default void a_completed_subscription_is_read_on_and_completes_again() {
        given().created("a");
        given().storage().finish(given().running(ANN, "a"), END, PartitionEnd.boundedEnd(END));
        assertThat(given().storage().completeIfAllFinished()).isTrue();

        corrected(new Correction.MoveEnd(Optional.empty()));

        assertThat(given().storage().subscription()).contains(until(Optional.empty()));
        assertThat(given().storage().completeIfAllFinished()).isFalse();
        PartitionLease again = given().running(BOB, "a");
        assertThat(again.watermark()).isEqualTo(END);
        assertThat(again.epoch()).isEqualTo(2);
        given().add(again, 4000, "c");
        given().finish(again, 4000, "c");
        assertProven();
        given().storage().release(List.of(given().running(BOB, "c")));
        corrected(new Correction.MoveEnd(Optional.of(at(5000))));
        given().storage().finish(given().running(BOB, "c"), at(5000), PartitionEnd.boundedEnd(at(5000)));
        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertProven();
    }

    @Test
    default void a_partition_that_clean_up_removed_is_read_on_too() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().storage().acceptGap(a, gap(1, 9));
        given().storage().finish(a, at(3500), PartitionEnd.boundedEnd(END));
        PartitionMetadata finished = given().partition("a");
        given().storage().completeIfAllFinished();
        given().storage().cleanUp(finished.finishedAt().orElseThrow().plusSeconds(60));
        assertThat(given().storedTokens()).isEmpty();

        CorrectionPlan plan = corrected(new Correction.MoveEnd(Optional.of(at(7200))));

        assertThat(plan.restored()).containsExactly(token("a"));
        PartitionMetadata restored = given().partition("a");
        assertThat(restored.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(restored.watermark()).isEqualTo(END);
        assertThat(restored.startTimestamp()).isEqualTo(finished.startTimestamp());
        assertThat(restored.parentTokens()).isEqualTo(finished.parentTokens());
        assertThat(restored.gaps()).containsExactly(gap(1, 9));
        assertThat(restored.epoch()).isGreaterThanOrEqualTo(finished.epoch());
        assertThat(given().storage().proofs())
                .singleElement()
                .satisfies(proof -> assertThat(proof.token()).isEqualTo(PartitionToken.ROOT));
        PartitionLease again = given().running(BOB, "a");
        assertThat(again.epoch()).isGreaterThan(a.epoch());
        given().storage().finish(again, at(7200), PartitionEnd.boundedEnd(at(7200)));
        assertThat(given().storage().completeIfAllFinished()).isTrue();
        assertProven();
    }

    @Test
    default void an_earlier_end_is_possible_up_to_what_was_read() {
        given().created("a", "b");
        idle(given().running(ANN, "a"), 20);
        PartitionMetadata b = given().partition("b");

        assertThat(refused(new Correction.MoveEnd(Optional.of(at(20).minusNanos(1)))))
                .contains(at(20).minusNanos(1).toString(), at(20).toString(), "nothing was changed");
        corrected(new Correction.MoveEnd(Optional.of(at(20))));

        assertThat(given().storage().subscription()).contains(until(Optional.of(at(20))));
        assertThat(given().partition("a").watermark()).isEqualTo(at(20));
        assertThat(given().partition("b")).isEqualTo(b);
    }

    @Test
    default void an_end_before_the_start_or_before_the_former_end_that_was_reached_is_refused() {
        given().created("a");
        given().storage().finish(given().running(ANN, "a"), at(3500), PartitionEnd.boundedEnd(END));
        assertThat(refused(new Correction.MoveEnd(Optional.of(at(3599))))).contains(END.toString());
        assertThat(refused(new Correction.MoveEnd(Optional.of(at(-1)))))
                .contains("before the start of the subscription");
    }

    @Test
    default void a_start_moves_where_nothing_was_read() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().release(List.of(root));

        corrected(new Correction.MoveStart(at(-50)));

        assertThat(given().anotherConnection().subscription()).contains(from(at(-50)));
        PartitionMetadata moved = given().partition("Parent0");
        assertThat(moved.startTimestamp()).isEqualTo(at(-50));
        assertThat(moved.watermark()).isEqualTo(at(-50));
        assertThat(moved.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(given().running(BOB, "Parent0").watermark()).isEqualTo(at(-50));
        given().letLeasesRunOut();
        corrected(new Correction.MoveStart(at(7)));
        assertThat(given().partition("Parent0").startTimestamp()).isEqualTo(at(7));
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
    }

    @Test
    default void another_start_of_what_was_read_begins_anew_and_skips_nothing() {
        given().created("a", "b");
        idle(given().running(ANN, "a"), 20);
        idle(given().running(ANN, "b"), 30);
        given().storage()
                .cleanUp(given().partition("Parent0").finishedAt().orElseThrow().plusSeconds(60));

        assertThat(refused(new Correction.MoveStart(at(20).plusNanos(1)))).contains(at(20).toString());
        assertThat(refused(new Correction.MoveStart(at(3601)))).contains("after the end of the subscription");
        CorrectionPlan plan = corrected(new Correction.MoveStart(at(20)));

        assertThat(plan.change()).contains(at(30) + " that are settled are delivered again");
        assertThat(given().storage().subscription()).contains(from(at(20)));
        assertBegunAnew(at(20));
    }

    @Test
    default void beginning_anew_removes_all_partitions_and_proofs_of_this_subscription() {
        given().created("a", "b");
        idle(given().running(ANN, "a"), 20);
        given().storage()
                .cleanUp(given().partition("Parent0").finishedAt().orElseThrow().plusSeconds(60));
        given().anotherSubscription().openSubscription(SUBSCRIPTION);
        List<PartitionMetadata> others =
                List.copyOf(given().anotherSubscription().lineage().partitions());

        corrected(new Correction.BeginAnew(Optional.empty()));
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
        assertBegunAnew(SUBSCRIPTION.startTimestamp());
        corrected(new Correction.BeginAnew(Optional.of(at(500))));
        assertThat(given().storage().subscription()).contains(from(at(500)));
        assertBegunAnew(at(500));

        assertThat(List.copyOf(given().anotherSubscription().lineage().partitions()))
                .isEqualTo(others);
        assertThat(given().anotherSubscription().corrections()).isEmpty();
        PartitionLease root = given().running(BOB, "Parent0");
        given().add(root, 500, "a");
        assertThat(given().partition("a").startTimestamp()).isEqualTo(at(500));
    }

    @Test
    default void beginning_anew_begins_with_a_snapshot_where_the_subscription_did() {
        given().storage().openSubscription(withSnapshot(at(0), SNAPSHOT));
        PartitionLease root = given().running(ANN, "Parent0");
        given().add(root, 0, "snapshot:keys");
        given().finish(root, 0, "snapshot:keys");
        PartitionLease keys = given().running(ANN, "snapshot:keys");
        given().add(keys, 1, "a");
        assertThat(refused(new Correction.MoveStart(at(0)))).contains("holds partition");
        given().storage().release(List.of(keys));
        assertThat(refused(new Correction.MoveStart(at(-1)))).contains("the snapshot is not read yet");

        CorrectionPlan plan = corrected(new Correction.BeginAnew(Optional.of(at(5))));

        assertThat(plan.change())
                .contains("begun anew with a snapshot", "with the rows as of then", "empty its tables first");
        assertThat(given().anotherConnection().subscription()).contains(withSnapshot(at(5), SNAPSHOT));
        assertBegunAnew(at(5));
        assertThat(refused(new Correction.MoveStart(at(6)))).contains("the snapshot is not read yet");
        assertThat(refused(new Correction.AddGap(gap(5, 6), Set.of()))).contains("the snapshot is not read yet");
        assertThat(planned(given().storage().correct(new Correction.BeginAnew(Optional.empty()), ACT))
                        .changesNothing())
                .as("nothing was read")
                .isTrue();
    }

    @Test
    default void a_start_that_is_moved_after_the_snapshot_begins_with_the_stream() {
        given().storage().openSubscription(withSnapshot(at(0), SNAPSHOT));
        PartitionLease root = given().running(ANN, "Parent0");
        given().add(root, 1, "a");
        given().finish(root, 1, "a");

        corrected(new Correction.MoveStart(at(-1)));

        assertThat(given().storage().subscription())
                .contains(withSnapshot(at(-1), PartitionToken.SNAPSHOT_ROWS))
                .hasValueSatisfying(stored -> assertThat(stored.initialQuery()).isEqualTo(PartitionToken.ROOT));
        assertBegunAnew(at(-1));
        corrected(new Correction.BeginAnew(Optional.of(at(7)), Optional.of(true)));
        assertThat(given().storage().subscription()).contains(withSnapshot(at(7), PartitionToken.SNAPSHOT));
        corrected(new Correction.BeginAnew(Optional.of(at(7)), Optional.of(false)));
        assertThat(given().storage().subscription()).contains(withSnapshot(at(7), PartitionToken.SNAPSHOT_ROWS));
    }

    @Test
    default void a_snapshot_of_a_subscription_that_began_without_one_is_as_of_the_named_start() {
        given().created("a");

        corrected(new Correction.BeginAnew(Optional.of(at(9)), Optional.of(true)));

        assertThat(given().storage().subscription()).contains(withSnapshot(at(9), PartitionToken.SNAPSHOT));
        assertBegunAnew(at(9));
        corrected(new Correction.BeginAnew(Optional.empty(), Optional.of(false)));
        assertThat(given().storage().subscription()).contains(withSnapshot(at(9), PartitionToken.SNAPSHOT_ROWS));
    }

    @Test
    default void a_completed_subscription_may_begin_anew() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, END, PartitionEnd.boundedEnd(END));
        given().storage().completeIfAllFinished();
        corrected(new Correction.BeginAnew(Optional.empty()));
        assertThat(given().storage().subscription()).contains(SUBSCRIPTION);
        assertThat(given().storage().completeIfAllFinished()).isFalse();
    }

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
                        at(30),
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
        given().storage().finish(x1, at(30), PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()));
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

    private void assertClaimable(String... partitions) {
        assertThat(given().storage().frontier().claimable())
                .extracting(partition -> partition.token().value())
                .containsExactlyInAnyOrder(partitions);
    }

    private static Correction.AddSnapshot added(long second, boolean again, String... tables) {
        return new Correction.AddSnapshot(
                at(second),
                Arrays.stream(tables)
                        .collect(Collectors.toMap(
                                table -> table, table -> token(PartitionToken.ADDED_SNAPSHOT + table))),
                again);
    }

    @Test
    default void a_correction_that_was_made_changes_nothing_again() {
        given().created("a");
        idle(given().running(ANN, "a"), 20);
        for (Correction correction : List.of(
                new Correction.AddGap(gap(20, 40), Set.of()),
                new Correction.MoveEnd(Optional.of(at(7200))),
                new Correction.MoveStart(at(-5)),
                new Correction.BeginAnew(Optional.of(at(6))),
                added(50, false, "x"))) {
            corrected(correction);
            List<PartitionMetadata> after =
                    List.copyOf(given().storage().lineage().partitions());
            int lines = given().storage().corrections().size();

            CorrectionPlan again = planned(given().anotherConnection().correct(correction, ACT));
            assertThat(again.changesNothing()).as("%s again", correction).isTrue();
            assertThat(List.copyOf(given().storage().lineage().partitions())).isEqualTo(after);
            assertThat(given().storage().corrections()).hasSize(lines);
        }
    }

    @Test
    default void a_live_lease_refuses_every_correction_and_an_expired_one_is_lost() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");
        List<Correction> corrections = List.of(
                new Correction.MoveEnd(Optional.empty()),
                new Correction.MoveStart(at(1)),
                new Correction.AddGap(gap(1, 40), Set.of()),
                new Correction.BeginAnew(Optional.empty()),
                added(50, false, "x"));
        for (Correction correction : corrections) {
            assertThat(refused(correction)).contains("worker ann holds partition a until ", "nothing was changed");
        }
        assertThat(given().partition("a")).isEqualTo(before);

        given().letLeasesRunOut();
        corrected(corrections.getFirst());
        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(a, at(9)))))
                .as("lost, so that the former owner cannot finish it at the former end")
                .containsExactly(a.token());
        assertThat(given().storage().finish(a, END, PartitionEnd.boundedEnd(END)))
                .isFalse();
    }

    @Test
    default void a_registered_worker_refuses_a_correction_until_its_registration_expires() {
        given().storage().openSubscription(SUBSCRIPTION);
        given().anotherConnection().registerWorker(BOB, 4, LEASE);
        assertThat(refused(new Correction.MoveEnd(Optional.empty()))).contains("worker bob is registered until ");
        given().letLeasesRunOut();
        corrected(new Correction.MoveEnd(Optional.empty()));
    }

    @Test
    default void the_audit_has_every_correction_in_order() {
        given().storage().openSubscription(SUBSCRIPTION);
        Instant opened = given().partition("Parent0").createdAt();
        CorrectionPlan first = corrected(new Correction.MoveEnd(Optional.empty()));
        CorrectionAct other = new CorrectionAct("bob", "second");
        CorrectionPlan second = planned(given().anotherConnection().correct(new Correction.MoveStart(at(3)), other));
        refused(new Correction.AddGap(gap(0, 40), Set.of()));

        List<AuditedCorrection> lines = given().anotherConnection().corrections();
        assertThat(lines).extracting(AuditedCorrection::change).containsExactly(first.change(), second.change());
        assertThat(lines).extracting(AuditedCorrection::act).containsExactly(ACT, other);
        assertThat(lines).allSatisfy(line -> assertThat(line.at()).isBetween(opened, opened.plusSeconds(3600)));
        assertThat(given().storage().corrections()).isEqualTo(lines);
        corrected(new Correction.BeginAnew(Optional.of(at(9))));
        assertThat(given().storage().corrections())
                .as("begin anew keeps the audit")
                .hasSize(3)
                .startsWith(lines.toArray(AuditedCorrection[]::new));
    }

    @Test
    default void of_equal_corrections_at_once_one_is_made() throws Exception {
        given().created("a");
        given().storage().finish(given().running(ANN, "a"), at(3500), PartitionEnd.boundedEnd(END));
        int callers = 6;
        CyclicBarrier start = new CyclicBarrier(callers);
        List<CorrectionPlan> plans = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<CorrectionOutcome>> calls = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                calls.add(threads.submit(() -> {
                    start.await();
                    return storage.correct(new Correction.MoveEnd(Optional.of(at(7200))), ACT);
                }));
            }
            for (Future<CorrectionOutcome> call : calls) {
                plans.add(planned(call.get()));
            }
        }
        assertThat(plans).filteredOn(plan -> !plan.changesNothing()).hasSize(1);
        assertThat(given().storage().corrections()).hasSize(1);
    }

    private void assertBegunAnew(Instant start) {
        assertThat(given().storage().proofs()).isEmpty();
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
        PartitionMetadata root = given().partition("Parent0");
        assertThat(root)
                .usingRecursiveComparison()
                .ignoringFields("createdAt")
                .isEqualTo(from(start).root(root.createdAt()));
        assertThat(given().storage().frontier().partitions()).containsExactly(root);
    }

    private LineageReport assertProven() {
        PartitionStorage storage = given().storage();
        LineageReport report =
                LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs());
        assertThat(report.findings())
                .as("findings, but for the first second, before the children of the initial query")
                .allSatisfy(finding -> assertThat(finding.partitions()).containsExactly(PartitionToken.ROOT));
        return report;
    }

    /** Moves the watermark of a partition and releases it; returns what is stored then. */
    private PartitionMetadata idle(PartitionLease lease, long watermark) {
        given().advance(lease, at(watermark));
        given().storage().release(List.of(lease));
        return given().partition(lease);
    }

    private CorrectionPlan corrected(Correction correction) {
        CorrectionPlan plan = planned(given().storage().correct(correction, ACT));
        assertThat(plan.changesNothing()).as("%s changes nothing", correction).isFalse();
        return plan;
    }

    private static CorrectionPlan planned(CorrectionOutcome outcome) {
        assertThat(outcome).isInstanceOf(CorrectionOutcome.Planned.class);
        return ((CorrectionOutcome.Planned) outcome).plan();
    }

    private String refused(Correction correction) {
        CorrectionOutcome outcome = given().storage().correct(correction, ACT);
        assertThat(outcome).as("%s", correction).isInstanceOf(CorrectionOutcome.Refused.class);
        return ((CorrectionOutcome.Refused) outcome).reason();
    }

    private static SubscriptionRecord until(Optional<Instant> end) {
        return record(SUBSCRIPTION.startTimestamp(), end);
    }

    private static SubscriptionRecord from(Instant start) {
        return record(start, SUBSCRIPTION.endTimestamp());
    }

    private static SubscriptionRecord withSnapshot(Instant start, PartitionToken query) {
        return new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                start,
                SUBSCRIPTION.endTimestamp(),
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                false,
                Optional.of(query));
    }

    private static SubscriptionRecord record(Instant start, Optional<Instant> end) {
        return new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                start,
                end,
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                false);
    }

    private static PartitionGap gap(long fromSeconds, long toSeconds) {
        return new PartitionGap(at(fromSeconds), at(toSeconds));
    }
}

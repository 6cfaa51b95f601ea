package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.CorrectionStage.added;
import static dev.spream.testkit.partition.CorrectionStage.gap;
import static dev.spream.testkit.partition.CorrectionStage.planned;
import static dev.spream.testkit.partition.CorrectionStage.startingAt;
import static dev.spream.testkit.partition.CorrectionStage.until;
import static dev.spream.testkit.partition.CorrectionStage.withSnapshot;
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
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of corrections: an operator changes a stored subscription that no worker reads, and the audit has it. */
interface CorrectionContract extends CorrectionStage {
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

        assertThat(given().anotherConnection().subscription()).contains(startingAt(at(-50)));
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
        assertThat(given().storage().subscription()).contains(startingAt(at(20)));
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
        assertThat(given().storage().subscription()).contains(startingAt(at(500)));
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
}

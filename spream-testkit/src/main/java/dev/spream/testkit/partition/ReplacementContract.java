package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.moveOuts;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.SubscriptionState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of a subscription that another reader continues, whose state is stored in place of the partitions. */
interface ReplacementContract extends StorageScenario.Stage {
    CorrectionAct BACK = new CorrectionAct("ann@host", "back from the other reader");

    @Test
    default void the_state_of_a_stopped_subscription_is_read() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        given().storage().acceptGap(a, new PartitionGap(at(1), at(9)));
        given().advance(a, at(20), moveOuts("7", "b"));
        given().waitForMoveIn(a, moveIn(20, "b"));
        given().storage().release(List.of(a));
        given().storage()
                .cleanUp(given().partition("Parent0").finishedAt().orElseThrow().plusSeconds(60));

        SubscriptionState state = SubscriptionState.ofStopped(given().anotherConnection());

        assertThat(state.subscription()).isEqualTo(SUBSCRIPTION);
        assertThat(state.partitions())
                .containsExactlyElementsOf(given().storage().lineage().partitions());
        assertThat(state.finished())
                .extracting(FinishedPartition::token)
                .containsExactlyElementsOf(given().storage().proofs().stream()
                        .map(FinishedPartition::token)
                        .toList());
    }

    @Test
    default void a_subscription_that_workers_may_read_has_no_state_for_another_reader() {
        assertNotStopped("no subscription is stored");
        given().created("a");
        given().running(ANN, "a");
        assertNotStopped("worker ann holds partition a until ");
        given().letLeasesRunOut();
        given().anotherConnection().registerWorker(BOB, 4, LEASE);
        assertNotStopped("worker bob is registered until ");
        given().storage().unregisterWorker(BOB);
        PartitionToken rows = token(PartitionToken.ADDED_SNAPSHOT + "x");
        given().storage().correct(new Correction.AddSnapshot(at(30), Map.of("x", rows), false), BACK);
        assertNotStopped("a snapshot as of " + at(30));
        PartitionLease a = given().running(ANN, "a");
        given().storage().finish(a, at(30), PartitionEnd.boundedEnd(at(30)));
        PartitionEnd afterRows = PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of());
        given().storage().finish(given().running(ANN, rows.value()), at(30), afterRows);
        assertNotStopped("are not read on yet");
        given().storage().correct(new Correction.ContinueAfterSnapshot(), BACK);
        SubscriptionState.ofStopped(given().storage());
    }

    private void assertNotStopped(String reason) {
        PartitionStorage storage = given().storage();
        assertThatThrownBy(() -> SubscriptionState.ofStopped(storage))
                .isInstanceOf(StorageException.class)
                .hasMessageContainingAll(reason, "nothing was changed");
    }

    @Test
    default void workers_continue_where_another_reader_stopped() {
        given().created("a", "b");
        PartitionLease lost = given().running(ANN, "a");
        given().letLeasesRunOut();
        // meanwhile a was split into c and d, d and b were merged into e, c ended with the subscription
        SubscriptionState state = new SubscriptionState(
                SUBSCRIPTION,
                List.of(
                        finished("d", at(10), endedInto(20, "e"), "a"),
                        unfinished("e", PartitionState.RUNNING, at(20), at(30), 4, "d", "b", "y")
                                .gap(21, 25)
                                .moves(moveIn(33, "x"), moveOuts("7", "x"))
                                .get(),
                        unfinished("x", PartitionState.CREATED, at(33), at(33), 0, "e", "undiscovered")
                                .get()),
                List.of(
                        new FinishedPartition(
                                token("c"), tokens("a"), at(10), PartitionEnd.boundedEnd(at(3600)), at(11), List.of()),
                        new FinishedPartition(
                                token("y"),
                                tokens("gone"),
                                at(12),
                                endedInto(20, "e", "b", "forgotten"),
                                at(31),
                                List.of())));

        CorrectionPlan plan = replaced(state);

        assertThat(plan.change()).contains("3 partitions removed", "2 unfinished ones stored", at(30).toString());
        PartitionStorage storage = given().anotherConnection();
        assertThat(storage.subscription()).contains(SUBSCRIPTION);
        assertThat(storage.lineage().partitions())
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("createdAt", "finishedAt")
                .containsExactlyInAnyOrderElementsOf(plan.written());
        PartitionMetadata e = given().partition("e");
        assertThat(e.watermark()).isEqualTo(at(30));
        assertThat(e.epoch()).isEqualTo(4);
        assertThat(e.parentTokens()).containsExactlyElementsOf(tokens("d", "b", "y"));
        assertThat(e.gaps()).containsExactly(new PartitionGap(at(21), at(25)));
        assertThat(e.moveIn()).contains(moveIn(33, "x"));
        assertThat(e.moveOuts()).contains(moveOuts("7", "x"));
        assertThat(given().find(token("undiscovered"))).as("may still be found").isEmpty();
        for (String gone : List.of("Parent0", "a", "b", "gone")) {
            assertThat(given().partition(gone).endProof().map(PartitionEnd::kind))
                    .as("the end of %s", gone)
                    .contains(PartitionEnd.Kind.ADOPTED);
        }
        assertThat(given().partition("y").endProof().map(PartitionEnd::kind)).contains(PartitionEnd.Kind.ADOPTED);
        assertThat(LineageCheck.check(SUBSCRIPTION, storage.lineage(), storage.proofs())
                        .findings())
                .isEmpty();
        assertThat(storage.corrections()).hasSize(1);
        assertThat(given().storage().markRunning(lost)).as("a former lease").isFalse();

        PartitionLease x = given().running(BOB, "x");
        given().add(x, 40, "y", "c", "z");
        assertThat(given().partition("y").isFinished()).as("found again").isTrue();
        assertThat(given().partition("z").state()).isEqualTo(PartitionState.CREATED);
        given().finish(x, 40, "y", "c", "z");
        given().finish(given().running(BOB, "e"), 50, "z");
        given().storage().finish(given().running(BOB, "z"), at(3600), PartitionEnd.boundedEnd(at(3600)));
        assertThat(given().storage().completeIfAllFinished()).isTrue();
    }

    @Test
    default void a_later_end_reads_on_what_another_reader_has_finished() {
        given().created("a");
        replaced(new SubscriptionState(
                SUBSCRIPTION,
                List.of(),
                List.of(new FinishedPartition(
                        token("a"), List.of(), at(1), PartitionEnd.boundedEnd(at(3600)), at(2), List.of()))));

        given().storage().correct(new Correction.MoveEnd(Optional.of(at(7200))), BACK);

        assertThat(given().running(BOB, "a").watermark()).isEqualTo(at(3600));
    }

    @Test
    default void a_state_that_is_stored_changes_nothing_again() {
        given().created("a", "b");
        SubscriptionState state = new SubscriptionState(
                SUBSCRIPTION,
                List.of(unfinished("a", PartitionState.RUNNING, at(1), at(20), 4)
                        .get()),
                List.of());
        replaced(state);
        List<PartitionMetadata> after = List.copyOf(given().storage().lineage().partitions());

        assertThat(planned(new Correction.Replace(state)).changesNothing()).isTrue();
        given().storage().cleanUp(Instant.parse("9999-01-01T00:00:00Z"));
        assertThat(planned(new Correction.Replace(state)).changesNothing()).isTrue();
        assertThat(after).containsAll(given().storage().lineage().partitions());
        assertThat(given().storage().corrections()).hasSize(1);
    }

    @Test
    default void an_older_state_delivers_changes_again_and_says_so() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().advance(a, at(50));
        given().storage().release(List.of(a));

        CorrectionPlan plan = replaced(new SubscriptionState(
                SUBSCRIPTION,
                List.of(unfinished("a", PartitionState.RUNNING, at(1), at(20), 4)
                        .get()),
                List.of()));

        assertThat(plan.change())
                .contains("changes from %s to %s that are settled may be delivered again".formatted(at(20), at(50)));
        assertThat(given().running(BOB, "a").watermark()).isEqualTo(at(20));
    }

    @Test
    default void an_epoch_does_not_go_back() {
        given().created("a");
        given().running(ANN, "a");
        given().letLeasesRunOut();
        PartitionLease second = given().running(BOB, "a");
        given().storage().release(List.of(second));

        replaced(new SubscriptionState(
                SUBSCRIPTION,
                List.of(unfinished("a", PartitionState.RUNNING, at(1), at(20), 0)
                        .get()),
                List.of()));

        assertThat(given().running(ANN, "a").epoch()).isGreaterThan(second.epoch());
    }

    @Test
    default void a_partition_that_ended_in_a_gap_is_stored_at_the_end_of_the_gap() {
        given().created("a");
        replaced(new SubscriptionState(
                SUBSCRIPTION,
                List.of(unfinished("b", PartitionState.RUNNING, at(20), at(30), 0, "a")
                        .get()),
                List.of(new FinishedPartition(
                        token("a"),
                        List.of(),
                        at(1),
                        endedInto(20, "b"),
                        at(31),
                        List.of(new PartitionGap(at(10), at(25)))))));

        assertThat(given().partition("a").watermark()).isEqualTo(at(25));
    }

    @Test
    default void a_state_is_refused_until_a_worker_has_read_on_after_an_added_snapshot() {
        given().created("a");
        CorrectionStage.planned(given().storage().correct(CorrectionStage.added(30, false, "x"), BACK));
        given().storage().finish(given().running(ANN, "a"), at(30), PartitionEnd.boundedEnd(at(30)));
        PartitionLease rows = given().running(ANN, "snapshot:added:x");
        given().storage().finish(rows, at(30), PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()));

        assertThat(refused("Orders", SUBSCRIPTION.startTimestamp(), SUBSCRIPTION.endTimestamp()))
                .contains("partitions ended at the time of a snapshot that was added", "Start a worker");
        planned(new Correction.ContinueAfterSnapshot());
        replaced(new SubscriptionState(
                SUBSCRIPTION,
                List.of(unfinished("a", PartitionState.RUNNING, at(1), at(40), 0)
                        .get()),
                List.of()));
        assertThat(given().partition("a").watermark()).isEqualTo(at(40));
    }

    @Test
    default void a_state_of_another_subscription_or_while_a_worker_reads_is_refused() {
        given().created("a");
        List<PartitionMetadata> before = List.copyOf(given().storage().lineage().partitions());
        assertThat(refused("Others", SUBSCRIPTION.startTimestamp(), SUBSCRIPTION.endTimestamp()))
                .contains("the stream of the subscription is Orders, that of the state is Others");
        assertThat(refused("Orders", SUBSCRIPTION.startTimestamp(), Optional.empty()))
                .contains("the end of the subscription is " + at(3600), "that of the state is none");
        assertThat(refused("Orders", at(2), SUBSCRIPTION.endTimestamp())).contains("changes would be skipped");
        PartitionLease a = given().running(ANN, "a");
        assertThat(refused("Orders", SUBSCRIPTION.startTimestamp(), SUBSCRIPTION.endTimestamp()))
                .contains("worker ann holds partition a until ");
        given().storage().release(List.of(a));
        assertThat(before).hasSameSizeAs(given().storage().lineage().partitions());
        assertThat(given().storage().corrections()).isEmpty();
    }

    private String refused(String stream, Instant start, Optional<Instant> end) {
        SubscriptionRecord record = new SubscriptionRecord(
                stream, start, end, SUBSCRIPTION.heartbeatInterval(), SUBSCRIPTION.partitionMode(), false);
        CorrectionOutcome outcome = given().storage()
                .correct(new Correction.Replace(new SubscriptionState(record, List.of(), List.of())), BACK);
        assertThat(outcome).isInstanceOf(CorrectionOutcome.Refused.class);
        return ((CorrectionOutcome.Refused) outcome).reason();
    }

    private CorrectionPlan replaced(SubscriptionState state) {
        CorrectionPlan plan = planned(new Correction.Replace(state));
        assertThat(plan.changesNothing()).isFalse();
        return plan;
    }

    private CorrectionPlan planned(Correction correction) {
        CorrectionOutcome outcome = given().storage().correct(correction, BACK);
        assertThat(outcome).isInstanceOf(CorrectionOutcome.Planned.class);
        return ((CorrectionOutcome.Planned) outcome).plan();
    }

    private static PartitionEnd endedInto(long second, String... children) {
        return StorageScenario.endedInto(second, children);
    }

    private static PartitionMetadata finished(String token, Instant start, PartitionEnd end, String... parents) {
        return new Row(
                        token,
                        List.of(parents),
                        start,
                        PartitionState.FINISHED,
                        end.at(),
                        3,
                        Optional.of(end),
                        List.of(),
                        Optional.empty(),
                        Optional.empty())
                .get();
    }

    private static Row unfinished(
            String token, PartitionState state, Instant start, Instant watermark, long epoch, String... parents) {
        return new Row(
                token,
                List.of(parents),
                start,
                state,
                watermark,
                epoch,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    /** A partition in the state of another reader. */
    record Row(
            String token,
            List<String> parents,
            Instant start,
            PartitionState state,
            Instant watermark,
            long epoch,
            Optional<PartitionEnd> end,
            List<PartitionGap> gaps,
            Optional<MoveIn> moveIn,
            Optional<MoveOuts> moveOuts) {

        private Row gap(long from, long to) {
            List<PartitionGap> more = new ArrayList<>(gaps);
            more.add(new PartitionGap(at(from), at(to)));
            return new Row(token, parents, start, state, watermark, epoch, end, more, moveIn, moveOuts);
        }

        private Row moves(MoveIn in, MoveOuts out) {
            return new Row(
                    token, parents, start, state, watermark, epoch, end, gaps, Optional.of(in), Optional.of(out));
        }

        private PartitionMetadata get() {
            return new PartitionMetadata(
                    StorageScenario.token(token),
                    tokens(parents.toArray(String[]::new)),
                    start,
                    state,
                    watermark,
                    epoch,
                    Optional.of(ANN),
                    Optional.of(at(9999)),
                    true,
                    end,
                    at(0),
                    Optional.of(at(1)),
                    Optional.of(at(1)),
                    end.map(PartitionEnd::at),
                    gaps,
                    moveIn,
                    moveOuts);
        }
    }
}

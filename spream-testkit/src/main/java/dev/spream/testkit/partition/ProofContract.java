package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of forgetting proofs: what may be named again stays, and the record says from when on there is proof. */
interface ProofContract extends StorageScenario.Stage {

    @Test
    default void a_forgotten_proof_leaves_the_time_from_which_on_the_lineage_is_proven() {
        PartitionLease c = readPast("a");

        assertThat(forget()).isEqualTo(1);

        assertThat(proofs()).isEqualTo(tokens("Parent0"));
        SubscriptionRecord record = given().anotherConnection().subscription().orElseThrow();
        assertThat(record).isEqualTo(SUBSCRIPTION.withForgotten(forgotten(5, 2))); // Parent0 and b
        assertThat(given().anotherConnection().openSubscription(SUBSCRIPTION)).isEqualTo(record);
        LineageReport report = report();
        assertThat(report.findings()).isEmpty();
        assertThat(report.provenFrom()).contains(at(5).plusNanos(1));

        given().add(c, 12, "d", "e");
        given().finish(c, 12, "d", "e");
        given().advance(given().running(ANN, "d"), at(13));
        given().advance(given().running(ANN, "e"), at(13));
        cleanUp();
        assertThat(report().findings()).isEmpty();
        assertThat(forget()).isEqualTo(1);
        assertThat(stored().forgotten()).isEqualTo(forgotten(9, 2)); // Parent0 and c
        assertThat(report().findings()).isEmpty();
    }

    @Test
    default void forgetting_again_changes_nothing() {
        readPast("a");
        assertThat(forget()).isEqualTo(1);
        Optional<SubscriptionRecord> record = given().storage().subscription();
        assertThat(forget()).isZero();
        assertThat(given().storage().subscription()).isEqualTo(record);
    }

    @Test
    default void a_proof_stays_for_its_time() {
        readPast("a");
        Instant finishedAt = given().storage().proofs().stream()
                .filter(proof -> proof.token().equals(token("a")))
                .findFirst()
                .orElseThrow()
                .finishedAt();
        assertThat(given().storage().forgetProofs(finishedAt))
                .as("proofs of partitions that finished before %s; a finished at that moment", finishedAt)
                .isZero();
        assertThat(proofs()).isEqualTo(tokens("Parent0", "a"));
        assertThat(stored().forgotten()).isEmpty();
    }

    @Test
    default void a_proof_stays_while_an_unfinished_partition_has_not_read_past_its_end() {
        begun("a", "slow");
        PartitionLease slow = given().running(BOB, "slow");
        readPast("a");
        given().advance(slow, at(5));
        assertThat(forget()).as("the slow one stands at the end of a").isZero();
        given().advance(slow, at(5).plusNanos(1));
        assertThat(forget()).isEqualTo(1);
        assertThat(stored().forgotten()).isEqualTo(forgotten(5, 3)); // Parent0, slow and b
        assertThat(report().findings()).isEmpty();
    }

    @Test
    default void a_proof_stays_while_a_partition_stands_at_the_end_of_a_gap_before() {
        begun("a", "slow");
        PartitionLease slow = given().running(BOB, "slow");
        readPast("a");
        given().storage().acceptGap(slow, new PartitionGap(at(0), at(20)));
        assertThat(given().partition("slow").watermark()).isEqualTo(at(20));
        assertThat(forget()).as("what started in the gap is not known").isZero();
        given().advance(slow, at(21));
        assertThat(forget()).isEqualTo(1);
    }

    @Test
    default void proofs_of_what_the_stream_did_not_end_stay() {
        begun("bounded", "lost", "adopted", "a");
        given().storage().finish(given().running(ANN, "bounded"), at(2), PartitionEnd.boundedEnd(at(2)));
        PartitionLease lost = given().running(ANN, "lost");
        given().storage().acceptGap(lost, new PartitionGap(at(0), at(3)));
        given().storage().finish(lost, at(3), new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, at(3), List.of()));
        given().storage()
                .finish(
                        given().running(ANN, "adopted"),
                        at(2),
                        new PartitionEnd(PartitionEnd.Kind.ADOPTED, at(2), List.of()));
        readPast("a");
        assertThat(forget()).isEqualTo(1);
        assertThat(proofs()).containsExactlyInAnyOrderElementsOf(tokens("Parent0", "bounded", "lost", "adopted"));
        assertThat(stored().forgotten()).isEqualTo(forgotten(5, 5)); // those and b
    }

    @Test
    default void a_proof_of_a_partition_end_record_is_forgotten() {
        begun("ended", "living");
        given().storage()
                .finish(given().running(ANN, "ended"), at(3), PartitionEnd.partitionEnd(at(3), tokens("living")));
        PartitionLease living = given().running(ANN, "living");
        cleanUp();
        given().advance(living, at(4));
        assertThat(forget()).isEqualTo(1);
        assertThat(stored().forgotten()).isEqualTo(forgotten(3, 2));
    }

    @Test
    default void stored_partitions_are_not_touched() {
        begun("a");
        PartitionLease a = given().running(ANN, "a");
        given().add(a, 5, "b");
        given().finish(a, 5, "b");
        given().advance(given().running(ANN, "b"), at(6));
        assertThat(forget()).isZero();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a", "b"));
        assertThat(stored().forgotten()).isEmpty();
    }

    @Test
    default void all_proofs_stay_when_no_partition_is_unfinished() {
        PartitionLease c = readPast("a");
        given().storage().finish(c, at(12), PartitionEnd.boundedEnd(at(12)));
        cleanUp();
        assertThat(forget()).isZero();
        assertThat(proofs()).isEqualTo(tokens("Parent0", "a", "b", "c"));
    }

    @Test
    default void a_correction_that_removes_all_begins_with_all_proofs_and_others_do_not() {
        PartitionLease c = readPast("a");
        forget();
        given().storage().release(List.of(c));
        PartitionStorage storage = given().storage();
        CorrectionAct act = new CorrectionAct("ann", "test");

        storage.correct(new Correction.MoveEnd(Optional.of(at(7200))), act);
        assertThat(stored().endTimestamp()).contains(at(7200));
        assertThat(stored().forgotten()).isEqualTo(forgotten(5, 2));

        storage.correct(new Correction.BeginAnew(Optional.empty(), Optional.empty()), act);
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0"));
        assertThat(stored().forgotten()).isEmpty();
        assertThat(report().findings()).isEmpty();
    }

    @Test
    default void a_look_shows_the_end_of_a_partition_whose_proof_was_forgotten_since() {
        begun("a");
        PartitionStorage storage = given().storage();
        Optional<String> mark =
                storage.frontierSince(Optional.empty(), Set.of()).mark();
        readPast("a");
        assertThat(forget()).isEqualTo(1);
        FrontierChanges look = storage.frontierSince(mark, Set.of());
        assertThat(look.complete()
                        || look.partitions()
                                .partition(token("a"))
                                .filter(PartitionMetadata::isFinished)
                                .isPresent())
                .isTrue();
    }

    @Test
    default void proofs_of_another_subscription_are_not_touched() {
        readPast("a");
        List<FinishedPartition> proofs = given().storage().proofs();
        PartitionStorage other = given().anotherSubscription();
        other.openSubscription(SUBSCRIPTION);
        assertThat(other.forgetProofs(later())).isZero();
        assertThat(given().storage().proofs()).isEqualTo(proofs);
        assertThat(forget()).isEqualTo(1);
        assertThat(other.subscription()).contains(SUBSCRIPTION);
    }

    /**
     * Reads a partition from the start to second 5, its child {@code b} to second 9, and removes what is not needed by {@code c},
     * which continues b and whose lease is returned.
     */
    private PartitionLease readPast(String token) {
        if (given().storage().subscription().isEmpty()) {
            begun(token);
        }
        PartitionLease lease = given().running(ANN, token);
        given().add(lease, 5, "b");
        given().finish(lease, 5, "b");
        PartitionLease b = given().running(ANN, "b");
        given().add(b, 9, "c");
        given().finish(b, 9, "c");
        cleanUp();
        return given().running(ANN, "c");
    }

    /** Leaves partitions from the start of the subscription. */
    private void begun(String... partitions) {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 0, partitions);
        given().finish(root, 0, partitions);
    }

    private static Optional<ForgottenProofs> forgotten(long lastEnd, int kept) {
        return Optional.of(new ForgottenProofs(at(lastEnd).plusNanos(1), kept));
    }

    private int forget() {
        return given().storage().forgetProofs(later());
    }

    private void cleanUp() {
        given().storage().cleanUp(later());
    }

    private Instant later() {
        return given().storage().lineage().readAt().plusSeconds(60);
    }

    private List<PartitionToken> proofs() {
        return given().storage().proofs().stream().map(FinishedPartition::token).toList();
    }

    private SubscriptionRecord stored() {
        return given().storage().subscription().orElseThrow();
    }

    private LineageReport report() {
        return LineageCheck.check(
                stored(), given().storage().lineage(), given().storage().proofs());
    }
}

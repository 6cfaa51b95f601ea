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

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartitionsRecord;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of adding children: if absent, all or nothing, under the running parent's lease. */
interface ChildrenContract extends StorageScenario.Stage {

    @Test
    default void children_are_stored_as_created_from_the_start_of_their_record() {
        PartitionLease root = given().runningRoot(ANN);
        assertThat(given().storage().addChildren(root, children(3, child("b", "y", "x"), child("a"))))
                .isTrue();

        PartitionMetadata a = given().partition("a");
        PartitionMetadata b = given().partition("b");
        assertThat(a).isEqualTo(PartitionMetadata.created(token("a"), List.of(), at(3), a.createdAt()));
        assertThat(b).isEqualTo(PartitionMetadata.created(token("b"), tokens("y", "x"), at(3), b.createdAt()));
        assertThat(given().anotherConnection().lineage().partition(token("b"))).contains(b);
    }

    @Test
    default void adding_the_same_children_again_is_harmless() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 3, "a", "b");
        List<PartitionMetadata> before = List.copyOf(given().storage().lineage().partitions());
        given().add(root, 3, "a", "b");
        assertThat(given().storage().lineage().partitions()).containsExactlyElementsOf(before);
    }

    @Test
    default void several_records_of_one_parent_add_up() {
        PartitionLease root = given().runningRoot(ANN);
        given().add(root, 3, "a", "b");
        given().add(root, 3, "b", "c");
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a", "b", "c"));
    }

    @Test
    default void both_parents_of_a_merge_add_the_same_child_once() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(BOB, "b");
        ChildPartitionsRecord merge = children(5, child("m", "a", "b"));
        assertThat(given().storage().addChildren(a, merge)).isTrue();
        PartitionMetadata first = given().partition("m");
        assertThat(given().anotherConnection().addChildren(b, merge)).isTrue();

        assertThat(given().partition("m")).isEqualTo(first);
        assertThat(first.parentTokens()).isEqualTo(tokens("a", "b"));
    }

    @Test
    default void parents_that_report_their_merge_at_once_add_one_child() throws Exception {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(BOB, "b");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 10; round++) {
                ChildPartitionsRecord merge = children(5, child("m" + round, "a", "b"), child("n" + round, "b", "a"));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> byA = threads.submit(() -> {
                    start.await();
                    return given().storage().addChildren(a, merge);
                });
                Future<Boolean> byB = threads.submit(() -> {
                    start.await();
                    return given().anotherConnection().addChildren(b, merge);
                });
                assertThat(byA.get()).isTrue();
                assertThat(byB.get()).isTrue();
            }
        }
        assertThat(given().storedTokens()).hasSize(3 + 20);
    }

    @Test
    default void a_child_that_is_already_read_or_finished_is_left_untouched() {
        given().created("a", "b");
        PartitionLease b = given().running(ANN, "b");
        given().add(b, 2, "scheduled", "running", "finished");
        given().acquired(BOB, "scheduled");
        PartitionLease running = given().running(BOB, "running");
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(running, at(7))));
        PartitionLease finished = given().running(BOB, "finished");
        given().storage().finish(finished, at(8), PartitionEnd.boundedEnd(at(8)));
        List<PartitionMetadata> before = List.copyOf(given().storage().lineage().partitions());

        PartitionLease a = given().running(ANN, "a");
        assertThat(given().storage()
                        .addChildren(
                                a,
                                children(
                                        4,
                                        child("scheduled", "a"),
                                        child("running", "a"),
                                        child("finished", "a"),
                                        child("new", "a"))))
                .isTrue();

        assertThat(given().storage().lineage().partitions()).containsAll(before.subList(3, before.size()));
        assertThat(given().partition("new").startTimestamp()).isEqualTo(at(4));
    }

    @Test
    default void no_child_is_added_unless_its_parent_is_running() {
        given().created("a");
        PartitionLease scheduled = given().acquired(ANN, "a");
        assertThat(given().storage().addChildren(scheduled, children(3, child("b", "a"), child("c", "a"))))
                .isFalse();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a"));

        given().storage().markRunning(scheduled);
        given().storage().finish(scheduled, at(3), PartitionEnd.boundedEnd(at(3)));
        assertThat(given().storage().addChildren(scheduled, children(3, child("b", "a"))))
                .isFalse();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a"));
    }

    @Test
    default void of_a_record_with_old_and_new_children_none_is_added_under_a_lost_lease() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().add(a, 3, "b");
        given().letLeasesRunOut();
        PartitionLease next = given().acquired(BOB, "a");
        ChildPartitionsRecord more = children(3, child("b", "a"), child("c", "a"), child("d", "a"));

        assertThat(given().storage().addChildren(a, more)).isFalse();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a", "b"));
        assertThat(given().storage().addChildren(next, more)).isTrue();
        assertThat(given().storedTokens()).isEqualTo(tokens("Parent0", "a", "b", "c", "d"));
    }

    @Test
    default void children_that_are_all_stored_are_not_added_under_a_lost_lease_either() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().add(a, 3, "b");
        given().letLeasesRunOut();
        given().acquired(BOB, "a");
        assertThat(given().storage().addChildren(a, children(3, child("b", "a"))))
                .isFalse();
    }

    @Test
    default void a_snapshot_has_all_children_of_a_record_or_none() throws Exception {
        int records = 40;
        int perRecord = 25;
        PartitionLease root = given().runningRoot(ANN);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CyclicBarrier start = new CyclicBarrier(2);
            Future<?> writer = threads.submit(() -> {
                start.await();
                for (int record = 0; record < records; record++) {
                    String prefix = "r" + record + "-";
                    given().add(
                                    root,
                                    1,
                                    IntStream.range(0, perRecord)
                                            .mapToObj(i -> prefix + i)
                                            .toArray(String[]::new));
                }
                return null;
            });
            start.await();
            while (!writer.isDone()) {
                int children =
                        given().anotherConnection().lineage().partitions().size() - 1;
                assertThat(children % perRecord)
                        .as("children beyond whole records, of %d stored", children)
                        .isZero();
            }
            writer.get();
        }
        assertThat(given().storedTokens()).hasSize(1 + records * perRecord);
    }

    @Test
    default void a_child_is_claimable_when_all_its_parents_are_finished() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        ChildPartitionsRecord merge = children(5, child("m", "a", "b"));
        given().storage().addChildren(a, merge);
        given().storage().finish(a, at(5), endedInto(5, "m"));
        given().storage().addChildren(b, merge);
        assertThat(claimable()).isEmpty();

        given().storage().finish(b, at(5), endedInto(5, "m"));
        assertThat(claimable()).isEqualTo(tokens("m"));
    }

    private List<PartitionToken> claimable() {
        return given().storage().lineage().claimable().stream()
                .map(PartitionMetadata::token)
                .toList();
    }
}

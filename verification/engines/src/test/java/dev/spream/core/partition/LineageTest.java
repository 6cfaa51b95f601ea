package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.record.ChildPartition;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LineageTest {
    private static final PartitionMetadata ROOT_FINISHED = finished("Parent0", 0, 1);

    @Test
    void a_partition_without_parents_passes_the_gate() {
        PartitionMetadata root = created("Parent0", 0);
        assertThat(lineage(List.of(root)).parentsFinished(root)).isTrue();
        assertThat(lineage(List.of(root)).claimable()).containsExactly(root);
    }

    @Test
    void parents_that_are_null_empty_a_list_of_nulls_or_the_root_mean_no_parents() {
        PartitionMetadata running = running("Parent0", 0, 0);
        List<List<String>> noParents = List.of(
                ChildPartition.of("a", null).parentTokens(),
                ChildPartition.of("a", List.of()).parentTokens(),
                ChildPartition.of("a", Arrays.<@Nullable String>asList((String) null))
                        .parentTokens(),
                ChildPartition.of("a", Arrays.<@Nullable String>asList(null, null))
                        .parentTokens(),
                List.of("Parent0"));
        for (List<String> parents : noParents) {
            PartitionMetadata child = created("a", 9, parents.toArray(String[]::new));
            assertThat(lineage(List.of(running, child)).parentsFinished(child))
                    .as("parents %s", parents)
                    .isTrue();
        }
    }

    @Test
    void a_merged_partition_waits_for_both_of_its_parents() {
        PartitionMetadata child = created("m", 5, "a", "b");
        assertThat(gate(child, running("a", 1, 4), running("b", 1, 4), child)).isFalse();
        assertThat(gate(child, finished("a", 1, 5), running("b", 1, 4), child)).isFalse();
        assertThat(gate(child, running("a", 1, 4), finished("b", 1, 5), child)).isFalse();
        assertThat(gate(child, finished("a", 1, 5), finished("b", 1, 5), child)).isTrue();
    }

    @Test
    void a_child_waits_for_its_parent_in_whatever_state_that_is() {
        PartitionMetadata child = created("b", 5, "a");
        assertThat(gate(child, created("a", 1), child)).isFalse();
        assertThat(gate(child, partition("a", PartitionState.SCHEDULED, 1, 1, false), child))
                .isFalse();
        assertThat(gate(child, running("a", 1, 4), child)).isFalse();
        assertThat(gate(child, finished("a", 1, 5), child)).isTrue();
    }

    /** A rule that compares watermarks alone is true as soon as the child's own start is the lowest of them. */
    @Test
    void a_vacuous_predicate_over_watermarks_does_not_let_a_child_run_before_its_parent() {
        PartitionMetadata child = created("b", 5, "a");
        PartitionMetadata parentAtItsEnd = running("a", 1, 5);
        PartitionMetadata parentBeyondTheStart = running("a", 1, 7);
        assertThat(gate(child, parentAtItsEnd, child)).isFalse();
        assertThat(gate(child, parentBeyondTheStart, child)).isFalse();
        assertThat(lineage(List.of(parentBeyondTheStart, child)).claimable()).containsExactly(parentBeyondTheStart);
    }

    @Test
    void a_parent_that_was_only_heard_of_counts_as_unfinished_while_it_may_still_be_discovered() {
        PartitionMetadata child = created("m", 5, "a", "b");
        PartitionMetadata a = finished("a", 1, 5);
        assertThat(gate(child, a, running("grandparent of b", 1, 4), child))
                .as("b may be a child of a partition that is not read to its end")
                .isFalse();
        assertThat(gate(child, a, running("grandparent of b", 1, 5), child)).isTrue();
        assertThat(gate(child, a, finished("grandparent of b", 1, 4), child)).isTrue();
        assertThat(gate(child, a, child)).isTrue();
    }

    @Test
    void in_place_of_a_parent_that_is_not_stored_those_that_may_name_it_are_awaited() {
        PartitionMetadata child = created("m", 5, "a", "unknown");
        Lineage lineage = lineage(List.of(
                running("a", 1, 7), running("behind", 1, 4), running("level", 1, 5), finished("b", 1, 2), child));
        assertThat(lineage.awaitedPartitions(child))
                .containsExactly(new PartitionToken("a"), new PartitionToken("behind"));
    }

    @Test
    void all_partitions_of_the_stream_are_awaited_by_an_added_snapshot() {
        PartitionMetadata rows = created("rows", 5, PartitionToken.SNAPSHOT_CHANGES.value());
        Lineage lineage = lineage(List.of(running("a", 1, 7), finished("b", 1, 2)));
        assertThat(lineage.awaitedPartitions(rows)).containsExactly(new PartitionToken("a"));
    }

    @Test
    void the_first_nanosecond_that_may_hide_a_parent_counts() {
        PartitionMetadata child = created("m", 5, "missing");
        PartitionMetadata before = partition("x", PartitionState.RUNNING, 1, at(5).minusNanos(1), false);
        assertThat(gate(child, before, child)).isFalse();
    }

    @Test
    void the_gate_is_asked_for_a_running_child_too() {
        PartitionMetadata child = partition("b", PartitionState.RUNNING, 5, 6, false, "a");
        PartitionMetadata parent = running("a", 1, 4);
        assertThat(lineage(List.of(ROOT_FINISHED, parent, child)).claimable())
                .as("an adopted table where the child was started too early")
                .containsExactly(parent);
    }

    @Test
    void unclaimed_partitions_are_claimable_the_oldest_watermark_first() {
        PartitionMetadata held = partition("held", PartitionState.RUNNING, 1, 2, true);
        PartitionMetadata expired = running("expired", 1, 8);
        PartitionMetadata fresh = created("fresh", 3);
        PartitionMetadata twin = created("a twin", 3);
        PartitionMetadata waiting = created("waiting", 2, "held");
        assertThat(lineage(List.of(ROOT_FINISHED, expired, held, waiting, fresh, twin))
                        .claimable())
                .containsExactly(twin, fresh, expired);
    }

    @Test
    void the_low_watermark_is_the_oldest_of_what_is_not_finished() {
        assertThat(lineage(List.of(ROOT_FINISHED, running("a", 1, 7), created("b", 6), finished("c", 1, 2)))
                        .lowWatermark())
                .contains(at(6));
        assertThat(lineage(List.of(ROOT_FINISHED)).lowWatermark()).isEmpty();
    }

    @Test
    void complete_is_not_the_same_as_empty() {
        assertThat(lineage(List.of()).isComplete()).isFalse();
        assertThat(lineage(List.of()).claimable()).isEmpty();
        assertThat(lineage(List.of()).lowWatermark()).isEmpty();
        assertThat(lineage(List.of(ROOT_FINISHED)).isComplete()).isTrue();
        assertThat(lineage(List.of(ROOT_FINISHED, created("a", 1))).isComplete())
                .isFalse();
    }

    @Test
    void partitions_are_found_by_token_and_kept_in_order() {
        PartitionMetadata b = created("b", 1);
        PartitionMetadata a = created("a", 2);
        Lineage lineage = lineage(List.of(b, a));
        assertThat(lineage.partitions()).containsExactly(b, a);
        assertThat(lineage.partition(token("a"))).contains(a);
        assertThat(lineage.partition(token("c"))).isEmpty();
        assertThatThrownBy(() -> lineage.partitions().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_lineage_does_not_change_with_the_list_it_was_made_from() {
        List<PartitionMetadata> partitions = new ArrayList<>(List.of(ROOT_FINISHED));
        Lineage lineage = lineage(partitions);
        partitions.add(created("a", 1));
        assertThat(lineage.partitions()).containsExactly(ROOT_FINISHED);
    }

    @Test
    void a_token_that_occurs_twice_is_refused() {
        assertThatThrownBy(() -> lineage(List.of(created("a", 1), created("a", 2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a occurs twice");
    }

    private static boolean gate(PartitionMetadata child, PartitionMetadata... partitions) {
        return lineage(List.of(partitions)).parentsFinished(child);
    }

    private static PartitionMetadata created(String token, long start, String... parents) {
        return PartitionMetadata.created(token(token), tokens(parents), at(start), at(0));
    }

    private static PartitionMetadata running(String token, long start, long watermark) {
        return partition(token, PartitionState.RUNNING, start, watermark, false);
    }

    private static PartitionMetadata finished(String token, long start, long watermark) {
        return partition(token, PartitionState.FINISHED, start, watermark, false);
    }

    private static PartitionMetadata partition(
            String token, PartitionState state, long start, long watermark, boolean held, String... parents) {
        return partition(token, state, start, at(watermark), held, parents);
    }

    private static PartitionMetadata partition(
            String token, PartitionState state, long start, Instant watermark, boolean held, String... parents) {
        boolean finished = state == PartitionState.FINISHED;
        return new PartitionMetadata(
                token(token),
                tokens(parents),
                at(start),
                state,
                watermark,
                1,
                Optional.of(StorageScenario.ANN),
                finished ? Optional.empty() : Optional.of(at(100)),
                held,
                finished ? Optional.of(PartitionEnd.boundedEnd(watermark)) : Optional.empty(),
                at(0),
                Optional.of(at(0)),
                Optional.of(at(0)),
                finished ? Optional.of(at(0)) : Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static Lineage lineage(List<PartitionMetadata> partitions) {
        return Lineage.of(partitions, Instant.EPOCH);
    }
}

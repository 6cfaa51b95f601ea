package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.subscription.PartitionTally.Counts;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartitionTallyTest {
    private final PartitionTally tally = new PartitionTally();

    @Test
    void children_of_the_initial_query_are_no_split() {
        found(PartitionToken.ROOT, child("a"), child("b"));
        assertThat(tally.counts()).isEqualTo(new Counts(2, 0, 0, 0));
    }

    @Test
    void a_merge_that_both_parents_report_counts_once_and_is_no_move() {
        found(PartitionToken.ROOT, child("a"), child("b"));
        found(new PartitionToken("a"), child("c", "a", "b"));
        found(new PartitionToken("b"), child("c", "a", "b"));
        assertThat(tally.counts()).isEqualTo(new Counts(3, 0, 1, 0));
    }

    @Test
    void a_split_in_two_records_counts_once() {
        found(PartitionToken.ROOT, child("a"));
        found(new PartitionToken("a"), child("b", "a"));
        found(new PartitionToken("a"), child("c", "a"));
        assertThat(tally.counts()).isEqualTo(new Counts(3, 1, 0, 0));
    }

    @Test
    void a_partition_that_is_read_again_changes_nothing() {
        for (int i = 0; i < 2; i++) {
            found(PartitionToken.ROOT, child("a"));
            found(new PartitionToken("a"), child("b", "a"));
        }
        assertThat(tally.counts()).isEqualTo(new Counts(2, 0, 0, 1));
        assertThat(tally.counts()).hasToString("partitions 2 (splits 0, merges 0, moves 1)");
    }

    @Test
    void partitions_are_related_to_their_ancestors_and_to_no_others() {
        found(PartitionToken.ROOT, child("a"), child("b"));
        found(new PartitionToken("a"), child("c", "a"), child("d", "a"));
        found(new PartitionToken("c"), child("e", "c"));
        assertThat(tally.related("a", "e")).isTrue();
        assertThat(tally.related("e", "a")).isTrue();
        assertThat(tally.related("e", "e")).isTrue();
        assertThat(tally.related("d", "e")).isFalse();
        assertThat(tally.related("b", "e")).isFalse();
    }

    private void found(PartitionToken parent, ChildPartition... children) {
        tally.childrenDiscovered(parent, new ChildPartitionsRecord(Instant.EPOCH, "0", List.of(children)));
    }

    private static ChildPartition child(String token, String... parents) {
        return new ChildPartition(token, List.of(parents));
    }
}

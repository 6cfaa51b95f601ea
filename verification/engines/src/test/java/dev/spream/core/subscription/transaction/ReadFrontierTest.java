package dev.spream.core.subscription.transaction;

import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The time before which every change was read. */
final class ReadFrontierTest {
    private static final PartitionToken P = token("p");
    private static final PartitionToken Q = token("q");

    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private final ReadFrontier frontier = new ReadFrontier();

    @Test
    void nothing_is_known_before_the_first_lineage() {
        frontier.add(P, at(1));
        assertThat(frontier.low()).isEmpty();

        frontier.observe(lineage());
        assertThat(frontier.low()).contains(at(1));
    }

    @Test
    void the_earliest_unfinished_partition_is_the_low_one() {
        frontier.observe(lineage(stored(P, 3), stored(Q, 2)));
        assertThat(frontier.low()).contains(at(2));
        assertThat(frontier.lagging()).contains(new PartitionPosition(Q, at(2)));
        assertThat(frontier.isLast(Q)).isTrue();
        assertThat(frontier.isLast(P)).isFalse();

        frontier.observe(lineage());
        assertThat(frontier.low()).contains(Instant.MAX);
        assertThat(frontier.lagging()).isEmpty();
    }

    @Test
    void a_partition_that_is_read_here_stands_where_it_was_read_to_and_not_at_its_watermark() {
        frontier.observe(lineage(stored(P, 1)));
        frontier.begin(P, at(1));
        frontier.advance(P, at(5));
        frontier.advance(P, at(4));
        frontier.observe(lineage(stored(P, 1)));
        assertThat(frontier.low()).contains(at(5));
    }

    /** A record that was read and not settled is read again, here or elsewhere. */
    @Test
    void a_partition_that_is_left_stands_at_its_stored_watermark() {
        frontier.observe(lineage(stored(P, 1)));
        frontier.begin(P, at(1));
        frontier.advance(P, at(5));
        frontier.leave(P, at(2), false);
        assertThat(frontier.low()).contains(at(2));

        frontier.advance(P, at(3));
        frontier.observe(lineage(stored(P, 2)));
        assertThat(frontier.low()).contains(at(2));
    }

    @Test
    void a_partition_that_is_left_after_its_end_and_not_finished_stands_at_its_stored_watermark() {
        frontier.observe(lineage(stored(P, 1)));
        frontier.begin(P, at(1));
        frontier.end(P);
        frontier.leave(P, at(2), false);
        frontier.observe(lineage(stored(P, 2)));
        assertThat(frontier.low()).contains(at(2));
    }

    @Test
    void a_partition_that_was_read_to_its_end_counts_again_when_it_has_no_owner() {
        PartitionLease lease = acquired(P);
        frontier.observe(storage.lineage());
        frontier.begin(P, at(1));
        frontier.end(P);
        frontier.observe(storage.lineage());
        assertThat(frontier.low()).as("it is about to be finished").contains(Instant.MAX);

        storage.release(List.of(lease));
        frontier.observe(storage.lineage());
        assertThat(frontier.low()).as("it is read on").contains(at(1));
    }

    @Test
    void a_partition_that_finished_is_read() {
        frontier.observe(lineage(stored(P, 1)));
        frontier.begin(P, at(1));
        frontier.end(P);
        frontier.leave(P, at(1), true);
        assertThat(frontier.low()).contains(Instant.MAX);
    }

    @Test
    void a_partition_that_was_added_may_be_missing_in_one_lineage() {
        frontier.observe(lineage());
        frontier.add(P, at(2));
        frontier.observe(lineage());
        assertThat(frontier.low()).as("the lineage may be an older one").contains(at(2));

        frontier.observe(lineage());
        assertThat(frontier.low()).as("it is finished, and removed").contains(Instant.MAX);
    }

    @Test
    void a_known_partition_is_not_added_again() {
        frontier.observe(lineage(stored(P, 3)));
        frontier.add(P, at(2));
        assertThat(frontier.low()).contains(at(3));
    }

    @Test
    void the_watermark_of_a_lease_takes_the_place_of_a_later_time() {
        frontier.observe(lineage(stored(P, 3)));
        frontier.begin(P, at(2));
        assertThat(frontier.low()).contains(at(2));
    }

    @Test
    void rows_of_an_added_snapshot_count_once_they_are_read() {
        PartitionToken rows = token(PartitionToken.ADDED_SNAPSHOT + "rows");
        frontier.observe(lineage(stored(rows, 1), stored(P, 3)));
        assertThat(frontier.low()).contains(at(3));

        frontier.begin(rows, at(1));
        assertThat(frontier.low()).contains(at(1));
    }

    @Test
    void a_partition_that_may_have_ended_in_a_gap_stands_at_its_begin_until_it_was_read_past_it() {
        PartitionLease lease = acquired(P);
        storage.acceptGap(lease, new PartitionGap(at(1), at(40)));

        frontier.observe(storage.lineage());
        frontier.begin(P, at(40));
        assertThat(frontier.low()).contains(at(1));
        assertThat(frontier.lagging()).contains(new PartitionPosition(P, at(1)));

        frontier.advance(P, at(41));
        assertThat(frontier.low()).contains(at(41));
    }

    private static Lineage lineage(PartitionMetadata... partitions) {
        return Lineage.of(List.of(partitions), at(9));
    }

    private static PartitionMetadata stored(PartitionToken partition, long watermark) {
        return PartitionMetadata.created(partition, List.of(), at(watermark), at(0));
    }

    private PartitionLease acquired(PartitionToken partition) {
        storage.openSubscription(SUBSCRIPTION);
        PartitionLease root = acquire(PartitionToken.ROOT);
        storage.addChildren(root, StorageScenario.children(1, StorageScenario.child(partition.value())));
        storage.finish(root, at(1), StorageScenario.endedInto(1, partition.value()));
        return acquire(partition);
    }

    private PartitionLease acquire(PartitionToken partition) {
        PartitionLease lease = storage.acquire(
                        new WorkerId("ann"), List.of(new PartitionClaim(partition, 0)), Duration.ofMinutes(1))
                .getFirst();
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }
}

package dev.spream.core.subscription.transaction;

import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The time before which every change was read. */
final class ReadFrontierTest {
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private final ReadFrontier frontier = new ReadFrontier();

    @Test
    void a_partition_that_may_have_ended_in_a_gap_stands_at_its_begin_until_it_was_read_past_it() {
        storage.openSubscription(SUBSCRIPTION);
        PartitionLease root = acquired(PartitionToken.ROOT);
        storage.addChildren(root, StorageScenario.children(1, StorageScenario.child("p")));
        storage.finish(root, at(1), StorageScenario.endedInto(1, "p"));
        PartitionLease p = acquired(token("p"));
        storage.acceptGap(p, new PartitionGap(at(1), at(40)));

        frontier.observe(storage.lineage());
        frontier.begin(token("p"), at(40));
        assertThat(frontier.low()).contains(at(1));
        assertThat(frontier.lagging()).contains(new PartitionPosition(token("p"), at(1)));

        frontier.advance(token("p"), at(41));
        assertThat(frontier.low()).contains(at(41));
    }

    private PartitionLease acquired(PartitionToken partition) {
        PartitionLease lease = storage.acquire(
                        new WorkerId("ann"), List.of(new PartitionClaim(partition, 0)), Duration.ofMinutes(1))
                .getFirst();
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }
}

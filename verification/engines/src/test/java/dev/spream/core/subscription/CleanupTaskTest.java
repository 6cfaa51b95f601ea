package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CleanupTaskTest {
    private static final WorkerId WORKER = new WorkerId("w");

    private final DrivenTime storageTime = new DrivenTime(START);
    private final DrivenTime workerTime = new DrivenTime(START.plus(Duration.ofDays(2)));
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage(storageTime);

    @Test
    void finished_partitions_are_kept_for_their_retention_by_the_clock_of_the_storage() {
        finishRoot();
        CleanupTask housekeeper = new CleanupTask(context(), storageTime::instant);

        storageTime.advance(Duration.ofMinutes(59));
        housekeeper.cleanUp();
        assertThat(storage.proofs()).as("the worker's clock is two days ahead").isEmpty();

        storageTime.advance(Duration.ofMinutes(2));
        housekeeper.cleanUp();
        assertThat(storage.proofs()).hasSize(1);
    }

    private void finishRoot() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        List<PartitionClaim> claims =
                storage.frontier().claimable().stream().map(PartitionClaim::of).toList();
        PartitionLease root =
                storage.acquire(WORKER, claims, Duration.ofMinutes(1)).getFirst();
        storage.markRunning(root);
        storage.finish(root, START, PartitionEnd.boundedEnd(START));
    }

    private EngineContext context() {
        SubscriberOptions options = SubscriberOptions.builder()
                .finishedRetention(Duration.ofHours(1))
                .build();
        return EngineContext.of(new ScriptedSource(), storage, options, workerTime, new Random(1), true);
    }
}

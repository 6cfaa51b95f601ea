package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
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

    @Test
    void proofs_are_kept_for_their_retention_by_the_clock_of_the_storage() {
        finishRoot();
        PartitionLease a = acquire();
        ChildPartitionsRecord children =
                new ChildPartitionsRecord(START.plusSeconds(5), "0", List.of(new ChildPartition("b", List.of("a"))));
        storage.addChildren(a, children);
        storage.finish(a, START.plusSeconds(5), endedInto(START.plusSeconds(5), "b"));
        PartitionLease b = acquire();
        storage.advanceWatermarks(List.of(new WatermarkAdvance(b, START.plusSeconds(6))));
        CleanupTask housekeeper = new CleanupTask(context(), storageTime::instant);
        assertThat(housekeeper.proofInterval()).isEqualTo(Duration.ofMinutes(3));
        storageTime.advance(Duration.ofMinutes(61));
        housekeeper.cleanUp();
        assertThat(storage.proofs())
                .as("a is the parent of an unfinished partition")
                .hasSize(1);
        storage.addChildren(
                b,
                new ChildPartitionsRecord(START.plusSeconds(7), "0", List.of(new ChildPartition("c", List.of("b")))));
        storage.finish(b, START.plusSeconds(7), endedInto(START.plusSeconds(7), "c"));
        housekeeper.cleanUp();
        housekeeper.forgetProofs();
        assertThat(storage.proofs()).as("those of the root and of a").hasSize(2);

        storageTime.advance(Duration.ofMinutes(240));
        housekeeper.forgetProofs();
        assertThat(storage.proofs()).extracting(FinishedPartition::token).containsExactly(PartitionToken.ROOT);
    }

    private static PartitionEnd endedInto(Instant end, String child) {
        return PartitionEnd.childPartitions(end, List.of(new PartitionToken(child)));
    }

    private void finishRoot() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        PartitionLease root = acquire();
        storage.addChildren(root, new ChildPartitionsRecord(START, "0", List.of(new ChildPartition("a", List.of()))));
        storage.finish(root, START, endedInto(START, "a"));
    }

    private PartitionLease acquire() {
        List<PartitionClaim> claims =
                storage.frontier().claimable().stream().map(PartitionClaim::of).toList();
        PartitionLease lease =
                storage.acquire(WORKER, claims, Duration.ofMinutes(1)).getFirst();
        storage.markRunning(lease);
        return lease;
    }

    private EngineContext context() {
        SubscriberOptions options = SubscriberOptions.builder()
                .finishedRetention(Duration.ofHours(1))
                .proofRetention(Duration.ofHours(5))
                .build();
        return EngineContext.of(new ScriptedSource(), storage, options, workerTime, new Random(1), true);
    }
}

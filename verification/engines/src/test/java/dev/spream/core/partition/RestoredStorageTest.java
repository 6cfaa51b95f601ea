package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of a storage in memory that begins with what was stored elsewhere. */
final class RestoredStorageTest {
    private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");
    private static final InstantSource CLOCK = InstantSource.fixed(START.plusSeconds(100));
    private static final WorkerId WORKER = new WorkerId("w");
    private static final SubscriptionRecord SUBSCRIPTION = new SubscriptionRecord(
            "Orders", START, Optional.empty(), Duration.ofSeconds(1), PartitionMode.IMMUTABLE_KEY_RANGE, false);

    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage(CLOCK);

    private static PartitionToken token(String value) {
        return new PartitionToken(value);
    }

    private PartitionLease acquire(PartitionStorage from, String token) {
        PartitionMetadata partition = from.lineage().partition(token(token)).orElseThrow();
        PartitionLease lease = from.acquire(WORKER, List.of(PartitionClaim.of(partition)), Duration.ofDays(1))
                .getFirst();
        from.markRunning(lease);
        return lease;
    }

    /** Finishes the partition where it is continued by that child. */
    private PartitionLease finish(PartitionLease lease, long second, String child, String... parents) {
        Instant end = START.plusSeconds(second);
        storage.addChildren(
                lease, new ChildPartitionsRecord(end, "0", List.of(new ChildPartition(child, List.of(parents)))));
        storage.finish(lease, end, PartitionEnd.childPartitions(end, List.of(token(child))));
        return lease;
    }

    private InMemoryPartitionStorage restored() {
        return InMemoryPartitionStorage.restored(
                CLOCK, SUBSCRIPTION, storage.lineage().partitions(), storage.proofs());
    }

    @Test
    void the_lineage_is_the_same_without_owners() {
        storage.openSubscription(SUBSCRIPTION);
        finish(acquire(storage, "Parent0"), 0, "a");
        finish(acquire(storage, "a"), 5, "b", "a");
        PartitionLease running = acquire(storage, "b");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(
                running, START.plusSeconds(7), Optional.of(new MoveOuts("1", List.of(token("x")))))));
        storage.cleanUp(Instant.MAX);

        InMemoryPartitionStorage restored = restored();
        assertThat(restored.subscription()).contains(SUBSCRIPTION);
        assertThat(restored.proofs()).isEqualTo(storage.proofs()).isNotEmpty();
        assertThat(restored.lineage().partition(token("a")))
                .isEqualTo(storage.lineage().partition(token("a")).map(RestoredStorageTest::withoutOwner));
        assertThat(restored.lineage().claimable()).singleElement().satisfies(partition -> {
            assertThat(partition.token()).isEqualTo(token("b"));
            assertThat(partition.watermark()).isEqualTo(START.plusSeconds(7));
            assertThat(partition.moveOuts()).isPresent();
        });
        assertThat(acquire(restored, "b").epoch()).isEqualTo(running.epoch() + 1);
    }

    private static PartitionMetadata withoutOwner(PartitionMetadata partition) {
        return new PartitionMetadata(
                partition.token(),
                partition.parentTokens(),
                partition.startTimestamp(),
                partition.state(),
                partition.watermark(),
                partition.epoch(),
                Optional.empty(),
                Optional.empty(),
                false,
                partition.endProof(),
                partition.createdAt(),
                partition.scheduledAt(),
                partition.runningAt(),
                partition.finishedAt(),
                partition.gaps(),
                partition.moveIn(),
                partition.moveOuts());
    }

    @Test
    void a_proof_is_kept_while_the_partition_can_be_named_again() {
        storage.openSubscription(SUBSCRIPTION);
        PartitionLease root = acquire(storage, "Parent0");
        storage.addChildren(
                root,
                new ChildPartitionsRecord(
                        START,
                        "0",
                        List.of(new ChildPartition("a", List.of()), new ChildPartition("slow", List.of()))));
        storage.finish(root, START, PartitionEnd.childPartitions(START, List.of(token("a"), token("slow"))));
        PartitionLease slow = acquire(storage, "slow");
        finish(acquire(storage, "a"), 5, "b", "a");
        finish(acquire(storage, "b"), 9, "c", "b");
        finish(acquire(storage, "c"), 12, "d", "c");
        storage.cleanUp(Instant.MAX);
        assertThat(storage.proofs()).extracting(FinishedPartition::token).contains(token("a"), token("b"));

        assertThat(storage.forgetProofs(Instant.MAX)).isZero(); // the slow one stands at their start
        storage.advanceWatermarks(List.of(new WatermarkAdvance(slow, START.plusSeconds(6))));
        storage.forgetProofs(Instant.MAX);
        assertThat(storage.proofs())
                .extracting(FinishedPartition::token)
                .containsExactly(PartitionToken.ROOT, token("b"));
        storage.advanceWatermarks(List.of(new WatermarkAdvance(slow, START.plusSeconds(10))));
        storage.forgetProofs(Instant.MAX);
        assertThat(storage.proofs()).extracting(FinishedPartition::token).containsExactly(PartitionToken.ROOT);
    }
}

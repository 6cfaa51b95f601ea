package dev.spream.testkit.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The set-up of a contract test: a storage, and short ways to bring it into a state. */
public final class StorageScenario {
    public static final Instant START = Instant.parse("2026-03-01T10:00:00.123456789Z");
    public static final Duration LEASE = Duration.ofMinutes(10);
    static final Duration MOMENT = Duration.ofMinutes(1);
    public static final WorkerId ANN = new WorkerId("ann");
    static final WorkerId BOB = new WorkerId("bob");
    public static final SubscriptionRecord SUBSCRIPTION = new SubscriptionRecord(
            "Orders",
            START,
            Optional.of(START.plusSeconds(3600)),
            Duration.ofSeconds(10),
            PartitionMode.IMMUTABLE_KEY_RANGE,
            false);

    private final PartitionStorageFixture fixture;

    public StorageScenario(PartitionStorageFixture fixture) {
        this.fixture = fixture;
    }

    public static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    public static PartitionToken token(String value) {
        return new PartitionToken(value);
    }

    public static List<PartitionToken> tokens(String... values) {
        return Arrays.stream(values).map(PartitionToken::new).toList();
    }

    public static ChildPartition child(String token, String... parents) {
        return new ChildPartition(token, List.of(parents));
    }

    public static ChildPartitionsRecord children(long startSeconds, ChildPartition... children) {
        return new ChildPartitionsRecord(at(startSeconds), "00000001", List.of(children));
    }

    public static PartitionEnd endedInto(long startSeconds, String... children) {
        return PartitionEnd.childPartitions(at(startSeconds), tokens(children));
    }

    static MoveIn moveIn(long seconds, String... sources) {
        return new MoveIn(at(seconds), tokens(sources));
    }

    static MoveOuts moveOuts(String recordSequence, String... destinations) {
        return new MoveOuts(recordSequence, tokens(destinations));
    }

    public PartitionStorage storage() {
        return fixture.storage();
    }

    PartitionStorage anotherConnection() {
        return fixture.anotherConnection();
    }

    PartitionStorage anotherSubscription() {
        return fixture.anotherSubscription();
    }

    void passTime(Duration time) {
        fixture.passTime(time);
    }

    /** Lets every lease that was taken so far expire. */
    void letLeasesRunOut() {
        fixture.passTime(LEASE.plus(MOMENT));
    }

    PartitionMetadata partition(String token) {
        return find(token(token)).orElseThrow(() -> new AssertionError("partition " + token + " is not stored"));
    }

    PartitionMetadata partition(PartitionLease lease) {
        return partition(lease.token().value());
    }

    Optional<PartitionMetadata> find(PartitionToken token) {
        return storage().lineage().partition(token);
    }

    List<PartitionToken> storedTokens() {
        return storage().lineage().partitions().stream()
                .map(PartitionMetadata::token)
                .toList();
    }

    List<PartitionLease> tryAcquire(WorkerId worker, String... tokens) {
        List<PartitionClaim> claims =
                Arrays.stream(tokens).map(t -> PartitionClaim.of(partition(t))).toList();
        return storage().acquire(worker, claims, LEASE);
    }

    PartitionLease acquired(WorkerId worker, String token) {
        List<PartitionLease> leases = tryAcquire(worker, token);
        assertThat(leases).as("leases acquired on %s", token).hasSize(1);
        return leases.getFirst();
    }

    public PartitionLease running(WorkerId worker, String token) {
        PartitionLease lease = acquired(worker, token);
        assertThat(storage().markRunning(lease)).as("%s to RUNNING", token).isTrue();
        return lease;
    }

    /** Opens the subscription and starts to read its root. */
    public PartitionLease runningRoot(WorkerId worker) {
        storage().openSubscription(SUBSCRIPTION);
        return running(worker, PartitionToken.ROOT.value());
    }

    /**
     * Opens the subscription, reads its root to the end, and leaves the given children of it in state CREATED from
     * second 1.
     */
    void created(String... children) {
        PartitionLease root = runningRoot(ANN);
        add(root, 1, children);
        finish(root, 1, children);
    }

    public void add(PartitionLease parent, long startSeconds, String... children) {
        ChildPartition[] parts = Arrays.stream(children)
                .map(child -> parent.token().isRoot()
                        ? child(child)
                        : child(child, parent.token().value()))
                .toArray(ChildPartition[]::new);
        assertThat(storage().addChildren(parent, children(startSeconds, parts)))
                .as("children of %s added", parent.token())
                .isTrue();
    }

    public void finish(PartitionLease lease, long endSeconds, String... children) {
        assertThat(storage().finish(lease, at(endSeconds), endedInto(endSeconds, children)))
                .as("%s finished", lease.token())
                .isTrue();
    }

    /** Moves the watermark of a partition, and requires the lease on it to be held. */
    void advance(PartitionLease lease, Instant watermark) {
        advance(new WatermarkAdvance(lease, watermark));
    }

    /** Moves the watermark of a partition to that of its move-outs, and requires the lease on it to be held. */
    void advance(PartitionLease lease, Instant watermark, MoveOuts moveOuts) {
        advance(new WatermarkAdvance(lease, watermark, Optional.of(moveOuts)));
    }

    private void advance(WatermarkAdvance advance) {
        assertThat(storage().advanceWatermarks(List.of(advance)))
                .as("partitions lost by the advance to %s", advance.watermark())
                .isEmpty();
    }

    /** Stores that the partition waits for a move-in, and requires the lease on it to be held. */
    void waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        assertThat(storage().waitForMoveIn(lease, moveIn))
                .as("%s waits for a move-in", lease.token())
                .isTrue();
    }

    /** Returns a lease on the partition that another worker has taken over since. */
    PartitionLease staleLease(String token) {
        PartitionLease stale = running(ANN, token);
        letLeasesRunOut();
        acquired(BOB, token);
        return stale;
    }

    interface Stage {
        StorageScenario given();
    }
}

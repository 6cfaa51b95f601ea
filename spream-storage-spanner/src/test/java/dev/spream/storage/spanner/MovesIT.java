package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Move-ins and move-outs in the columns of a table, and in the reads that use the index of unfinished partitions. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class MovesIT {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00.123456789Z");
    private static final WorkerId WORKER = new WorkerId("worker");
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Instant LATER = Instant.parse("9000-01-01T00:00:00Z");

    private final SpannerStorageFixture fixture;
    private final PartitionStorage storage;

    MovesIT(SpannerServer server, Dialect dialect) {
        this.fixture = new SpannerStorageFixture(MetadataDatabase.of(server, dialect));
        this.storage = fixture.storage();
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.MUTABLE_KEY_RANGE, false));
        PartitionLease root = running("Parent0");
        storage.addChildren(
                root,
                new ChildPartitionsRecord(
                        START,
                        "0",
                        Stream.of("a", "b", "c")
                                .map(token -> new ChildPartition(token, List.of()))
                                .toList()));
        storage.finish(root, START, PartitionEnd.childPartitions(START, List.of(token("a"), token("b"), token("c"))));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    private static PartitionToken token(String value) {
        return new PartitionToken(value);
    }

    private static MoveOuts to(String sequence, String... destinations) {
        return new MoveOuts(
                sequence, Stream.of(destinations).map(PartitionToken::new).toList());
    }

    private static MoveIn from(long seconds, String... sources) {
        return new MoveIn(
                at(seconds), Stream.of(sources).map(PartitionToken::new).toList());
    }

    private PartitionLease running(String token) {
        PartitionLease lease = acquire(token);
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }

    private PartitionLease acquire(String token) {
        return storage.acquire(WORKER, List.of(PartitionClaim.of(stored(token))), LEASE)
                .getFirst();
    }

    private PartitionMetadata stored(String token) {
        return fixture.anotherConnection().lineage().partition(token(token)).orElseThrow();
    }

    private void advance(PartitionLease lease, long seconds, MoveOuts moveOuts) {
        assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, at(seconds), Optional.of(moveOuts)))))
                .isEmpty();
    }

    private void advance(PartitionLease lease, long seconds) {
        assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, at(seconds)))))
                .isEmpty();
    }

    private void end(PartitionLease lease, long seconds, String... children) {
        assertThat(storage.finish(
                        lease,
                        at(seconds),
                        PartitionEnd.partitionEnd(
                                at(seconds),
                                Stream.of(children).map(PartitionToken::new).toList())))
                .isTrue();
    }

    @Test
    void move_outs_are_kept_with_their_watermark_and_added_to_it() {
        PartitionLease a = running("a");
        advance(a, 10, to("02", "b"));
        assertThat(stored("a").moveOuts()).contains(to("02", "b"));

        advance(a, 10, to("01", "c"));
        advance(a, 9, to("09", "d"));
        advance(a, 10);
        assertThat(stored("a").moveOuts()).contains(to("02", "b", "c"));

        storage.release(List.of(a));
        PartitionLease again = acquire("a");
        assertThat(again.watermark()).isEqualTo(at(10));
        assertThat(again.moveOuts()).contains(to("02", "b", "c"));

        advance(again, 11, to("00", "c"));
        assertThat(stored("a").moveOuts()).contains(to("00", "c"));
        advance(again, 12);
        assertThat(stored("a").moveOuts()).isEmpty();
    }

    @Test
    void a_gap_and_a_later_end_drop_move_outs() {
        PartitionLease a = running("a");
        advance(a, 10, to("02", "b"));
        assertThat(storage.acceptGap(a, new PartitionGap(at(10), at(20)))).isTrue();
        assertThat(stored("a").moveOuts()).isEmpty();

        advance(a, 30, to("02", "b"));
        end(a, 40, "b");
        assertThat(stored("a").moveOuts()).isEmpty();
    }

    @Test
    void the_last_move_in_is_kept() {
        PartitionLease b = running("b");
        assertThat(storage.waitForMoveIn(b, from(10, "a"))).isTrue();
        assertThat(storage.waitForMoveIn(b, from(20, "c", "a"))).isTrue();
        assertThat(storage.waitForMoveIn(b, from(20, "c", "a"))).isTrue();
        assertThat(stored("b").moveIn()).contains(from(20, "c", "a"));

        storage.release(List.of(b));
        assertThat(storage.waitForMoveIn(b, from(30, "a"))).isFalse();
        PartitionLease created = acquire("c");
        assertThat(storage.waitForMoveIn(created, from(30, "a"))).isFalse();
        assertThat(stored("c").moveIn()).isEmpty();
    }

    @Test
    void a_partition_end_needs_no_stored_children() {
        PartitionLease a = running("a");
        end(a, 10, "discovered-later");

        PartitionMetadata finished = stored("a");
        assertThat(finished.state()).isEqualTo(PartitionState.FINISHED);
        assertThat(finished.endProof()).contains(PartitionEnd.partitionEnd(at(10), List.of(token("discovered-later"))));
    }

    @Test
    void a_finished_source_is_in_the_frontier_until_its_destination_is_finished() {
        PartitionLease b = running("b");
        storage.waitForMoveIn(b, from(10, "a"));
        assertThat(storage.frontier().awaitedSources(stored("b"))).containsExactly(token("a"));

        end(running("a"), 10, "b");
        Lineage frontier = storage.frontier();
        assertThat(frontier.partitions())
                .extracting(PartitionMetadata::token)
                .containsExactlyInAnyOrder(token("a"), token("b"), token("c"));
        assertThat(frontier.awaitedSources(stored("b"))).isEmpty();

        end(b, 20);
        assertThat(storage.frontier().partitions())
                .extracting(PartitionMetadata::token)
                .containsExactly(token("c"));
    }

    @Test
    void a_finished_source_is_removed_after_its_destination_is_finished() {
        end(running("a"), 10, "b");
        PartitionLease b = running("b");
        storage.waitForMoveIn(b, from(10, "a"));
        assertThat(storage.cleanUp(LATER)).as("the root").isEqualTo(1);
        assertThat(storage.lineage().partition(token("a"))).isPresent();

        end(b, 20);
        assertThat(storage.cleanUp(LATER)).isEqualTo(2);
        assertThat(storage.lineage().partition(token("a"))).isEmpty();
    }
}

package dev.spream.core.subscription.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.inflight.InflightTracker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FrontierViewTest {
    private static final WorkerId ANN = new WorkerId("ann");
    private static final WorkerId BOB = new WorkerId("bob");
    private static final Set<WorkerId> BOTH = Set.of(ANN, BOB);
    private static final Duration LEASE = Duration.ofSeconds(10);

    private Instant now = at(1_000);
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage(() -> now);
    private final FrontierView view = new FrontierView(ANN);
    private final List<HeldPartition> held = new ArrayList<>();
    private Optional<FrontierChanges> look = Optional.empty();

    FrontierViewTest() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", at(0), Optional.empty(), Duration.ofSeconds(10), PartitionMode.MUTABLE_KEY_RANGE, false));
        PartitionLease root = acquired(BOB, "Parent0");
        add(root, 0, "p", "q", "r");
        storage.finish(root, at(0), PartitionEnd.childPartitions(at(0), tokens("p", "q", "r")));
    }

    @Test
    void a_look_brings_what_changed_and_keeps_the_rest() {
        assertThat(look(BOTH).partitions())
                .extracting(PartitionMetadata::token)
                .containsExactlyElementsOf(tokens("p", "q", "r"));
        acquired(BOB, "q");
        Lineage lineage = look(BOTH);
        assertThat(look.orElseThrow().partitions().partitions()).hasSize(1);
        assertThat(lineage.claimable())
                .extracting(PartitionMetadata::token)
                .containsExactlyElementsOf(tokens("p", "r"));
        assertThat(lineage.readAt()).isEqualTo(now);
    }

    @Test
    void a_finished_partition_stays_as_long_as_an_unfinished_one_names_it() {
        PartitionLease p = acquired(BOB, "p");
        PartitionLease q = acquired(BOB, "q");
        storage.waitForMoveIn(q, new MoveIn(at(5), tokens("p")));
        look(BOTH);
        storage.finish(p, at(9), PartitionEnd.boundedEnd(at(9)));
        assertThat(look(BOTH).partition(token("p")))
                .hasValueSatisfying(row -> assertThat(row.isFinished()).isTrue());
        storage.finish(q, at(9), PartitionEnd.boundedEnd(at(9)));
        assertThat(look(BOTH).partitions()).extracting(PartitionMetadata::token).containsExactly(token("r"));
    }

    @Test
    void the_lease_of_a_worker_that_is_alive_counts_as_live_until_it_is_released() {
        PartitionLease p = acquired(BOB, "p");
        look(BOTH);
        now = now.plus(LEASE.multipliedBy(9)); // renewed meanwhile, which is no change
        assertThat(view.isOutdated(BOTH)).isFalse();
        assertThat(lease(look(BOTH), "p")).isTrue();
        storage.release(List.of(p));
        assertThat(lease(look(BOTH), "p")).isFalse();
    }

    @Test
    void the_partitions_of_a_worker_that_is_gone_are_read_again_and_free_when_their_leases_have_ended() {
        PartitionLease p = acquired(BOB, "p");
        look(BOTH);
        now = now.plusSeconds(9);
        storage.renew(List.of(p), LEASE);
        now = now.plusSeconds(2);
        take(view.mark());
        assertThat(view.isOutdated(Set.of(ANN))).isTrue();
        take(Optional.empty());
        assertThat(view.isOutdated(Set.of(ANN))).isFalse();
        assertThat(lease(update(Set.of(ANN)), "p")).as("renewed").isTrue();
        now = now.plusSeconds(9);
        take(view.mark());
        assertThat(view.isOutdated(Set.of(ANN))).isTrue();
        take(Optional.empty());
        assertThat(lease(update(Set.of(ANN)), "p")).isFalse();
        take(view.mark());
        assertThat(view.isOutdated(Set.of(ANN)))
                .as("it has ended, although no worker has room for it")
                .isFalse();
    }

    @Test
    void a_lease_that_this_worker_does_not_renew_is_told_when_it_has_ended() {
        PartitionLease p = acquired(ANN, "p");
        assertThat(lease(look(BOTH), "p")).isTrue();
        assertThat(view.watched()).containsExactly(token("p"));
        now = now.plus(LEASE).minusNanos(1);
        look(BOTH);
        assertThat(view.expired()).isEmpty();
        now = now.plusNanos(1);
        assertThat(lease(look(BOTH), "p")).isFalse();
        assertThat(view.expired()).containsExactly(p);
        storage.releaseExpired(view.expired());
        assertThat(look(BOTH).partition(token("p")).orElseThrow().owner()).isEmpty();
        assertThat(view.expired()).isEmpty();
        assertThat(view.watched()).isEmpty();
    }

    @Test
    void a_partition_that_is_read_here_has_the_progress_that_was_stored() {
        PartitionLease p = acquired(ANN, "p");
        hold(p).persisted(at(7));
        now = now.plus(LEASE.multipliedBy(9));
        Lineage lineage = look(BOTH);
        assertThat(lease(lineage, "p")).isTrue();
        assertThat(lineage.partition(token("p")).orElseThrow().watermark()).isEqualTo(at(7));
        assertThat(view.watched()).isEmpty();
        assertThat(view.progress()).isEqualTo(new WorkerProgress(Optional.of(at(7)), now));
    }

    @Test
    void a_partition_that_is_read_here_has_the_move_outs_that_were_stored() {
        PartitionLease p = acquired(ANN, "p");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(p, at(7), Optional.of(new MoveOuts("1", tokens("q"))))));
        look(BOTH);
        hold(p).persisted(at(7), Optional.of(new MoveOuts("2", tokens("q", "r"))));
        assertThat(look(BOTH).partition(token("p")).orElseThrow().moveOuts())
                .contains(new MoveOuts("2", tokens("q", "r")));
        held.clear();
        hold(p).persisted(at(7));
        assertThat(look(BOTH).partition(token("p")).orElseThrow().moveOuts())
                .as("not all that is stored is known here")
                .contains(new MoveOuts("1", tokens("q")));
    }

    @Test
    void progress_that_was_stored_after_the_look_does_not_count_yet() {
        PartitionLease p = acquired(ANN, "p");
        HeldPartition reader = hold(p);
        take(view.mark());
        add(p, 3, "s"); // which is not in the look
        reader.persisted(at(7));
        assertThat(update(BOTH).lowWatermark()).contains(at(0));
        assertThat(view.progress().lowWatermark()).contains(at(0));
    }

    @Test
    void the_low_watermark_is_what_others_registered_and_what_is_stored_of_later_acquisitions() {
        PartitionLease p = acquired(BOB, "p");
        PartitionLease q = acquired(BOB, "q");
        look(BOTH);
        advance(p, 50);
        advance(q, 60);
        hold(acquired(ANN, "r")).persisted(at(70));
        storage.registerWorker(ANN, 9, false, Optional.of(progress(70)), LEASE);
        storage.registerWorker(BOB, 9, LEASE);
        look(BOTH);
        assertThat(low(BOB)).as("nothing is registered").contains(at(0));
        now = now.plusSeconds(1);
        storage.registerWorker(ANN, 9, false, Optional.of(progress(70)), LEASE);
        storage.registerWorker(BOB, 9, false, Optional.of(progress(50)), LEASE);
        look(BOTH);
        assertThat(low(BOB)).contains(at(50));
        now = now.plusSeconds(1);
        storage.release(List.of(q));
        acquired(BOB, "q");
        storage.registerWorker(BOB, 9, false, Optional.of(progress(80)), LEASE);
        now = now.plusSeconds(1);
        look(BOTH);
        assertThat(low(BOB)).as("acquired after the time of what is registered").contains(at(60));
        assertThat(low()).as("of a worker that is gone").contains(at(0));
    }

    @Test
    void the_low_watermark_of_the_only_worker_is_that_of_its_partitions() {
        hold(acquired(ANN, "p")).persisted(at(50));
        hold(acquired(ANN, "q")).persisted(at(40));
        hold(acquired(ANN, "r")).persisted(at(60));
        storage.registerWorker(ANN, 9, false, Optional.of(progress(10)), LEASE);
        look(Set.of(ANN));
        assertThat(low()).contains(at(40));
    }

    @Test
    void the_source_of_a_move_in_is_watched_and_an_unknown_one_has_everything_read() {
        PartitionLease p = acquired(ANN, "p");
        hold(p);
        acquired(BOB, "q");
        storage.waitForMoveIn(p, new MoveIn(at(5), tokens("q")));
        look(BOTH);
        assertThat(view.watched()).containsExactly(token("q"));
        assertThat(view.mark()).isPresent();
        storage.waitForMoveIn(p, new MoveIn(at(5), tokens("unknown")));
        look(BOTH);
        assertThat(view.mark()).isEmpty();
    }

    @Test
    void a_free_partition_with_an_unknown_parent_has_everything_read() {
        PartitionLease q = acquired(BOB, "q");
        storage.addChildren(
                q, new ChildPartitionsRecord(at(5), "", List.of(ChildPartition.of("s", List.of("unknown")))));
        look(BOTH);
        assertThat(view.mark()).isEmpty();
        advance(q, 6);
        advance(acquired(BOB, "p"), 6);
        advance(acquired(BOB, "r"), 6);
        assertThat(look(BOTH).claimable()).extracting(PartitionMetadata::token).containsExactly(token("s"));
        assertThat(view.mark()).isPresent();
    }

    @Test
    void a_partition_that_a_reader_waits_for_is_watched_or_has_everything_read() {
        take(view.mark());
        view.update(BOTH, Set.of(token("q")));
        assertThat(view.watched()).containsExactly(token("q"));
        assertThat(view.mark()).isPresent();
        view.update(BOTH, Set.of(token("unknown")));
        assertThat(view.mark()).isEmpty();
    }

    private Optional<Instant> low(WorkerId... others) {
        return view.lowWatermark(look.orElseThrow().workers(), Set.of(others));
    }

    private WorkerProgress progress(long lowWatermark) {
        return new WorkerProgress(Optional.of(at(lowWatermark)), now);
    }

    private Lineage look(Set<WorkerId> alive) {
        take(view.mark());
        return update(alive);
    }

    private Lineage update(Set<WorkerId> alive) {
        return view.update(alive, Set.of());
    }

    private void take(Optional<String> since) {
        view.prepare(held);
        FrontierChanges changes = storage.frontierSince(since, view.watched());
        view.take(changes);
        look = Optional.of(changes);
    }

    private static boolean lease(Lineage lineage, String token) {
        return lineage.partition(token(token)).orElseThrow().leaseLive();
    }

    private PartitionLease acquired(WorkerId worker, String token) {
        PartitionClaim claim =
                PartitionClaim.of(storage.lineage().partition(token(token)).orElseThrow());
        PartitionLease lease = storage.acquire(worker, List.of(claim), LEASE).getFirst();
        storage.markRunning(lease);
        return lease;
    }

    private HeldPartition hold(PartitionLease lease) {
        MonotonicTime stopped = MonotonicTime.of(() -> now, () -> 0);
        HeldPartition partition = new HeldPartition(
                lease, new InflightTracker("p", 1, at(0)), LocalLease.requested(stopped, Duration.ofDays(1)));
        held.add(partition);
        return partition;
    }

    private void advance(PartitionLease lease, long watermark) {
        storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, at(watermark))));
    }

    private void add(PartitionLease parent, long start, String... children) {
        storage.addChildren(
                parent,
                new ChildPartitionsRecord(
                        at(start),
                        "",
                        Arrays.stream(children)
                                .map(child -> ChildPartition.of(child, List.of()))
                                .toList()));
    }

    private static Instant at(long seconds) {
        return Instant.ofEpochSecond(1_000_000 + seconds);
    }

    private static PartitionToken token(String name) {
        return new PartitionToken(name);
    }

    private static List<PartitionToken> tokens(String... names) {
        return Arrays.stream(names).map(PartitionToken::new).toList();
    }
}

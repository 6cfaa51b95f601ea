package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of acquiring by compare-and-set, of take-over, and of the change to RUNNING. */
interface AcquireContract extends StorageScenario.Stage {

    @Test
    default void acquiring_sets_owner_epoch_and_lease_and_schedules() {
        given().created("a");
        PartitionLease lease = given().acquired(ANN, "a");

        assertThat(lease).isEqualTo(new PartitionLease(token("a"), ANN, 1, at(1)));
        PartitionMetadata a = given().partition("a");
        assertThat(a.state()).isEqualTo(PartitionState.SCHEDULED);
        assertThat(a.epoch()).isEqualTo(1);
        assertThat(a.owner()).contains(ANN);
        assertThat(a.leaseLive()).isTrue();
        assertThat(a.scheduledAt()).isPresent();
        assertThat(a.leaseUntil().orElseThrow()).isAfter(a.scheduledAt().orElseThrow());
        assertThat(a.runningAt()).isEmpty();
        assertThat(a.finishedAt()).isEmpty();
    }

    @Test
    default void a_claim_with_another_epoch_than_the_stored_one_is_lost() {
        given().created("a");
        assertThat(acquire(ANN, new PartitionClaim(token("a"), 1))).isEmpty();

        PartitionLease first = given().acquired(ANN, "a");
        given().storage().release(List.of(first));
        PartitionMetadata released = given().partition("a");
        assertThat(acquire(BOB, new PartitionClaim(token("a"), 0))).isEmpty();
        assertThat(acquire(BOB, new PartitionClaim(token("a"), 2))).isEmpty();
        assertThat(given().partition("a")).isEqualTo(released);
    }

    @Test
    default void a_partition_under_a_live_lease_is_not_acquired_not_even_by_its_owner() {
        given().created("a");
        given().acquired(ANN, "a");
        PartitionMetadata held = given().partition("a");

        assertThat(given().tryAcquire(BOB, "a")).isEmpty();
        assertThat(given().tryAcquire(ANN, "a"))
                .as("repeating a call whose confirmation was lost")
                .isEmpty();
        assertThat(given().partition("a")).isEqualTo(held);
    }

    @Test
    default void a_lease_holds_until_its_time_has_run_out_on_the_clock_of_the_storage() {
        given().created("a");
        given().acquired(ANN, "a");
        given().passTime(LEASE.minus(MOMENT));
        assertThat(given().partition("a").leaseLive()).isTrue();
        assertThat(given().tryAcquire(BOB, "a")).isEmpty();

        given().passTime(MOMENT.multipliedBy(2));
        assertThat(given().partition("a").leaseLive()).isFalse();
        assertThat(given().tryAcquire(BOB, "a")).hasSize(1);
    }

    @Test
    default void a_partition_whose_lease_ran_out_is_taken_over_where_its_watermark_stands() {
        given().created("a");
        PartitionLease first = given().running(ANN, "a");
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(first, at(5))));
        PartitionMetadata before = given().partition("a");
        given().letLeasesRunOut();

        PartitionLease second = given().acquired(BOB, "a");

        assertThat(second).isEqualTo(new PartitionLease(token("a"), BOB, 2, at(5)));
        PartitionMetadata after = given().partition("a");
        assertThat(after.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(after.owner()).contains(BOB);
        assertThat(after.leaseLive()).isTrue();
        assertThat(after.scheduledAt()).isEqualTo(before.scheduledAt());
        assertThat(after.runningAt()).isEqualTo(before.runningAt());
    }

    @Test
    default void a_partition_that_was_scheduled_and_never_read_is_taken_over_as_scheduled() {
        given().created("a");
        given().acquired(ANN, "a");
        given().letLeasesRunOut();
        PartitionLease second = given().acquired(BOB, "a");

        assertThat(given().partition("a").state()).isEqualTo(PartitionState.SCHEDULED);
        assertThat(given().storage().markRunning(second)).isTrue();
    }

    @Test
    default void several_claims_are_decided_each_for_itself_in_their_order() {
        given().created("a", "b", "c", "d");
        given().acquired(BOB, "c");

        List<PartitionLease> leases = given().storage()
                .acquire(
                        ANN,
                        List.of(
                                new PartitionClaim(token("d"), 0),
                                new PartitionClaim(token("c"), 1),
                                new PartitionClaim(token("unknown"), 0),
                                new PartitionClaim(token("b"), 3),
                                new PartitionClaim(token("a"), 0)),
                        LEASE);

        assertThat(leases)
                .containsExactly(
                        new PartitionLease(token("d"), ANN, 1, at(1)), new PartitionLease(token("a"), ANN, 1, at(1)));
        assertThat(given().partition("b").epoch()).isZero();
        assertThat(given().partition("c").owner()).contains(BOB);
        assertThat(given().find(token("unknown"))).isEmpty();
    }

    @Test
    default void no_claims_bring_no_leases() {
        given().storage().openSubscription(SUBSCRIPTION);
        assertThat(given().storage().acquire(ANN, List.of(), LEASE)).isEmpty();
        assertThat(given().partition("Parent0").epoch()).isZero();
    }

    @Test
    default void a_finished_partition_is_never_acquired_again() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(2), PartitionEnd.boundedEnd(at(2)));
        PartitionMetadata finished = given().partition(root);
        assertThat(given().tryAcquire(BOB, "Parent0")).isEmpty();
        given().letLeasesRunOut();
        assertThat(given().tryAcquire(BOB, "Parent0")).isEmpty();
        assertThat(given().partition(root)).isEqualTo(finished);
    }

    @Test
    default void of_workers_that_race_for_a_partition_exactly_one_wins() throws Exception {
        int racers = 8;
        given().created("a");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 1; round <= 10; round++) {
                PartitionClaim claim = PartitionClaim.of(given().partition("a"));
                CyclicBarrier start = new CyclicBarrier(racers);
                List<Callable<List<PartitionLease>>> calls = new ArrayList<>();
                for (int i = 0; i < racers; i++) {
                    WorkerId worker = new WorkerId("racer " + i);
                    PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                    calls.add(() -> {
                        start.await();
                        return storage.acquire(worker, List.of(claim), LEASE);
                    });
                }
                List<PartitionLease> won = threads.invokeAll(calls).stream()
                        .flatMap(call -> call.resultNow().stream())
                        .toList();

                assertThat(won).as("round %d", round).hasSize(1);
                PartitionMetadata a = given().partition("a");
                assertThat(a.epoch()).isEqualTo(round).isEqualTo(won.getFirst().epoch());
                assertThat(a.owner()).contains(won.getFirst().owner());
                given().letLeasesRunOut();
            }
        }
    }

    @Test
    default void several_claims_of_racing_workers_are_never_given_to_two() throws Exception {
        String[] names = {"a", "b", "c", "d", "e", "f"};
        given().created(names);
        List<PartitionClaim> claims = given().storage().lineage().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .map(PartitionClaim::of)
                .toList();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CyclicBarrier start = new CyclicBarrier(4);
            List<Future<List<PartitionLease>>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                WorkerId worker = new WorkerId("racer " + i);
                List<PartitionClaim> mine = i % 2 == 0 ? claims : claims.reversed();
                PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                calls.add(threads.submit(() -> {
                    start.await();
                    return storage.acquire(worker, mine, LEASE);
                }));
            }
            List<PartitionToken> won = new ArrayList<>();
            for (Future<List<PartitionLease>> call : calls) {
                call.get().forEach(lease -> won.add(lease.token()));
            }
            assertThat(won).containsExactlyInAnyOrderElementsOf(StorageScenario.tokens(names));
        }
    }

    @Test
    default void going_to_running_keeps_the_time_of_the_first_read_and_may_be_repeated() {
        given().created("a");
        PartitionLease lease = given().acquired(ANN, "a");
        assertThat(given().storage().markRunning(lease)).isTrue();
        PartitionMetadata running = given().partition("a");
        assertThat(running.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(running.runningAt()).isPresent();

        given().passTime(MOMENT);
        assertThat(given().storage().markRunning(lease)).isTrue();
        assertThat(given().partition("a").runningAt()).isEqualTo(running.runningAt());
        assertThat(given().partition("a").state()).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    default void a_finished_or_unknown_partition_does_not_go_to_running() {
        PartitionLease root = given().runningRoot(ANN);
        given().storage().finish(root, at(2), PartitionEnd.boundedEnd(at(2)));

        assertThat(given().storage().markRunning(root)).isFalse();
        assertThat(given().partition(root).state()).isEqualTo(PartitionState.FINISHED);
        assertThat(given().storage().markRunning(new PartitionLease(token("unknown"), ANN, 1, at(0))))
                .isFalse();
    }

    private List<PartitionLease> acquire(WorkerId worker, PartitionClaim claim) {
        return given().storage().acquire(worker, List.of(claim), LEASE);
    }
}

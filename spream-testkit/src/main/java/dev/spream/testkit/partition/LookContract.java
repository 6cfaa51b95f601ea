package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of looks, which show workers what changed in the frontier, and which workers are alive. */
interface LookContract extends StorageScenario.Stage {
    Instant ALL = Instant.parse("9000-01-01T00:00:00Z");

    @Test
    default void looks_show_every_change_of_the_frontier() {
        Looks looks = new Looks(given().anotherConnection());
        looks.assertFrontier("before the subscription");
        given().storage().openSubscription(SUBSCRIPTION);
        looks.assertFrontier("opened");
        given().created("a", "b", "c");
        looks.assertFrontier("added, and the root is finished");
        PartitionLease a = given().acquired(ANN, "a");
        looks.assertFrontier("acquired");
        given().storage().markRunning(a);
        looks.assertFrontier("running");
        given().waitForMoveIn(a, moveIn(5, "b", "Parent0"));
        looks.assertFrontier("waits, for a finished one too");
        PartitionLease b = given().running(BOB, "b");
        looks.assertFrontier("acquired and running at once");
        given().storage().acceptGap(b, new PartitionGap(at(1), at(4)));
        looks.assertFrontier("given a gap");
        given().storage().release(List.of(b));
        looks.assertFrontier("released");
        given().add(a, 6, "d", "e");
        given().finish(a, 6, "d", "e");
        looks.assertFrontier("finished, and named by its children");
        PartitionLease d = given().running(BOB, "d");
        looks.assertFrontier("a child is running");
        end(d, 7);
        looks.assertFrontier("finished, and named by none");
        given().storage().cleanUp(ALL);
        looks.assertFrontier("cleaned up");
        PartitionLease e = given().running(BOB, "e");
        given().add(e, 8, "f");
        given().finish(e, 8, "f");
        end(given().running(BOB, "f"), 9);
        given().storage().cleanUp(ALL);
        looks.assertFrontier("finished and cleaned up between two looks");
        given().letLeasesRunOut();
        given().running(ANN, "b");
        looks.assertFrontier("taken over");
    }

    @Test
    default void a_look_without_changes_has_no_partition_but_those_that_are_watched() {
        given().created("a", "b", "c");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        PartitionStorage storage = given().storage();
        FrontierChanges first = storage.frontierSince(Optional.empty(), Set.of());
        assertThat(first.complete()).isTrue();
        assertThat(first.asOf()).isBeforeOrEqualTo(first.partitions().readAt());

        given().advance(a, at(9));
        given().advance(b, at(9));
        storage.renew(List.of(a, b), LEASE.multipliedBy(2));
        FrontierChanges second = storage.frontierSince(first.mark(), Set.of(token("a"), token("not stored")));
        assertThat(second.partitions().partition(token("a")))
                .contains(given().partition("a"))
                .hasValueSatisfying(watched -> assertThat(watched.watermark()).isEqualTo(at(9)));
        if (!second.complete()) {
            assertThat(second.partitions().partitions()).hasSize(1);
            assertThat(storage.frontierSince(second.mark(), Set.of())
                            .partitions()
                            .partitions())
                    .isEmpty();
        }
    }

    @Test
    default void a_watched_partition_comes_with_the_finished_ones_that_it_names() {
        given().created("a", "b", "c");
        end(given().running(ANN, "c"), 5);
        given().waitForMoveIn(given().running(ANN, "a"), moveIn(5, "b", "c"));
        PartitionStorage storage = given().storage();
        Optional<String> mark =
                storage.frontierSince(Optional.empty(), Set.of()).mark();
        assertThat(storage.frontierSince(mark, Set.of(token("a"))).partitions().partitions())
                .extracting(PartitionMetadata::token)
                .contains(token("a"), token("c"));
    }

    @Test
    default void a_look_shows_changes_of_its_own_subscription_only() {
        given().created("a");
        PartitionStorage other = given().anotherSubscription();
        other.openSubscription(SUBSCRIPTION);
        Looks looks = new Looks(other);
        looks.assertFrontier("before");
        given().running(ANN, "a");
        given().storage().registerWorker(ANN, 1, LEASE);
        looks.assertFrontier("after");
        FrontierChanges look = other.frontierSince(Optional.empty(), Set.of(token("a")));
        assertThat(look.partitions().partition(token("a"))).isEmpty();
        assertThat(look.workers().firstEnd()).isEmpty();
    }

    @Test
    default void leases_that_have_ended_are_released_and_looks_show_it() {
        given().created("a", "b", "c");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        PartitionLease c = given().running(ANN, "c");
        PartitionStorage storage = given().storage();
        end(c, 9);
        Looks looks = new Looks(given().anotherConnection());
        looks.assertFrontier("before");
        storage.releaseExpired(List.of(a, b, c));
        assertThat(given().partition("a").owner()).as("not ended").contains(ANN);
        given().letLeasesRunOut();
        storage.renew(List.of(b), LEASE);
        storage.releaseExpired(List.of(new PartitionLease(a.token(), ANN, a.epoch() + 1, a.watermark()), b, c));
        assertThat(given().partition("a").owner()).as("another epoch").contains(ANN);
        storage.releaseExpired(List.of(a, b, c));
        looks.assertFrontier("released");
        assertThat(given().partition("a").owner().isEmpty()).isEqualTo(looks.mark.isPresent());
        assertThat(given().partition("a").epoch()).isEqualTo(1);
        assertThat(given().partition("b").owner()).as("renewed").contains(ANN);
        assertThat(given().partition("c").owner()).as("finished").contains(ANN);
    }

    @Test
    default void a_correction_shows_in_the_next_look() {
        given().created("a", "b");
        given().advance(given().running(ANN, "a"), at(9));
        given().letLeasesRunOut();
        Looks looks = new Looks(given().anotherConnection());
        looks.assertFrontier("before");
        corrected(new Correction.AddGap(new PartitionGap(at(0), at(50)), Set.of()));
        looks.assertFrontier("a gap was added");
        corrected(new Correction.BeginAnew(Optional.empty()));
        looks.assertFrontier("begun anew");
    }

    private void end(PartitionLease lease, long seconds) {
        assertThat(given().storage().finish(lease, at(seconds), PartitionEnd.boundedEnd(at(seconds))))
                .isTrue();
    }

    private void corrected(Correction correction) {
        assertThat(given().storage().correct(correction, new CorrectionAct("ann@host", "disaster")))
                .isInstanceOf(CorrectionOutcome.Planned.class);
    }

    @Test
    default void a_look_has_the_workers_that_are_alive_whenever_they_differ() {
        PartitionStorage storage = given().storage();
        Looks looks = new Looks(given().anotherConnection());
        looks.assertAlive();
        storage.registerWorker(ANN, 10, LEASE);
        looks.assertAlive(ANN);
        storage.registerWorker(ANN, 11, LEASE);
        looks.assertAlive(ANN);
        storage.registerWorker(ANN, 11, true, Optional.empty(), LEASE);
        looks.assertAlive(ANN);
        storage.registerWorker(BOB, 11, true, Optional.empty(), LEASE.multipliedBy(2));
        looks.assertAlive(ANN, BOB);
        storage.unregisterWorker(ANN);
        looks.assertAlive(BOB);
        given().passTime(MOMENT);
        storage.registerWorker(BOB, 11, true, Optional.of(progress(3, 5)), LEASE.multipliedBy(2));
        looks.assertSameWorkers();
        storage.registerWorker(ANN, 11, true, Optional.empty(), LEASE);
        storage.unregisterWorker(ANN);
        looks.assertSameWorkers();
        storage.registerWorker(ANN, 11, true, Optional.empty(), LEASE);
        looks.assertAlive(ANN, BOB);
        given().letLeasesRunOut();
        looks.assertAlive(BOB);
    }

    @Test
    default void the_first_end_is_that_of_the_first_registration_that_runs_out() {
        PartitionStorage storage = given().storage();
        assertThat(workers().firstEnd()).isEmpty();
        storage.registerWorker(BOB, 1, LEASE.multipliedBy(3));
        storage.registerWorker(ANN, 1, LEASE);
        assertThat(workers().firstEnd()).contains(firstEnd());
        given().letLeasesRunOut();
        assertThat(workers().firstEnd()).contains(firstEnd());
    }

    private Instant firstEnd() {
        return given().storage().workers().stream()
                .filter(WorkerRegistration::alive)
                .map(WorkerRegistration::aliveUntil)
                .min(Instant::compareTo)
                .orElseThrow();
    }

    @Test
    default void the_progress_of_the_workers_is_the_earliest_and_unknown_if_one_has_none() {
        PartitionStorage storage = given().storage();
        assertThat(workers().progress()).isEmpty();
        storage.registerWorker(ANN, 1, false, Optional.of(progress(30, 5)), LEASE.multipliedBy(2));
        assertThat(workers().progress()).contains(progress(30, 5));
        assertThat(given().anotherConnection().workers().getFirst().progress()).contains(progress(30, 5));
        storage.registerWorker(BOB, 1, false, Optional.of(progress(20, 6)), LEASE);
        assertThat(workers().progress()).contains(progress(20, 5));
        storage.registerWorker(BOB, 1, false, Optional.of(new WorkerProgress(Optional.empty(), at(4))), LEASE);
        assertThat(workers().progress()).contains(progress(30, 4));
        storage.registerWorker(BOB, 1, LEASE);
        assertThat(workers().progress()).isEmpty();
        given().letLeasesRunOut();
        assertThat(workers().progress()).as("of those alive").contains(progress(30, 5));
    }

    private static WorkerProgress progress(long lowWatermark, long asOf) {
        return new WorkerProgress(Optional.of(at(lowWatermark).plusNanos(7)), at(asOf));
    }

    private FrontierChanges.LiveWorkers workers() {
        return given().storage().frontierSince(Optional.empty(), Set.of()).workers();
    }

    /** The frontier as one worker knows it by its looks. */
    final class Looks {
        private final PartitionStorage storage;
        private final Map<PartitionToken, PartitionMetadata> known = new TreeMap<>();
        private Optional<String> mark = Optional.empty();

        private Looks(PartitionStorage storage) {
            this.storage = storage;
        }

        private void assertSameWorkers() {
            boolean keepsChanges = mark.isPresent();
            assertThat(look().workers().changed().isEmpty()).isEqualTo(keepsChanges);
        }

        private void assertAlive(WorkerId... workers) {
            assertThat(look().workers().changed())
                    .hasValueSatisfying(alive -> assertThat(alive)
                            .containsExactlyInAnyOrderElementsOf(storage.workers().stream()
                                    .filter(WorkerRegistration::alive)
                                    .toList())
                            .extracting(WorkerRegistration::worker)
                            .containsExactlyInAnyOrder(workers));
        }

        private FrontierChanges look() {
            FrontierChanges look = storage.frontierSince(mark, Set.of());
            mark = look.mark();
            return look;
        }

        private void assertFrontier(String moment) {
            FrontierChanges look = look();
            if (look.complete()) {
                known.clear();
            }
            look.partitions().partitions().forEach(partition -> known.put(partition.token(), partition));
            Set<PartitionToken> named = known.values().stream()
                    .filter(partition -> !partition.isFinished())
                    .flatMap(Looks::predecessors)
                    .collect(Collectors.toSet());
            known.values().removeIf(partition -> partition.isFinished() && !named.contains(partition.token()));
            assertThat(known.values())
                    .as(moment)
                    .usingRecursiveFieldByFieldElementComparatorIgnoringFields("watermark", "leaseUntil", "leaseLive")
                    .containsExactlyInAnyOrderElementsOf(storage.frontier().partitions());
        }

        private static Stream<PartitionToken> predecessors(PartitionMetadata partition) {
            return Stream.concat(
                    partition.parentTokens().stream(),
                    partition.moveIn().stream().flatMap(moveIn -> moveIn.sources().stream()));
        }
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of worker registrations. */
interface WorkerContract extends StorageScenario.Stage {

    @Test
    default void a_registered_worker_is_listed_as_alive() {
        given().storage().registerWorker(ANN, 10, LEASE);

        List<WorkerRegistration> workers = given().anotherConnection().workers();
        assertThat(workers).extracting(WorkerRegistration::worker).containsExactly(ANN);
        assertThat(workers.getFirst().alive()).isTrue();
        assertThat(workers.getFirst().aliveUntil()).isAfter(workers.getFirst().registeredAt());
    }

    @Test
    default void registering_again_extends_the_registration_and_keeps_its_place() {
        given().storage().registerWorker(BOB, 10, LEASE);
        given().passTime(MOMENT);
        given().storage().registerWorker(ANN, 10, LEASE);
        given().passTime(LEASE.minus(MOMENT.multipliedBy(2)));
        given().storage().registerWorker(BOB, 10, LEASE);
        given().passTime(MOMENT.multipliedBy(3));

        List<WorkerRegistration> workers = given().storage().workers();
        assertThat(workers).extracting(WorkerRegistration::worker).containsExactly(BOB, ANN);
        assertThat(workers).extracting(WorkerRegistration::alive).containsExactly(true, false);
    }

    @Test
    default void registrations_that_ran_out_are_listed_until_they_are_expired() {
        given().storage().registerWorker(ANN, 10, MOMENT);
        given().storage().registerWorker(BOB, 10, LEASE);
        assertThat(given().storage().expireWorkers()).isZero();
        given().passTime(MOMENT.multipliedBy(2));

        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::worker)
                .containsExactlyInAnyOrder(ANN, BOB);
        assertThat(given().storage().expireWorkers()).isEqualTo(1);
        assertThat(given().anotherConnection().expireWorkers()).isZero();
        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::worker)
                .containsExactly(BOB);
    }

    @Test
    default void a_worker_whose_registration_ran_out_comes_back_by_registering() {
        given().storage().registerWorker(ANN, 10, MOMENT);
        given().passTime(MOMENT.multipliedBy(2));
        given().storage().registerWorker(ANN, 10, LEASE);
        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::alive)
                .containsExactly(true);
        assertThat(given().storage().expireWorkers()).isZero();
    }

    @Test
    default void unregistering_removes_the_registration_and_no_lease() {
        given().created("a");
        given().storage().registerWorker(ANN, 10, LEASE);
        given().storage().registerWorker(BOB, 10, LEASE);
        given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");

        given().storage().unregisterWorker(ANN);
        given().storage().unregisterWorker(ANN);

        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::worker)
                .containsExactly(BOB);
        assertThat(given().partition("a")).isEqualTo(before);
    }

    @Test
    default void a_registration_keeps_the_capacity_that_was_given_last() {
        given().storage().registerWorker(ANN, Integer.MAX_VALUE, LEASE);
        given().storage().registerWorker(BOB, 7, LEASE);
        given().storage().registerWorker(BOB, 1, LEASE);
        assertThat(given().anotherConnection().workers())
                .extracting(WorkerRegistration::capacity)
                .containsExactlyInAnyOrder(Integer.MAX_VALUE, 1);
    }

    @Test
    default void a_registration_keeps_whether_the_worker_delivers_whole_transactions() {
        given().storage().registerWorker(ANN, 10, LEASE);
        given().storage().registerWorker(BOB, 10, true, Optional.empty(), LEASE);
        assertThat(given().anotherConnection().workers())
                .filteredOn(WorkerRegistration::wholeTransactions)
                .extracting(WorkerRegistration::worker)
                .containsExactly(BOB);

        given().storage().registerWorker(ANN, 10, true, Optional.empty(), LEASE);
        given().storage().registerWorker(BOB, 10, LEASE);
        assertThat(given().anotherConnection().workers())
                .filteredOn(WorkerRegistration::wholeTransactions)
                .extracting(WorkerRegistration::worker)
                .containsExactly(ANN);
    }

    @Test
    default void a_worker_id_has_any_characters_up_to_its_limit() {
        WorkerId longest = new WorkerId("ö/☃ '\"%" + "x".repeat(193));
        given().storage().registerWorker(longest, 10, LEASE);
        assertThat(given().storage().workers())
                .extracting(WorkerRegistration::worker)
                .containsExactly(longest);
    }
}

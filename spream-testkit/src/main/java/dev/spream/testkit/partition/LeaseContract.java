package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.WatermarkAdvance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of renewing and releasing leases. */
interface LeaseContract extends StorageScenario.Stage {

    @Test
    default void a_renewed_lease_lasts_from_the_time_of_the_renewal() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");
        given().passTime(LEASE.minus(MOMENT));
        assertThat(given().storage().renew(List.of(lease), LEASE)).isEmpty();

        given().passTime(LEASE.minus(MOMENT));
        assertThat(given().partition("a").leaseLive()).isTrue();
        assertThat(given().tryAcquire(BOB, "a")).isEmpty();
        assertThat(given().partition("a").epoch()).isEqualTo(before.epoch());
        given().passTime(MOMENT.multipliedBy(2));
        assertThat(given().tryAcquire(BOB, "a")).hasSize(1);
    }

    @Test
    default void a_renewal_may_shorten_a_lease() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        assertThat(given().storage().renew(List.of(lease), MOMENT)).isEmpty();
        given().passTime(MOMENT.multipliedBy(2));
        assertThat(given().tryAcquire(BOB, "a")).hasSize(1);
    }

    @Test
    default void an_expired_lease_is_renewed_until_it_is_taken_over() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        given().letLeasesRunOut();
        PartitionClaim claim = PartitionClaim.of(given().partition("a"));

        assertThat(given().storage().renew(List.of(lease), LEASE)).isEmpty();
        assertThat(given().partition("a").leaseLive()).isTrue();
        assertThat(given().storage().acquire(BOB, List.of(claim), LEASE)).isEmpty();
    }

    @Test
    default void a_renewal_reports_exactly_the_rows_that_were_lost() {
        given().created("a", "b", "c", "d", "e");
        PartitionLease taken = given().staleLease("a");
        PartitionLease kept = given().running(ANN, "b");
        PartitionLease finished = given().running(ANN, "c");
        given().storage().finish(finished, at(2), PartitionEnd.boundedEnd(at(2)));
        PartitionLease released = given().running(ANN, "d");
        given().storage().release(List.of(released));
        PartitionLease scheduled = given().acquired(ANN, "e");
        PartitionLease unknown = new PartitionLease(token("unknown"), ANN, 1, at(0));
        given().passTime(MOMENT);
        PartitionMetadata takenOver = given().partition("a");

        assertThat(given().storage().renew(List.of(taken, kept, finished, released, scheduled, unknown), LEASE))
                .containsExactlyInAnyOrder(token("a"), token("c"), token("d"), token("unknown"));
        assertThat(given().partition("a").leaseUntil()).isEqualTo(takenOver.leaseUntil());
        assertThat(given().partition("d").leaseLive()).isFalse();
        given().passTime(LEASE.minus(MOMENT.dividedBy(2)));
        assertThat(given().partition("b").leaseLive()).isTrue();
        assertThat(given().partition("e").leaseLive()).isTrue();
    }

    @Test
    default void a_released_partition_keeps_state_epoch_and_watermark_and_has_no_owner() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(lease, at(5))));
        given().storage().release(List.of(lease));

        PartitionMetadata a = given().partition("a");
        assertThat(a.owner()).isEmpty();
        assertThat(a.leaseUntil()).isEmpty();
        assertThat(a.leaseLive()).isFalse();
        assertThat(a.state()).isEqualTo(PartitionState.RUNNING);
        assertThat(a.epoch()).isEqualTo(1);
        assertThat(a.watermark()).isEqualTo(at(5));
    }

    @Test
    default void a_released_partition_is_acquired_at_once_with_the_next_epoch() {
        given().created("a");
        PartitionLease lease = given().running(ANN, "a");
        given().storage().release(List.of(lease));
        given().storage().release(List.of(lease));

        assertThat(given().acquired(BOB, "a").epoch()).isEqualTo(2);
        assertThat(given().partition("a").state()).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    default void releasing_leaves_lost_finished_and_unknown_partitions_as_they_are() {
        given().created("a", "b", "c");
        PartitionLease taken = given().staleLease("a");
        PartitionLease finished = given().running(ANN, "b");
        given().storage().finish(finished, at(2), PartitionEnd.boundedEnd(at(2)));
        PartitionLease kept = given().running(ANN, "c");
        PartitionLease unknown = new PartitionLease(token("unknown"), ANN, 1, at(0));
        List<PartitionMetadata> before = List.of(given().partition("a"), given().partition("b"));

        given().storage().release(List.of(taken, finished, unknown, kept));

        assertThat(List.of(given().partition("a"), given().partition("b"))).isEqualTo(before);
        assertThat(given().partition("c").owner()).isEmpty();
        assertThat(given().find(token("unknown"))).isEmpty();
    }

    @Test
    default void nothing_is_renewed_advanced_or_released_by_an_empty_batch() {
        given().created("a");
        given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");
        assertThat(given().storage().renew(List.of(), LEASE)).isEmpty();
        assertThat(given().storage().advanceWatermarks(List.of())).isEmpty();
        given().storage().release(List.of());
        assertThat(given().partition("a")).isEqualTo(before);
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of gaps: the watermark passes records that were lost to the retention period, and the gap records that. */
interface GapContract extends StorageScenario.Stage {

    @Test
    default void accepting_a_gap_records_it_and_moves_the_watermark_to_its_end() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");

        assertThat(accept(a, gap(1, 9))).isTrue();

        PartitionMetadata after = given().partition("a");
        assertThat(after.watermark()).isEqualTo(at(9));
        assertThat(after.gaps()).containsExactly(gap(1, 9));
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("watermark", "gaps")
                .isEqualTo(before);
        assertThat(given().anotherConnection().lineage().partition(a.token())).contains(after);
    }

    @Test
    default void the_same_gap_again_changes_nothing_and_is_accepted() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        accept(a, gap(1, 9));
        assertThat(accept(a, gap(1, 9))).isTrue();
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(a, at(12))));
        assertThat(accept(a, gap(1, 9))).isTrue();
        given().letLeasesRunOut();
        assertThat(accept(given().acquired(BOB, "a"), gap(1, 9))).isTrue();

        assertThat(given().partition("a").watermark()).isEqualTo(at(12));
        assertThat(given().partition("a").gaps()).containsExactly(gap(1, 9));
    }

    @Test
    default void gaps_are_kept_in_order_of_time_through_take_overs() {
        given().created("a", "b");
        given().running(ANN, "b");
        PartitionLease first = given().running(ANN, "a");
        accept(first, gap(1, 9));
        given().storage().release(List.of(first));

        PartitionLease second = given().acquired(BOB, "a");
        assertThat(second.watermark()).isEqualTo(at(9));
        assertThat(accept(second, gap(9, 11))).isTrue();
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(second, at(20))));
        assertThat(accept(second, gap(20, 21))).isTrue();

        assertThat(given().partition("a").gaps()).containsExactly(gap(1, 9), gap(9, 11), gap(20, 21));
        assertThat(given().partition("a").watermark()).isEqualTo(at(21));
        assertThat(given().partition("b").gaps()).isEmpty();
    }

    @Test
    default void a_gap_that_does_not_start_at_the_stored_watermark_is_refused() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().storage().advanceWatermarks(List.of(new WatermarkAdvance(a, at(5))));
        accept(a, gap(5, 7));
        PartitionMetadata before = given().partition("a");

        for (Instant from : List.of(at(1), at(5), at(7).minusNanos(1), at(7).plusNanos(1))) {
            assertThatThrownBy(() -> accept(a, new PartitionGap(from, at(9))))
                    .as("a gap from %s", from)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(from.toString())
                    .hasMessageContaining(at(7).toString());
        }
        assertThat(given().partition("a")).isEqualTo(before);
    }

    @Test
    default void a_lost_lease_is_a_value_even_where_the_gap_does_not_fit() {
        given().created("a");
        PartitionLease stale = given().staleLease("a");
        assertThat(accept(stale, gap(1, 9))).isFalse();
        assertThat(accept(stale, gap(3, 9))).isFalse();
        assertThat(given().partition("a").watermark()).isEqualTo(at(1));
        assertThat(given().partition("a").gaps()).isEmpty();
    }

    @Test
    default void a_partition_that_is_not_running_accepts_no_gap() {
        given().created("a");
        PartitionLease scheduled = given().acquired(ANN, "a");
        PartitionMetadata before = given().partition("a");
        assertThat(accept(scheduled, gap(1, 9))).isFalse();
        assertThat(given().partition("a")).isEqualTo(before);
    }

    @Test
    default void a_watermark_does_not_move_back_into_a_gap() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        accept(a, gap(1, 9));
        assertThat(given().storage().advanceWatermarks(List.of(new WatermarkAdvance(a, at(5)))))
                .isEmpty();
        assertThat(given().partition("a").watermark()).isEqualTo(at(9));
    }

    @Test
    default void a_gap_keeps_its_nanoseconds_up_to_the_last_one_there_is() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        PartitionGap one = new PartitionGap(at(1), at(1).plusNanos(1));
        PartitionGap rest = new PartitionGap(at(1).plusNanos(1), CapacityContract.LAST);
        assertThat(accept(a, one)).isTrue();
        assertThat(accept(a, rest)).isTrue();
        assertThat(given().partition("a").gaps()).containsExactly(one, rest);
        assertThat(given().partition("a").watermark()).isEqualTo(CapacityContract.LAST);
    }

    @Test
    default void a_gap_outlives_finish_and_clean_up() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        accept(a, gap(1, 9));
        given().storage().finish(a, at(10), PartitionEnd.boundedEnd(at(10)));
        PartitionMetadata finished = given().partition("a");
        assertThat(finished.gaps()).containsExactly(gap(1, 9));
        assertThat(finished.watermark()).isEqualTo(at(10));

        given().storage().cleanUp(finished.finishedAt().orElseThrow().plusSeconds(60));
        assertThat(given().find(token("a"))).isEmpty();
        assertThat(given().anotherConnection().proofs())
                .filteredOn(proof -> proof.token().equals(token("a")))
                .singleElement()
                .satisfies(proof -> assertThat(proof.gaps()).containsExactly(gap(1, 9)));
    }

    @Test
    default void of_gaps_that_are_accepted_at_once_exactly_one_stands() throws Exception {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        int writers = 8;
        CyclicBarrier start = new CyclicBarrier(writers);
        List<PartitionGap> accepted = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<PartitionGap>> calls = new ArrayList<>();
            for (int i = 1; i <= writers; i++) {
                PartitionGap gap = gap(1, 1 + i);
                PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                calls.add(threads.submit(() -> {
                    start.await();
                    assertThat(storage.acceptGap(a, gap)).isTrue();
                    return gap;
                }));
            }
            for (Future<PartitionGap> call : calls) {
                try {
                    accepted.add(call.get());
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(IllegalArgumentException.class);
                }
            }
        }
        assertThat(accepted).hasSize(1);
        assertThat(given().partition("a").gaps()).isEqualTo(accepted);
        assertThat(given().partition("a").watermark())
                .isEqualTo(accepted.getFirst().to());
    }

    private boolean accept(PartitionLease lease, PartitionGap gap) {
        return given().storage().acceptGap(lease, gap);
    }

    private static PartitionGap gap(long fromSeconds, long toSeconds) {
        return new PartitionGap(at(fromSeconds), at(toSeconds));
    }
}

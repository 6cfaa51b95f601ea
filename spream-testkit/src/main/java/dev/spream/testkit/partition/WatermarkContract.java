package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of watermarks: forward only, row by row. */
interface WatermarkContract extends StorageScenario.Stage {

    @Test
    default void a_watermark_moves_forward_and_the_next_owner_gets_it() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        assertThat(advance(a, at(5))).isEmpty();
        assertThat(given().anotherConnection()
                        .lineage()
                        .partition(token("a"))
                        .orElseThrow()
                        .watermark())
                .isEqualTo(at(5));

        given().storage().release(List.of(a));
        assertThat(given().acquired(BOB, "a").watermark()).isEqualTo(at(5));
        assertThat(given().partition("a").startTimestamp()).isEqualTo(at(1));
    }

    @Test
    default void a_watermark_never_moves_back_and_an_older_one_is_no_error() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        advance(a, at(5));
        assertThat(advance(a, at(5))).isEmpty();
        assertThat(advance(a, at(5).minusNanos(1))).isEmpty();
        assertThat(advance(a, at(0))).isEmpty();
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
        assertThat(advance(a, at(5).plusNanos(1))).isEmpty();
        assertThat(given().partition("a").watermark()).isEqualTo(at(5).plusNanos(1));
    }

    @Test
    default void of_several_watermarks_for_one_partition_the_latest_stands_in_whatever_order() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        assertThat(given().storage()
                        .advanceWatermarks(List.of(
                                new WatermarkAdvance(a, at(5)),
                                new WatermarkAdvance(b, at(3)),
                                new WatermarkAdvance(a, at(4)),
                                new WatermarkAdvance(b, at(6)))))
                .isEmpty();
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
        assertThat(given().partition("b").watermark()).isEqualTo(at(6));
    }

    @Test
    default void a_batch_reports_exactly_the_rows_that_were_lost_or_are_not_running() {
        given().created("a", "b", "c", "d", "e");
        PartitionLease taken = given().staleLease("a");
        PartitionLease kept = given().running(ANN, "b");
        PartitionLease scheduled = given().acquired(ANN, "c");
        PartitionLease finished = given().running(ANN, "d");
        given().storage().finish(finished, at(2), PartitionEnd.boundedEnd(at(2)));
        PartitionLease alsoKept = given().running(ANN, "e");
        PartitionLease unknown = new PartitionLease(token("unknown"), ANN, 1, at(0));

        Set<PartitionToken> lost = given().storage()
                .advanceWatermarks(List.of(
                        new WatermarkAdvance(taken, at(9)),
                        new WatermarkAdvance(kept, at(9)),
                        new WatermarkAdvance(scheduled, at(9)),
                        new WatermarkAdvance(finished, at(9)),
                        new WatermarkAdvance(alsoKept, at(0)),
                        new WatermarkAdvance(unknown, at(9))));

        assertThat(lost).containsExactlyInAnyOrder(token("a"), token("c"), token("d"), token("unknown"));
        assertThat(given().partition("a").watermark()).isEqualTo(at(1));
        assertThat(given().partition("b").watermark()).isEqualTo(at(9));
        assertThat(given().partition("c").watermark()).isEqualTo(at(1));
        assertThat(given().partition("d").watermark()).isEqualTo(at(2));
        assertThat(given().partition("e").watermark()).isEqualTo(at(1));
    }

    @Test
    default void a_watermark_changes_nothing_else() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");
        advance(a, at(5));
        PartitionMetadata after = given().partition("a");
        assertThat(after.watermark()).isEqualTo(at(5));
        assertThat(after).usingRecursiveComparison().ignoringFields("watermark").isEqualTo(before);
    }

    @Test
    default void of_watermarks_that_are_written_at_once_the_latest_stands() throws Exception {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        int writers = 8;
        CyclicBarrier start = new CyclicBarrier(writers);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Set<PartitionToken>>> calls = new ArrayList<>();
            for (int i = 1; i <= writers; i++) {
                Instant watermark = at(i * 10L);
                PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                calls.add(threads.submit(() -> {
                    start.await();
                    return storage.advanceWatermarks(List.of(new WatermarkAdvance(a, watermark)));
                }));
            }
            for (Future<Set<PartitionToken>> call : calls) {
                assertThat(call.get()).isEmpty();
            }
        }
        assertThat(given().partition("a").watermark()).isEqualTo(at(80));
    }

    private Set<PartitionToken> advance(PartitionLease lease, Instant watermark) {
        return given().storage().advanceWatermarks(List.of(new WatermarkAdvance(lease, watermark)));
    }
}

package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.moveOuts;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of move-outs: they belong to the stored watermark, add up at it, and are dropped with it. */
interface MoveOutContract extends StorageScenario.Stage {

    @Test
    default void move_outs_are_stored_with_their_watermark_and_change_nothing_else() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionMetadata before = given().partition("a");
        assertThat(before.moveOuts()).isEmpty();

        given().advance(a, at(5), moveOuts("00000002", "c", "b"));

        PartitionMetadata after = given().partition("a");
        assertThat(after.watermark()).isEqualTo(at(5));
        assertThat(after.moveOuts()).contains(moveOuts("00000002", "c", "b"));
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("watermark", "moveOuts")
                .isEqualTo(before);
        assertThat(given().anotherConnection().lineage().partition(token("a"))).contains(after);
        assertThat(given().storage().frontier().partition(token("a"))).contains(after);
        assertThat(given().partition("b").moveOuts()).isEmpty();
    }

    @Test
    default void move_outs_at_the_stored_watermark_are_added() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().advance(a, at(1), moveOuts("10", "d"));
        assertThat(given().partition("a").moveOuts()).as("at the start").contains(moveOuts("10", "d"));

        given().advance(a, at(1), moveOuts("9", "b", "d", "c"));
        assertThat(given().partition("a").moveOuts())
                .as("the later sequence as text compares, and each destination once")
                .contains(moveOuts("9", "d", "b", "c"));
        given().advance(a, at(1), moveOuts("10", "d"));
        given().advance(a, at(1));
        assertThat(given().partition("a").moveOuts())
                .as("after a repetition, and after a watermark without move-outs")
                .contains(moveOuts("9", "d", "b", "c"));

        given().advance(a, at(5));
        given().advance(a, at(5), moveOuts("1", "b"));
        assertThat(given().partition("a").moveOuts())
                .as("of a watermark that is stored already")
                .contains(moveOuts("1", "b"));
    }

    @Test
    default void a_later_watermark_drops_the_move_outs_of_the_one_before() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        given().advance(a, at(5), moveOuts("2", "b"));
        given().advance(b, at(5), moveOuts("2", "a"));

        given().advance(a, at(6), moveOuts("1", "c"));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("1", "c"));
        given().advance(a, at(7));
        assertThat(given().partition("a").moveOuts()).isEmpty();
        assertThat(given().partition("b").moveOuts()).contains(moveOuts("2", "a"));
    }

    @Test
    default void move_outs_of_an_earlier_watermark_are_ignored() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().advance(a, at(5));
        given().advance(a, at(5).minusNanos(1), moveOuts("9", "c"));
        assertThat(given().partition("a").moveOuts()).isEmpty();

        given().advance(a, at(5), moveOuts("2", "b"));
        given().advance(a, at(4), moveOuts("9", "c"));
        given().advance(a, at(4));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("2", "b"));
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
    }

    @Test
    default void move_outs_belong_to_their_nanosecond() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        Instant moved = at(5).plusNanos(1);
        given().advance(a, moved, moveOuts("1", "b"));
        given().advance(a, moved.minusNanos(1), moveOuts("2", "c"));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("1", "b"));
        given().advance(a, moved.plusNanos(1), moveOuts("1", "d"));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("1", "d"));
        given().advance(a, CapacityContract.LAST, moveOuts("1", "e"));
        given().advance(a, CapacityContract.LAST.minusNanos(1), moveOuts("1", "f"));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("1", "e"));
    }

    @Test
    default void the_next_owner_gets_the_move_outs_with_the_watermark() {
        given().created("a", "b");
        PartitionLease released = given().running(ANN, "a");
        assertThat(released.moveOuts()).isEmpty();
        given().advance(released, at(5), moveOuts("2", "b", "c"));
        given().storage().release(List.of(released));

        PartitionLease next = given().acquired(BOB, "a");
        assertThat(next).isEqualTo(new PartitionLease(token("a"), BOB, 2, at(5), Optional.of(moveOuts("2", "b", "c"))));
        assertThat(given().acquired(BOB, "b").moveOuts()).isEmpty();

        given().storage().release(List.of(next));
        assertThat(given().acquired(ANN, "a").moveOuts())
                .as("of an owner that has written nothing")
                .contains(moveOuts("2", "b", "c"));
    }

    @Test
    default void a_partition_whose_lease_ran_out_is_taken_over_with_its_move_outs() {
        given().created("a");
        PartitionLease expired = given().running(ANN, "a");
        given().advance(expired, at(5), moveOuts("2", "b"));
        given().letLeasesRunOut();
        given().advance(expired, at(5), moveOuts("3", "c"));

        PartitionLease next = given().acquired(BOB, "a");
        assertThat(next).isEqualTo(new PartitionLease(token("a"), BOB, 2, at(5), Optional.of(moveOuts("3", "b", "c"))));
        given().advance(next, at(6));
        given().letLeasesRunOut();
        assertThat(given().acquired(ANN, "a").moveOuts()).isEmpty();
    }

    @Test
    default void of_several_advances_of_one_partition_the_latest_has_its_move_outs_in_whatever_order() {
        given().created("a", "b", "c");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(ANN, "b");
        PartitionLease c = given().running(ANN, "c");
        given().advance(c, at(5), moveOuts("2", "x"));
        assertThat(given().storage()
                        .advanceWatermarks(List.of(
                                advance(a, 5, moveOuts("1", "x")),
                                advance(b, 6, moveOuts("1", "x")),
                                advance(c, 5, moveOuts("1", "y")),
                                advance(a, 4, moveOuts("9", "z")),
                                new WatermarkAdvance(a, at(5)),
                                new WatermarkAdvance(b, at(7)),
                                advance(c, 5, moveOuts("3", "z", "x")),
                                advance(b, 6, moveOuts("2", "y")),
                                advance(a, 5, moveOuts("2", "y")))))
                .isEmpty();
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("2", "x", "y"));
        assertThat(given().partition("b").watermark()).isEqualTo(at(7));
        assertThat(given().partition("b").moveOuts()).isEmpty();
        assertThat(given().partition("c").moveOuts()).contains(moveOuts("3", "x", "y", "z"));
    }

    @Test
    default void of_a_batch_no_move_outs_are_stored_where_the_lease_is_lost_or_the_partition_is_not_running() {
        given().created("a", "b", "c");
        PartitionLease taken = given().staleLease("a");
        PartitionLease kept = given().running(ANN, "b");
        PartitionLease scheduled = given().acquired(ANN, "c");

        Set<PartitionToken> lost = given().storage()
                .advanceWatermarks(List.of(
                        advance(taken, 1, moveOuts("1", "x")),
                        advance(kept, 1, moveOuts("1", "x", "y")),
                        advance(scheduled, 9, moveOuts("1", "z"))));

        assertThat(lost).containsExactlyInAnyOrder(token("a"), token("c"));
        assertThat(given().partition("a").moveOuts()).isEmpty();
        assertThat(given().partition("b").moveOuts()).contains(moveOuts("1", "x", "y"));
        assertThat(given().partition("c").moveOuts()).isEmpty();
    }

    @Test
    default void a_gap_drops_the_move_outs_before_it_and_a_repeated_gap_keeps_those_after_it() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        PartitionGap gap = new PartitionGap(at(5), at(9));
        given().advance(a, at(5), moveOuts("2", "b"));
        assertThat(given().storage().acceptGap(a, gap)).isTrue();
        assertThat(given().partition("a").moveOuts()).isEmpty();

        given().advance(a, at(9), moveOuts("3", "c"));
        assertThat(given().storage().acceptGap(a, gap)).isTrue();
        assertThat(given().partition("a").moveOuts()).contains(moveOuts("3", "c"));
    }

    @Test
    default void a_later_last_watermark_drops_the_move_outs() {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        given().advance(a, at(5), moveOuts("2", "b"));
        given().storage().finish(a, at(6), PartitionEnd.partitionEnd(at(6), List.of()));
        assertThat(given().partition("a").watermark()).isEqualTo(at(6));
        assertThat(given().partition("a").moveOuts()).isEmpty();
    }

    @Test
    default void move_outs_that_are_written_at_once_at_one_watermark_are_all_stored() throws Exception {
        given().created("a");
        PartitionLease a = given().running(ANN, "a");
        int writers = 8;
        CyclicBarrier start = new CyclicBarrier(writers);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Set<PartitionToken>>> calls = new ArrayList<>();
            for (int i = 1; i <= writers; i++) {
                WatermarkAdvance advance = advance(a, 5, moveOuts(Integer.toString(i), "d" + i));
                PartitionStorage storage = i % 2 == 0 ? given().storage() : given().anotherConnection();
                calls.add(threads.submit(() -> {
                    start.await();
                    return storage.advanceWatermarks(List.of(advance));
                }));
            }
            for (Future<Set<PartitionToken>> call : calls) {
                assertThat(call.get()).isEmpty();
            }
        }
        MoveOuts stored = given().partition("a").moveOuts().orElseThrow();
        assertThat(stored.recordSequence()).isEqualTo(Integer.toString(writers));
        assertThat(stored.destinations())
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, writers)
                        .mapToObj(i -> token("d" + i))
                        .toList());
    }

    private static WatermarkAdvance advance(PartitionLease lease, long seconds, MoveOuts moveOuts) {
        return new WatermarkAdvance(lease, at(seconds), Optional.of(moveOuts));
    }
}

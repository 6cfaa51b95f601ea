package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.CARL;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of sharing segments among workers. */
interface OutboxSegmentContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_worker_that_is_alone_holds_all_segments() {
        OutboxSegmentShare share = given().segments(ANN);
        assertThat(share.share()).isEqualTo(OutboxSegmentLease.SEGMENTS);
        assertThat(numbers(share))
                .hasSize(OutboxSegmentLease.SEGMENTS)
                .containsAll(
                        IntStream.range(0, OutboxSegmentLease.SEGMENTS).boxed().toList());
    }

    @Test
    default void a_worker_that_holds_on_keeps_its_segments_and_their_epochs() {
        OutboxSegmentShare first = given().segments(ANN);
        given().pass(Duration.ofSeconds(40));
        assertThat(epochs(given().segments(ANN))).isEqualTo(epochs(first));
        given().pass(Duration.ofSeconds(40));
        assertThat(given().segments(BOB).held()).as("held on for another lease").isEmpty();
        assertThat(epochs(given().segments(ANN))).isEqualTo(epochs(first));
    }

    @Test
    default void a_second_worker_claims_half_of_the_segments_when_the_first_releases_them() {
        Map<Integer, Long> before = epochs(given().segments(ANN));
        OutboxSegmentShare bobs = given().segments(BOB);
        assertThat(bobs.share()).isEqualTo(128);
        assertThat(bobs.held()).isEmpty();

        OutboxSegmentShare anns = given().segments(ANN);
        assertThat(anns.share()).isEqualTo(128);
        assertThat(anns.held()).as("the surplus stays until it is released").hasSize(256);
        Set<Integer> surplus =
                anns.held().stream().limit(128).map(OutboxSegmentLease::segment).collect(toSet());
        assertThat(numbers(given().store().holdSegments(ANN, surplus, LEASE)))
                .hasSize(128)
                .doesNotContainAnyElementsOf(surplus);

        OutboxSegmentShare taken = given().segments(BOB);
        assertThat(numbers(taken)).isEqualTo(surplus);
        assertThat(taken.held())
                .allSatisfy(segment -> assertThat(segment.epoch()).isEqualTo(epoch(before, segment.segment()) + 1));
    }

    @Test
    default void three_workers_share_evenly_rounded_up() {
        given().segments(ANN);
        given().segments(BOB);
        assertThat(given().segments(CARL).share()).isEqualTo(86);
        assertThat(given().segments(ANN).share()).isEqualTo(86);
        settleDown(ANN, BOB, CARL);
        assertThat(Stream.of(ANN, BOB, CARL)
                        .map(worker -> given().segments(worker).held().size()))
                .containsExactlyInAnyOrder(86, 86, 84);
    }

    @Test
    default void segments_of_a_dead_worker_go_to_the_remaining_workers() {
        Map<Integer, Long> before = epochs(given().segments(ANN));
        given().letLeasesRunOut();
        OutboxSegmentShare share = given().segments(BOB);
        assertThat(share.share()).isEqualTo(256);
        assertThat(share.held())
                .hasSize(256)
                .allSatisfy(segment -> assertThat(segment.epoch()).isEqualTo(epoch(before, segment.segment()) + 1));
        assertThat(given().segments(ANN).held()).isEmpty();
    }

    @Test
    default void a_worker_that_leaves_releases_all_its_segments_and_its_share_at_once() {
        given().segments(ANN);
        given().segments(BOB);
        given().store().releaseSegments(ANN);
        OutboxSegmentShare share = given().segments(BOB);
        assertThat(share.share()).isEqualTo(256);
        assertThat(share.held()).hasSize(256);
    }

    @Test
    default void leaving_twice_or_without_segments_changes_nothing() {
        given().segments(ANN);
        given().store().releaseSegments(BOB);
        given().store().releaseSegments(BOB);
        assertThat(given().segments(ANN).held()).hasSize(256);
    }

    @Test
    default void segments_of_others_cannot_be_released() {
        Map<Integer, Long> before = epochs(given().segments(ANN));
        assertThat(given().store().holdSegments(BOB, before.keySet(), LEASE).held())
                .isEmpty();
        assertThat(epochs(given().segments(ANN))).isEqualTo(before);
    }

    @Test
    default void a_released_segment_is_claimed_with_another_epoch() {
        Map<Integer, Long> before = epochs(given().segments(ANN));
        assertThat(numbers(given().store().holdSegments(ANN, Set.of(7), LEASE))).doesNotContain(7);
        assertThat(epochs(given().segments(BOB))).containsExactly(Map.entry(7, epoch(before, 7) + 1));
        given().store().releaseSegments(BOB);
        assertThat(epoch(epochs(given().segments(ANN)), 7)).isEqualTo(epoch(before, 7) + 2);
    }

    @Test
    default void of_workers_that_take_segments_at_once_each_segment_is_held_by_one() throws Exception {
        List<OutboxOwner> workers = IntStream.range(0, 5)
                .mapToObj(i -> OutboxOwner.of("worker " + i))
                .toList();
        for (int round = 0; round < 4; round++) {
            List<Callable<OutboxSegmentShare>> calls = workers.stream()
                    .<Callable<OutboxSegmentShare>>map(worker -> () -> holdWithin(worker))
                    .toList();
            List<Integer> held = given().ended(calls).stream()
                    .flatMap(share -> numbers(share).stream())
                    .toList();
            assertThat(held).doesNotHaveDuplicates();
        }
        settleDown(workers.toArray(OutboxOwner[]::new));
        assertThat(workers.stream()
                        .mapToInt(worker -> given().segments(worker).held().size())
                        .sum())
                .isEqualTo(256);
    }

    /** Makes workers release and claim segments until none has a surplus. */
    private void settleDown(OutboxOwner... workers) {
        for (int round = 0; round < 3; round++) {
            for (OutboxOwner worker : workers) {
                holdWithin(worker);
            }
        }
    }

    /** Returns the segments of the worker after it has released its surplus. */
    private OutboxSegmentShare holdWithin(OutboxOwner worker) {
        OutboxSegmentShare share = given().segments(worker);
        List<Integer> numbers = new ArrayList<>(numbers(share));
        Set<Integer> surplus = Set.copyOf(numbers.subList(0, Math.max(0, numbers.size() - share.share())));
        return given().store().holdSegments(worker, surplus, LEASE);
    }

    private static Set<Integer> numbers(OutboxSegmentShare share) {
        return share.held().stream().map(OutboxSegmentLease::segment).collect(toSet());
    }

    private static long epoch(Map<Integer, Long> epochs, int segment) {
        return epochs.getOrDefault(segment, -1L);
    }

    private static Map<Integer, Long> epochs(OutboxSegmentShare share) {
        return share.held().stream().collect(toMap(OutboxSegmentLease::segment, OutboxSegmentLease::epoch));
    }
}

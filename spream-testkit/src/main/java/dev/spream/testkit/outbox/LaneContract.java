package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.CARL;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LaneLease;
import dev.spream.outbox.LaneShare;
import dev.spream.outbox.OutboxOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of lanes: how workers share them. */
interface LaneContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_worker_that_is_alone_holds_all_lanes() {
        LaneShare share = given().lanes(ANN);
        assertThat(share.share()).isEqualTo(LaneLease.LANES);
        assertThat(numbers(share))
                .hasSize(LaneLease.LANES)
                .containsAll(IntStream.range(0, LaneLease.LANES).boxed().toList());
    }

    @Test
    default void a_worker_that_holds_on_keeps_its_lanes_and_their_epochs() {
        LaneShare first = given().lanes(ANN);
        given().pass(Duration.ofSeconds(40));
        assertThat(epochs(given().lanes(ANN))).isEqualTo(epochs(first));
        given().pass(Duration.ofSeconds(40));
        assertThat(given().lanes(BOB).held()).as("held on for another lease").isEmpty();
        assertThat(epochs(given().lanes(ANN))).isEqualTo(epochs(first));
    }

    @Test
    default void a_second_worker_takes_half_of_the_lanes_when_the_first_gives_them_up() {
        Map<Integer, Long> before = epochs(given().lanes(ANN));
        LaneShare bobs = given().lanes(BOB);
        assertThat(bobs.share()).isEqualTo(128);
        assertThat(bobs.held()).isEmpty();

        LaneShare anns = given().lanes(ANN);
        assertThat(anns.share()).isEqualTo(128);
        assertThat(anns.held()).as("the surplus stays until it is released").hasSize(256);
        Set<Integer> surplus =
                anns.held().stream().limit(128).map(LaneLease::lane).collect(toSet());
        assertThat(numbers(given().store().holdLanes(ANN, surplus, LEASE)))
                .hasSize(128)
                .doesNotContainAnyElementsOf(surplus);

        LaneShare taken = given().lanes(BOB);
        assertThat(numbers(taken)).isEqualTo(surplus);
        assertThat(taken.held()).allSatisfy(lane -> assertThat(lane.epoch()).isEqualTo(epoch(before, lane.lane()) + 1));
    }

    @Test
    default void three_workers_share_evenly_rounded_up() {
        given().lanes(ANN);
        given().lanes(BOB);
        assertThat(given().lanes(CARL).share()).isEqualTo(86);
        assertThat(given().lanes(ANN).share()).isEqualTo(86);
        settleDown(ANN, BOB, CARL);
        assertThat(Stream.of(ANN, BOB, CARL)
                        .map(worker -> given().lanes(worker).held().size()))
                .containsExactlyInAnyOrder(86, 86, 84);
    }

    @Test
    default void lanes_of_a_worker_that_died_go_to_those_who_are_there() {
        Map<Integer, Long> before = epochs(given().lanes(ANN));
        given().letLeasesRunOut();
        LaneShare share = given().lanes(BOB);
        assertThat(share.share()).isEqualTo(256);
        assertThat(share.held())
                .hasSize(256)
                .allSatisfy(lane -> assertThat(lane.epoch()).isEqualTo(epoch(before, lane.lane()) + 1));
        assertThat(given().lanes(ANN).held()).isEmpty();
    }

    @Test
    default void a_worker_that_leaves_gives_all_its_lanes_and_its_share_up_at_once() {
        given().lanes(ANN);
        given().lanes(BOB);
        given().store().leaveLanes(ANN);
        LaneShare share = given().lanes(BOB);
        assertThat(share.share()).isEqualTo(256);
        assertThat(share.held()).hasSize(256);
    }

    @Test
    default void leaving_twice_or_without_lanes_harms_nobody() {
        given().lanes(ANN);
        given().store().leaveLanes(BOB);
        given().store().leaveLanes(BOB);
        assertThat(given().lanes(ANN).held()).hasSize(256);
    }

    @Test
    default void lanes_of_others_cannot_be_given_up() {
        Map<Integer, Long> before = epochs(given().lanes(ANN));
        assertThat(given().store().holdLanes(BOB, before.keySet(), LEASE).held())
                .isEmpty();
        assertThat(epochs(given().lanes(ANN))).isEqualTo(before);
    }

    @Test
    default void a_lane_that_was_given_up_comes_back_with_another_epoch() {
        Map<Integer, Long> before = epochs(given().lanes(ANN));
        assertThat(numbers(given().store().holdLanes(ANN, Set.of(7), LEASE))).doesNotContain(7);
        assertThat(epochs(given().lanes(BOB))).containsExactly(Map.entry(7, epoch(before, 7) + 1));
        given().store().leaveLanes(BOB);
        assertThat(epoch(epochs(given().lanes(ANN)), 7)).isEqualTo(epoch(before, 7) + 2);
    }

    @Test
    default void of_workers_that_take_lanes_at_once_each_lane_is_held_by_one() throws Exception {
        List<OutboxOwner> workers = IntStream.range(0, 5)
                .mapToObj(i -> OutboxOwner.of("worker " + i))
                .toList();
        for (int round = 0; round < 4; round++) {
            List<Callable<LaneShare>> calls = workers.stream()
                    .<Callable<LaneShare>>map(worker -> () -> holdWithin(worker))
                    .toList();
            List<Integer> held = given().ended(calls).stream()
                    .flatMap(share -> numbers(share).stream())
                    .toList();
            assertThat(held).doesNotHaveDuplicates();
        }
        settleDown(workers.toArray(OutboxOwner[]::new));
        assertThat(workers.stream()
                        .mapToInt(worker -> given().lanes(worker).held().size())
                        .sum())
                .isEqualTo(256);
    }

    /** Lets workers release and claim until no worker has a surplus. */
    private void settleDown(OutboxOwner... workers) {
        for (int round = 0; round < 3; round++) {
            for (OutboxOwner worker : workers) {
                holdWithin(worker);
            }
        }
    }

    /** What the worker holds when it has given its surplus up. */
    private LaneShare holdWithin(OutboxOwner worker) {
        LaneShare share = given().lanes(worker);
        List<Integer> numbers = new ArrayList<>(numbers(share));
        Set<Integer> surplus = Set.copyOf(numbers.subList(0, Math.max(0, numbers.size() - share.share())));
        return given().store().holdLanes(worker, surplus, LEASE);
    }

    private static Set<Integer> numbers(LaneShare share) {
        return share.held().stream().map(LaneLease::lane).collect(toSet());
    }

    private static long epoch(Map<Integer, Long> epochs, int lane) {
        return epochs.getOrDefault(lane, -1L);
    }

    private static Map<Integer, Long> epochs(LaneShare share) {
        return share.held().stream().collect(toMap(LaneLease::lane, LaneLease::epoch));
    }
}

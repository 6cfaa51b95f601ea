package dev.spream.testkit.projection;

import static dev.spream.testkit.projection.ProjectionScenario.ANN;
import static dev.spream.testkit.projection.ProjectionScenario.BOB;
import static dev.spream.testkit.projection.ProjectionScenario.CARL;
import static dev.spream.testkit.projection.ProjectionScenario.LEASE;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static dev.spream.testkit.projection.ProjectionScenario.fence;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import dev.spream.testkit.event.TestEvents;
import dev.spream.testkit.event.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of segments: how owners share them. */
interface SegmentContract<T> extends ProjectionScenario.Stage<T> {

    private SegmentShare hold(ProjectionOwner owner, Integer... giveUp) {
        return given().store().holdSegments(NAME, owner, Set.of(giveUp), LEASE);
    }

    private static Set<Integer> numbers(SegmentShare share) {
        return share.held().stream().map(SegmentLease::segment).collect(toSet());
    }

    private static Map<Integer, Long> epochs(SegmentShare share) {
        return share.held().stream().collect(toMap(SegmentLease::segment, SegmentLease::epoch));
    }

    @Test
    default void an_owner_that_is_alone_holds_all_segments_from_their_beginning() {
        given().store().register(NAME, 8);
        SegmentShare share = hold(ANN);
        assertThat(share.fair()).isEqualTo(8);
        assertThat(share.owners()).isEqualTo(1);
        assertThat(numbers(share)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(share.held()).extracting(SegmentLease::position).containsOnly(0L);
    }

    @Test
    default void an_owner_that_holds_on_keeps_its_segments_and_their_epochs() {
        given().store().register(NAME, 4);
        SegmentShare first = hold(ANN);
        given().fixture().passTime(Duration.ofSeconds(40));
        assertThat(epochs(hold(ANN))).isEqualTo(epochs(first));
        given().fixture().passTime(Duration.ofSeconds(40));
        assertThat(hold(BOB).held()).as("held on for another lease").isEmpty();
        assertThat(epochs(hold(ANN))).isEqualTo(epochs(first));
    }

    @Test
    default void a_second_owner_claims_half_of_the_segments_when_the_first_releases_them() {
        given().store().register(NAME, 4);
        Map<Integer, Long> before = epochs(hold(ANN));
        SegmentShare bobs = hold(BOB);
        assertThat(bobs.fair()).isEqualTo(2);
        assertThat(bobs.owners()).isEqualTo(2);
        assertThat(bobs.held()).isEmpty();

        SegmentShare anns = hold(ANN);
        assertThat(anns.fair()).isEqualTo(2);
        assertThat(anns.held()).as("the surplus stays until it is released").hasSize(4);
        assertThat(numbers(hold(ANN, 1, 3))).containsExactlyInAnyOrder(0, 2);

        Map<Integer, Long> taken = epochs(hold(BOB));
        assertThat(taken).containsOnlyKeys(1, 3);
        taken.forEach((segment, epoch) -> assertThat(epoch).isGreaterThan(before.get(segment)));
    }

    @Test
    default void three_owners_share_evenly_rounded_up() {
        given().store().register(NAME, 16);
        Stream.of(ANN, BOB, CARL).forEach(this::hold);
        for (int round = 0; round < 3; round++) {
            Stream.of(ANN, BOB, CARL).forEach(this::holdFairly);
        }
        assertThat(Stream.of(ANN, BOB, CARL).map(owner -> hold(owner).fair())).containsOnly(6);
        assertThat(Stream.of(ANN, BOB, CARL).map(owner -> hold(owner).held().size()))
                .containsExactlyInAnyOrder(6, 6, 4);
    }

    /** Returns the segments that the owner holds after releasing its surplus. */
    private SegmentShare holdFairly(ProjectionOwner owner) {
        SegmentShare share = hold(owner);
        return hold(
                owner,
                share.held().stream()
                        .map(SegmentLease::segment)
                        .sorted()
                        .skip(share.fair())
                        .toArray(Integer[]::new));
    }

    @Test
    default void segments_of_a_dead_owner_go_to_the_remaining_owners_with_a_new_epoch() {
        given().store().register(NAME, 4);
        Map<Integer, Long> before = epochs(hold(ANN));
        given().letLeasesRunOut();
        SegmentShare share = hold(BOB);
        assertThat(share.fair()).isEqualTo(4);
        assertThat(share.owners()).isEqualTo(1);
        assertThat(share.held())
                .hasSize(4)
                .allSatisfy(lease -> assertThat(lease.epoch()).isGreaterThan(before.get(lease.segment())));
        assertThat(hold(ANN).held()).isEmpty();
    }

    @Test
    default void an_owner_that_leaves_gives_everything_up_at_once_and_twice_is_harmless() {
        given().store().register(NAME, 4);
        Map<Integer, Long> before = epochs(hold(ANN));
        hold(BOB);
        given().store().leave(NAME, ANN);
        given().store().leave(NAME, ANN);
        given().store().leave(NAME, CARL);
        SegmentShare share = hold(BOB);
        assertThat(share.owners()).isEqualTo(1);
        assertThat(share.held())
                .hasSize(4)
                .allSatisfy(lease -> assertThat(lease.epoch()).isGreaterThan(before.get(lease.segment())));
        given().store().leave("unknown", ANN);
    }

    @Test
    default void segments_of_others_cannot_be_released() {
        given().store().register(NAME, 4);
        Map<Integer, Long> before = epochs(hold(ANN));
        assertThat(hold(BOB, 0, 1, 2, 3).held()).isEmpty();
        assertThat(epochs(hold(ANN))).isEqualTo(before);
    }

    @Test
    default void a_new_owner_continues_at_the_position_of_the_segment() {
        Fence fence = given().running();
        assertThat(given().apply(fence, OptionalLong.of(41), TestEvents.event("a", 1)))
                .isTrue();
        assertThat(hold(ANN).held().getFirst().position()).isEqualTo(41);
        given().letLeasesRunOut();
        assertThat(hold(BOB).held().getFirst().position()).isEqualTo(41);
    }

    @Test
    default void owners_of_a_projection_without_segments_hold_none_and_are_counted() {
        given().store().register(NAME, 0);
        assertThat(hold(ANN).held()).isEmpty();
        assertThat(hold(BOB).owners()).isEqualTo(2);
        given().store().leave(NAME, BOB);
        assertThat(hold(ANN).owners()).isEqualTo(1);
    }

    @Test
    default void of_owners_that_take_segments_at_once_each_segment_is_held_by_one() {
        given().store().register(NAME, 16);
        List<ProjectionOwner> owners = IntStream.range(0, 5)
                .mapToObj(i -> ProjectionOwner.of("owner " + i))
                .toList();
        for (int round = 0; round < 5; round++) {
            List<SegmentShare> shares = given().threads()
                    .together(owners.stream()
                            .map(owner -> (Callable<SegmentShare>) () -> holdFairly(owner))
                            .toList());
            assertThat(shares.stream().flatMap(share -> numbers(share).stream()))
                    .doesNotHaveDuplicates();
        }
        owners.forEach(this::holdFairly);
        owners.forEach(this::holdFairly);
        assertThat(owners.stream().mapToInt(owner -> hold(owner).held().size()).sum())
                .isEqualTo(16);
    }

    @Test
    default void a_segment_with_an_open_transaction_is_claimed_when_that_has_ended() {
        Fence fence = given().running();
        ProjectionScenario<T>.Open open = given().applying(fence, OptionalLong.of(9), TestEvents.event("a", 1));
        given().letLeasesRunOut();
        Future<SegmentShare> taking = given().threads().start(() -> hold(BOB));
        if (Threads.endsAtOnce(taking)) {
            assertThat(Threads.resultOf(taking).held())
                    .as("while another writes into it")
                    .isEmpty();
        }
        assertThat(open.end()).isTrue();
        assertThat(Threads.resultOf(taking).held())
                .allSatisfy(lease -> assertThat(lease.position()).isEqualTo(9));
        SegmentLease lease = hold(BOB).held().getFirst();
        assertThat(lease.position()).isEqualTo(9);
        assertThat(given().rows()).containsExactly(Map.entry("a", 1L));
        assertThat(given().apply(fence, TestEvents.event("a", 2))).isFalse();
        assertThat(given().apply(fence(BOB, lease), TestEvents.event("a", 2))).isTrue();
    }
}

package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.DELAY;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.idOf;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The contract of ordered claims: entries with the same ordering key are claimed one at a time, in the order of their
 * ids, by the holder of their segment.
 */
interface OrderedClaimContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void of_one_ordering_key_the_first_is_given_and_the_next_when_that_one_is_settled() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        long third = given().ordered("3", "k");
        assertThat(first).isLessThan(second);
        assertThat(second).isLessThan(third);

        List<OutboxClaim> claims = given().claimOrdered(ANN, first, second, third);
        assertThat(keys(claims)).containsExactly("1");
        assertThat(claims.getFirst().entry().orderingKey()).contains("k");
        given().succeed(ANN, claims.getFirst());
        claims = given().claimOrdered(ANN, third, second);
        assertThat(keys(claims)).containsExactly("2");
        given().succeed(ANN, claims.getFirst());
        assertThat(keys(given().claimOrdered(ANN, third))).containsExactly("3");
    }

    /** Workers read segments only if this is true. */
    @Test
    default void there_are_entries_with_an_ordering_key_until_they_are_settled() {
        assertThat(ordered()).isFalse();
        given().enqueued("free");
        assertThat(ordered()).isFalse();
        long id = given().ordered("1", "k");
        assertThat(ordered()).as("pending").isTrue();
        OutboxClaim claim = given().claimOrdered(ANN, id).getFirst();
        assertThat(ordered()).as("sending").isTrue();
        given().fail(ANN, claim);
        assertThat(ordered()).as("failed").isTrue();
        given().pass(DELAY.plusSeconds(1));
        claim = given().claimOrdered(ANN, id).getFirst();
        long second = given().ordered("2", "l");
        given().succeed(ANN, claim);
        assertThat(ordered()).as("one of two is settled").isTrue();
        given().succeed(ANN, given().claimOrdered(ANN, second).getFirst());
        assertThat(ordered()).as("both are settled").isFalse();

        given().park(ANN, given().claimOrdered(ANN, given().ordered("3", "k")).getFirst(), false);
        assertThat(ordered()).as("parked").isTrue();
    }

    private boolean ordered() {
        return given().store().hasOrdered();
    }

    @Test
    default void an_entry_waits_while_an_earlier_one_of_its_key_is_pending_sending_failed_or_parked() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        assertThat(given().claimOrdered(ANN, second)).as("pending").isEmpty();
        OutboxClaim claim = given().claimOrdered(ANN, first).getFirst();
        assertThat(given().claimOrdered(ANN, second)).as("sending").isEmpty();
        given().fail(ANN, claim);
        assertThat(given().claimOrdered(ANN, second)).as("failed").isEmpty();
        given().pass(DELAY.plusSeconds(1));
        assertThat(given().claimOrdered(ANN, second)).as("failed and due").isEmpty();
        given().park(ANN, given().claimOrdered(ANN, first).getFirst(), false);
        assertThat(given().claimOrdered(ANN, second)).as("parked").isEmpty();
    }

    @Test
    default void an_entry_waits_for_an_earlier_one_whose_lease_ran_out() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        given().claimOrdered(ANN, first);
        given().letLeasesRunOut();
        assertThat(given().claimOrdered(ANN, second)).isEmpty();
        assertThat(keys(given().claimOrdered(ANN, first, second))).containsExactly("1");
    }

    @Test
    default void an_aborted_entry_releases_its_key() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        given().abort(ANN, given().claimOrdered(ANN, first).getFirst());
        assertThat(keys(given().claimOrdered(ANN, second))).containsExactly("2");
    }

    @Test
    default void an_entry_that_is_released_keeps_its_place() {
        long first = given().ordered("1", "k");
        long second = given().ordered("2", "k");
        OutboxClaim claim = given().claimOrdered(ANN, first).getFirst();
        given().settle(ANN, new Settlement.Released(claim.ref()));
        assertThat(keys(given().claimOrdered(ANN, first, second))).containsExactly("1");
    }

    @Test
    default void ordering_keys_do_not_wait_for_each_other_even_in_one_segment() {
        String neighbour = neighbourOf("a");
        long first = given().ordered("1", "a");
        long second = given().ordered("2", neighbour);
        given().claimOrdered(ANN, first);
        assertThat(keys(given().claimOrdered(ANN, second))).containsExactly("2");
    }

    private static String neighbourOf(String orderingKey) {
        int number = 0;
        while (OutboxSegmentLease.segmentOf("k" + number) != OutboxSegmentLease.segmentOf(orderingKey)) {
            number++;
        }
        return "k" + number;
    }

    @Test
    default void an_entry_waits_for_an_earlier_one_that_was_committed_late() {
        T late = given().fixture().begin();
        long first = idOf(given().outbox()
                .enqueue(late, messageBuilder("1").orderingKey("k").build()));
        long second = given().ordered("2", "k");
        given().fixture().commit(late);

        assertThat(first).isLessThan(second);
        assertThat(given().claimOrdered(ANN, second)).isEmpty();
        assertThat(keys(given().claimOrdered(ANN, first, second))).containsExactly("1");
    }

    @Test
    default void a_claim_is_as_any_other() {
        long id = given().ordered("a", "k");
        OutboxClaim first = given().claimOrdered(ANN, id).getFirst();
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(first.outcomeUnknown()).isFalse();
        assertThat(given().claimOrdered(ANN, id)).as("under a live lease").isEmpty();
        given().pass(Duration.ofSeconds(40));
        given().segments(ANN);
        assertThat(given().store().renew(ANN, List.of(first.ref()), LEASE)).isEmpty();
        given().pass(Duration.ofSeconds(40));
        assertThat(given().claimOrdered(ANN, id)).as("renewed").isEmpty();
        given().letLeasesRunOut();

        ClaimResult result =
                given().store().claimOrdered(BOB, given().segments(BOB).held(), List.of(id), LEASE);
        assertThat(result.leasesExpired()).isEqualTo(1);
        OutboxClaim second = result.claims().getFirst();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.token()).isEqualTo(first.token() + 1);
        assertThat(second.outcomeUnknown()).isTrue();
        assertThat(given().store().settle(ANN, List.of(new Settlement.Released(first.ref()))))
                .containsExactly(first.ref());
    }

    @Test
    default void an_entry_that_is_not_due_or_has_expired_is_not_given() {
        long later = given().enqueued(messageBuilder("later")
                .orderingKey("a")
                .notBefore(given().in(Duration.ofSeconds(30)))
                .build());
        long expired = given().enqueued(messageBuilder("expired")
                .orderingKey("b")
                .expiresAt(given().in(Duration.ofSeconds(30)))
                .build());
        assertThat(given().claimOrdered(ANN, later)).isEmpty();
        given().pass(Duration.ofSeconds(31));
        assertThat(keys(given().claimOrdered(ANN, later, expired))).containsExactly("later");
    }

    @Test
    default void a_claim_without_the_segment_is_empty() {
        long id = given().ordered("a", "a");
        List<OutboxSegmentLease> anns = given().segments(ANN).held();
        given().segments(BOB);
        assertThat(claims(BOB, anns, id)).as("the segments of another").isEmpty();
        assertThat(claims(ANN, List.of(), id)).as("no segments").isEmpty();
        assertThat(claims(ANN, segmentsBut(anns, OutboxSegmentLease.segmentOf("a")), id))
                .as("other segments")
                .isEmpty();
        assertThat(claims(ANN, anns, id)).hasSize(1);
    }

    @Test
    default void a_claim_in_an_earlier_epoch_of_the_segment_is_empty() {
        long id = given().ordered("a", "a");
        List<OutboxSegmentLease> stale = given().segments(ANN).held();
        given().store().releaseSegments(ANN);
        given().segments(BOB);
        given().store().releaseSegments(BOB);
        List<OutboxSegmentLease> live = given().segments(ANN).held();
        assertThat(claims(ANN, stale, id)).isEmpty();
        assertThat(claims(ANN, live, id)).hasSize(1);
    }

    @Test
    default void a_claim_after_release_of_the_segment_is_empty() {
        long id = given().ordered("a", "a");
        List<OutboxSegmentLease> segments = given().segments(ANN).held();
        given().store().holdSegments(ANN, Set.of(OutboxSegmentLease.segmentOf("a")), LEASE);
        assertThat(claims(ANN, segments, id)).isEmpty();
    }

    @Test
    default void a_claim_after_the_lease_of_the_segment_expired_is_empty() {
        long id = given().ordered("a", "a");
        List<OutboxSegmentLease> lapsed = given().segments(ANN).held();
        given().letLeasesRunOut();
        assertThat(claims(ANN, lapsed, id)).as("before another worker has it").isEmpty();
        List<OutboxSegmentLease> live = given().segments(BOB).held();
        assertThat(claims(ANN, lapsed, id)).as("when another worker has it").isEmpty();
        assertThat(claims(BOB, live, id)).hasSize(1);
    }

    @Test
    default void entries_without_an_ordering_key_and_those_that_are_not_there_are_not_given() {
        long free = given().enqueued("free");
        long ordered = given().ordered("a", "k");
        assertThat(keys(given().claimOrdered(ANN, free, Long.MAX_VALUE, ordered)))
                .containsExactly("a");
        assertThat(given().status("free")).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    default void of_many_threads_that_claim_a_head_at_once_one_is_given_it() throws Exception {
        List<OutboxSegmentLease> segments = given().segments(ANN).held();
        for (int round = 0; round < 10; round++) {
            String key = "key " + round;
            long first = given().ordered(round + " first", key);
            long second = given().ordered(round + " second", key);
            List<OutboxClaim> claims = given().onThreads(5, () -> claims(ANN, segments, first, second)).stream()
                    .flatMap(List::stream)
                    .toList();
            assertThat(keys(claims)).containsExactly(round + " first");
        }
    }

    private List<OutboxClaim> claims(OutboxOwner owner, List<OutboxSegmentLease> segments, Long... ids) {
        return given().store()
                .claimOrdered(owner, segments, List.of(ids), LEASE)
                .claims();
    }

    private static List<OutboxSegmentLease> segmentsBut(List<OutboxSegmentLease> segments, int excluded) {
        return segments.stream()
                .filter(segment -> segment.segment() != excluded)
                .toList();
    }
}

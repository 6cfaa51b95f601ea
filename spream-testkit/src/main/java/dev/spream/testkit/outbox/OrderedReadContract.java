package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of reading ahead entries with an ordering key. */
interface OrderedReadContract<T> extends OutboxScenario.Stage<T> {
    // The first bytes of SHA-256("a") and SHA-256("b").
    int SEGMENT_OF_A = 0xca;
    int SEGMENT_OF_B = 0x3e;

    @Test
    default void entries_of_a_segment_are_read_in_the_order_of_their_ids() {
        long first = given().ordered("1", "a");
        long second = given().ordered("2", "a");
        long other = given().ordered("3", "b");

        List<OrderedEntry> entries = given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10);
        assertThat(entries).extracting(OrderedEntry::id).containsExactly(first, second);
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.segment()).isEqualTo(SEGMENT_OF_A);
            assertThat(entry.orderingKey()).isEqualTo("a");
            assertThat(entry.dueIn()).isZero();
            assertThat(entry.parked()).isFalse();
        });
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_B, 0L), 10))
                .extracting(OrderedEntry::id)
                .containsExactly(other);
    }

    @Test
    default void several_segments_are_read_each_from_its_own_place() {
        long first = given().ordered("1", "a");
        long other = given().ordered("2", "b");
        long second = given().ordered("3", "a");
        long another = given().ordered("4", "b");

        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, first, SEGMENT_OF_B, 0L), 10))
                .extracting(OrderedEntry::id)
                .containsExactlyInAnyOrder(second, other, another);
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, second, SEGMENT_OF_B, another), 10))
                .isEmpty();
        assertThat(given().store().ordered("", Map.of(), 10)).isEmpty();
    }

    @Test
    default void no_more_of_a_segment_are_read_than_were_asked_for() {
        long first = given().ordered("1", "a");
        long second = given().ordered("2", "a");
        given().ordered("3", "a");
        long other = given().ordered("4", "b");
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, 0L, SEGMENT_OF_B, 0L), 2))
                .extracting(OrderedEntry::id)
                .containsExactlyInAnyOrder(first, second, other);
    }

    @Test
    default void settled_entries_and_those_without_an_ordering_key_are_not_read() {
        long first = given().ordered("1", "a");
        long second = given().ordered("2", "a");
        long third = given().ordered("3", "a");
        given().enqueued("free");
        given().succeed(ANN, given().claimOrdered(ANN, first).getFirst());
        given().abort(ANN, given().claimOrdered(ANN, second).getFirst());
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10))
                .extracting(OrderedEntry::id)
                .containsExactly(third);
    }

    @Test
    default void the_time_at_which_an_entry_is_due_is_returned() {
        long sending = given().ordered("1", "a");
        given().claimOrdered(ANN, sending);
        given().enqueued(messageBuilder("2")
                .orderingKey("a")
                .notBefore(given().in(Duration.ofMinutes(10)))
                .build());
        given().ordered("3", "a");

        List<OrderedEntry> entries = given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10);
        assertThat(entries.get(0).dueIn()).isBetween(LEASE.minusSeconds(30), LEASE);
        assertThat(entries.get(1).dueIn()).isBetween(Duration.ofSeconds(570), Duration.ofMinutes(10));
        assertThat(entries.get(2).dueIn()).isZero();
        given().pass(Duration.ofSeconds(601));
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10))
                .extracting(OrderedEntry::dueIn)
                .containsOnly(Duration.ZERO);
    }

    @Test
    default void a_parked_entry_is_read_as_such() {
        long parked = given().ordered("1", "a");
        given().ordered("2", "a");
        given().park(ANN, given().claimOrdered(ANN, parked).getFirst(), true);
        assertThat(given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10))
                .extracting(OrderedEntry::parked)
                .containsExactly(true, false);
    }

    @Test
    default void the_entries_of_one_ordering_key_are_read_alone() {
        long first = given().ordered("1", "a");
        given().ordered("2", "b");
        long second = given().ordered("3", "a");
        long third = given().ordered("4", "a");
        assertThat(given().store().ordered("", "a", 10))
                .extracting(OrderedEntry::id)
                .containsExactly(first, second, third);
        assertThat(given().store().ordered("", "a", 2))
                .extracting(OrderedEntry::id)
                .containsExactly(first, second);
        assertThat(given().store().ordered("", "unknown", 2)).isEmpty();
        given().succeed(ANN, given().claimOrdered(ANN, first).getFirst());
        assertThat(given().store().ordered("", "a", 1))
                .extracting(OrderedEntry::id)
                .containsExactly(second);
    }

    @Test
    default void reading_claims_nothing() {
        long first = given().ordered("1", "a");
        given().store().ordered("", Map.of(SEGMENT_OF_A, 0L), 10);
        given().store().ordered("", "a", 10);
        assertThat(given().status("1")).isEqualTo(OutboxStatus.PENDING);
        assertThat(given().claimOrdered(ANN, first).getFirst().attempt()).isEqualTo(1);
    }

    @Test
    default void a_segment_is_the_first_byte_of_the_digest_of_the_keys_utf_8() {
        given().ordered("1", "b");
        given().ordered("2", "\u65e5\u672c");
        assertThat(given().store().ordered("", "b", 1).getFirst().segment()).isEqualTo(SEGMENT_OF_B);
        assertThat(given().store().ordered("", "\u65e5\u672c", 1).getFirst().segment())
                .isEqualTo(OutboxSegmentLease.segmentOf("\u65e5\u672c"));
    }
}

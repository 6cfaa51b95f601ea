package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class OrderedClaimPlannerTest {
    private static final long RECHECK = 1_000;
    private static final OutboxSegmentLease SEGMENT = new OutboxSegmentLease(7, 1);

    private final HeldSegments segments = new HeldSegments();
    private final OrderedClaimPlanner plan = planner();

    private OrderedClaimPlanner planner() {
        OrderedClaimPlanner planner = new OrderedClaimPlanner(RECHECK, segments);
        segments.add(planner);
        return planner;
    }

    private static OrderedEntry due(long id, String key) {
        return new OrderedEntry(id, SEGMENT.segment(), key, Duration.ZERO, false);
    }

    private void read(OrderedEntry... entries) {
        segments.hold(new OutboxSegmentShare(List.of(SEGMENT), 256));
        Map<Integer, Long> after = plan.toRead(true);
        plan.read(after, OrderedClaimPlanner.PAGE, List.of(entries), 0);
    }

    private List<Long> take(long now) {
        return plan.take(100, now).stream().map(OrderedClaimPlanner.Head::id).toList();
    }

    private static OutboxClaim claim(long id, String key) {
        OutboxEntry entry = new OutboxEntry(
                id,
                "order-" + id,
                1,
                "",
                "{}",
                Optional.empty(),
                "",
                Optional.of(key),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
        return new OutboxClaim(entry, 1, 1, false, Instant.EPOCH);
    }

    private void succeed(long id, String key, long now) {
        OutboxClaim claim = claim(id, key);
        plan.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), now);
    }

    @Test
    void of_each_key_the_first_entry_is_taken_and_the_next_when_it_is_settled() {
        read(due(1, "a"), due(2, "b"), due(3, "a"), due(4, "a"));
        assertThat(plan.readyKeys()).isEqualTo(2);
        assertThat(take(0)).containsExactly(1L, 2L);
        assertThat(take(0)).isEmpty();
        succeed(1, "a", 0);
        assertThat(take(0)).containsExactly(3L);
        succeed(2, "b", 0);
        assertThat(take(0)).isEmpty();
    }

    @Test
    void a_key_whose_first_entry_failed_waits_for_its_backoff() {
        read(due(1, "a"), due(2, "a"));
        assertThat(take(0)).containsExactly(1L);
        OutboxClaim claim = claim(1, "a");
        plan.settled(
                claim, new Settlement.Failed(claim.ref(), ReasonCode.TIMEOUT, "", Duration.ofNanos(500), false), 100);
        assertThat(take(599)).isEmpty();
        assertThat(plan.nextDue(100)).isEqualTo(500);
        assertThat(take(600)).containsExactly(1L);
    }

    @Test
    void keys_that_the_store_refuses_are_read_again() {
        read(due(2, "a"));
        List<OrderedClaimPlanner.Head> heads = plan.take(1, 0);
        plan.refused(heads);
        assertThat(plan.keysToReread(10)).containsExactly("a");
        plan.reread("a", OrderingKeyQueue.MAX_IDS, List.of(due(1, "a"), due(2, "a")), 0);
        assertThat(take(0)).containsExactly(1L);
    }

    @Test
    void a_key_that_is_refused_repeatedly_waits() {
        read(due(2, "a"));
        for (int i = 0; i < 2; i++) {
            plan.refused(plan.take(1, 0));
            plan.reread("a", OrderingKeyQueue.MAX_IDS, List.of(due(2, "a")), 0);
        }
        assertThat(take(RECHECK - 1)).isEmpty();
        assertThat(take(RECHECK)).containsExactly(2L);
    }

    @Test
    void a_key_that_waits_is_read_again_meanwhile_and_taken_at_its_time() {
        long dueAt = 6 * RECHECK;
        read(waiting(dueAt));
        for (long now : List.of(RECHECK, 3 * RECHECK)) {
            plan.releaseDue(now);
            assertThat(plan.keysToReread(10)).containsExactly("a");
            plan.reread("a", OrderingKeyQueue.MAX_IDS, List.of(waiting(dueAt - now), due(2, "a")), now);
        }
        assertThat(take(dueAt - 1)).isEmpty();
        List<OrderedClaimPlanner.Head> heads = plan.take(1, dueAt);
        assertThat(heads).extracting(OrderedClaimPlanner.Head::id).containsExactly(1L);
        plan.refused(heads);
        assertThat(plan.takeRefusals()).isTrue();
        assertThat(plan.takeRefusals()).isFalse();
        plan.reread("a", OrderingKeyQueue.MAX_IDS, List.of(due(2, "a")), dueAt);
        assertThat(take(dueAt)).containsExactly(2L);
    }

    private static OrderedEntry waiting(long nanos) {
        return new OrderedEntry(1, SEGMENT.segment(), "a", Duration.ofNanos(nanos), false);
    }

    @Test
    void a_key_that_is_parked_takes_no_room_and_is_read_anew_after_a_while() {
        OrderedEntry parked = new OrderedEntry(1, SEGMENT.segment(), "a", Duration.ZERO, true);
        OrderedEntry[] entries = LongStream.rangeClosed(1, OrderedClaimPlanner.PAGE)
                .mapToObj(id -> id == 1 ? parked : due(id, "a"))
                .toArray(OrderedEntry[]::new);
        read(entries);
        assertThat(plan.toRead(false)).as("segments to read on").containsOnlyKeys(SEGMENT.segment());
        assertThat(take(0)).isEmpty();
        plan.releaseDue(RECHECK);
        assertThat(plan.keysToReread(10)).containsExactly("a");
    }

    @Test
    void no_more_of_a_key_is_kept_than_its_bound_and_the_rest_is_read_when_it_is_needed() {
        int count = OrderingKeyQueue.MAX_IDS + 5;
        read(LongStream.rangeClosed(1, count).mapToObj(id -> due(id, "a")).toArray(OrderedEntry[]::new));
        for (long id = 1; id <= OrderingKeyQueue.MAX_IDS; id++) {
            assertThat(take(0)).containsExactly(id);
            succeed(id, "a", 0);
        }
        assertThat(take(0)).isEmpty();
        assertThat(plan.keysToReread(10)).containsExactly("a");
    }

    @Test
    void a_segment_above_the_share_is_released_when_none_of_its_entries_is_in_flight() {
        read(due(1, "a"), due(2, "a"));
        assertThat(take(0)).containsExactly(1L);
        segments.hold(new OutboxSegmentShare(List.of(SEGMENT), 0));
        assertThat(segments.leaveIdle()).isEmpty();
        succeed(1, "a", 0);
        assertThat(take(0)).isEmpty();
        assertThat(segments.hasIdleToLeave()).isTrue();
        assertThat(segments.leaveIdle()).containsExactly(SEGMENT.segment());
    }

    @Test
    void a_segment_with_an_entry_of_another_sender_in_flight_is_not_released_and_no_planner_claims_more_of_it() {
        OrderedClaimPlanner other = planner();
        read(due(1, "a"), due(2, "b"));
        other.read(other.toRead(true), OrderedClaimPlanner.PAGE, List.of(due(3, "a")), 0);
        assertThat(other.take(1, 0))
                .extracting(OrderedClaimPlanner.Head::id)
                .as("an entry of the same key for another sender")
                .containsExactly(3L);
        segments.hold(new OutboxSegmentShare(List.of(SEGMENT), 0));
        assertThat(take(0)).isEmpty();
        assertThat(segments.leaveIdle()).isEmpty();
        OutboxClaim claim = claim(3, "a");
        other.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), 0);
        assertThat(segments.leaveIdle()).containsExactly(SEGMENT.segment());
    }

    @Test
    void of_segments_above_the_share_idle_ones_are_released_first() {
        OutboxSegmentLease idle = new OutboxSegmentLease(8, 1);
        read(due(1, "a"));
        assertThat(take(0)).containsExactly(1L);
        segments.hold(new OutboxSegmentShare(Arrays.asList(SEGMENT, idle), 1));
        assertThat(segments.leaveIdle()).containsExactly(idle.segment());
    }

    @Test
    void an_entry_that_was_committed_late_goes_first() {
        read(due(5, "a"), due(6, "a"));
        plan.lookedThrough(plan.toLookThrough(), OrderedClaimPlanner.LOOK_PAGE, List.of(due(3, "a"), due(5, "a")), 0);
        assertThat(take(0)).containsExactly(3L);
    }

    @Test
    void a_segment_that_is_lost_is_planned_no_more_and_read_from_its_beginning_when_it_comes_back() {
        read(due(1, "a"), due(2, "b"));
        segments.holdNothing();
        assertThat(take(0)).isEmpty();
        segments.hold(new OutboxSegmentShare(List.of(new OutboxSegmentLease(SEGMENT.segment(), 3)), 256));
        assertThat(plan.toRead(false)).containsEntry(SEGMENT.segment(), 0L);
    }
}

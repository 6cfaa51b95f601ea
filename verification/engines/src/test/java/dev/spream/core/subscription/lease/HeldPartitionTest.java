package dev.spream.core.subscription.lease;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.DrivenTime;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.inflight.PerKeyQueue;
import dev.spream.core.subscription.lease.HeldPartition.Predecessor;
import dev.spream.core.subscription.lease.HeldPartition.State;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeldPartitionTest {
    private static final Duration LEASE = Duration.ofSeconds(80);

    private final DrivenTime time = new DrivenTime(ScriptedSource.START);
    private final HeldPartition partition = new HeldPartition(
            new PartitionLease(new PartitionToken("p"), new WorkerId("w"), 1, ScriptedSource.START),
            new InflightTracker("p", 1, ScriptedSource.START),
            LocalLease.requested(time, LEASE));

    @Test
    void a_lease_is_measured_from_before_the_request_that_renewed_it() {
        time.advance(Duration.ofSeconds(50));
        LocalLease renewal = LocalLease.requested(time, LEASE);
        time.advance(Duration.ofSeconds(10));
        partition.renewed(renewal);
        time.advance(Duration.ofSeconds(59));
        assertThat(partition.isHeld()).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(partition.isHeld()).isFalse();
    }

    @Test
    void a_lease_that_was_seen_to_run_out_is_not_revived_by_a_late_renewal() {
        time.advance(LEASE);
        assertThat(partition.isHeld()).isFalse();

        partition.renewed(LocalLease.requested(time, LEASE));

        assertThat(partition.isHeld()).isFalse();
    }

    /** Its watermark would be stored again and again for as long as the call that finishes it takes to return. */
    @Test
    void a_leaving_partition_that_the_storage_does_not_know_any_more_is_not_stored_again() {
        moveOut("00000001", "after");
        partition.tracker().mark(ScriptedSource.at(3));
        partition.leaving();
        assertThat(partition.unstored()).isPresent();

        partition.unknownToStorage();

        assertThat(partition.unstored()).isEmpty();
        assertThat(partition.lastUnstoredMoveOut()).isZero();
        assertThat(partition.state()).isEqualTo(State.LEAVING);
    }

    /** A change may be between a move-in and a move-out of one timestamp: the move-out then waits for the move-in. */
    @Test
    void a_move_out_behind_the_limit_is_not_stored_although_the_watermark_has_reached_its_time() {
        Instant at = ScriptedSource.at(2);
        moveOut("00000001", "before");
        partition.limitWatermark(at, partition.tracker().boundary());
        partition.tracker().settle(partition.tracker().open(at));
        moveOut("00000002", "behind");
        partition.tracker().mark(ScriptedSource.at(3));

        WatermarkAdvance limited = partition.unstored().orElseThrow();
        assertThat(limited.watermark()).isEqualTo(at);
        assertThat(limited.moveOuts()).contains(new MoveOuts("00000001", List.of(new PartitionToken("before"))));
        assertThat(partition.lastUnstoredMoveOut()).isEqualTo(1);
        partition.persisted(limited.watermark(), limited.moveOuts());
        assertThat(partition.unstored()).isEmpty();
        assertThat(partition.isStoredUpTo(at)).isTrue();
        assertThat(partition.isStoredPast(at, new PartitionToken("behind"))).isFalse();

        partition.unlimitWatermark();

        assertThat(partition.unstored().orElseThrow().watermark()).isEqualTo(ScriptedSource.at(3));
    }

    @Test
    void a_partition_read_ahead_is_lost_with_a_predecessor_only_until_that_is_stored() {
        for (boolean stored : List.of(true, false)) {
            HeldPartition source = in(State.HELD, new AtomicInteger(), LEASE);
            HeldPartition ahead = in(State.HELD, new AtomicInteger(), LEASE);
            ahead.continueAfter(List.of(new Predecessor(source, ScriptedSource.at(2), ahead.token())));
            if (stored) {
                source.persisted(ScriptedSource.at(2).plusNanos(1));
            }

            source.revoke();

            assertThat(ahead.isHeld()).isEqualTo(stored);
        }
    }

    private void moveOut(String recordSequence, String destination) {
        PartitionEventRecord event =
                new PartitionEventRecord(ScriptedSource.at(2), recordSequence, "p", List.of(), List.of(destination));
        partition.moveOuts().add(event, partition.tracker().boundary(), new PerKeyQueue(() -> {}).pending());
    }

    @Test
    void an_end_is_final_and_only_what_is_leaving_can_be_finished_or_released() {
        Map<State, Set<State>> next = Map.of(
                State.HELD, EnumSet.of(State.LEAVING, State.LOST),
                State.LEAVING, EnumSet.of(State.FINISHED, State.RELEASED, State.LOST),
                State.FINISHED, EnumSet.noneOf(State.class),
                State.RELEASED, EnumSet.noneOf(State.class),
                State.LOST, EnumSet.noneOf(State.class));
        for (State from : State.values()) {
            for (State to : State.values()) {
                assertThat(from.canBecome(to))
                        .as("%s to %s", from, to)
                        .isEqualTo(requireNonNull(next.get(from)).contains(to));
            }
        }
    }

    /** Every event in every state, with a lease that is valid and one that is over. */
    @ParameterizedTest
    @CsvSource({
        // state, leaving, finished, released, lose, unknown to the storage
        "HELD,     LEAVING,  HELD,     HELD,     LOST,     LOST",
        "LEAVING,  LEAVING,  FINISHED, RELEASED, LOST,     LEAVING",
        "FINISHED, FINISHED, FINISHED, FINISHED, FINISHED, FINISHED",
        "RELEASED, RELEASED, RELEASED, RELEASED, RELEASED, RELEASED",
        "LOST,     LOST,     LOST,     LOST,     LOST,     LOST",
    })
    void events_lead_from_each_state_to_the_next(
            State from, State leaving, State finished, State released, State lost, State unknown) {
        Map<Consumer<HeldPartition>, State> events = Map.of(
                HeldPartition::leaving, leaving,
                HeldPartition::finished, finished,
                HeldPartition::released, released,
                HeldPartition::revoke, lost,
                HeldPartition::unknownToStorage, unknown);
        events.forEach((event, next) -> {
            for (boolean over : List.of(false, true)) {
                AtomicInteger told = new AtomicInteger();
                HeldPartition each = in(from, told, over ? Duration.ZERO : LEASE);
                int toldBefore = told.get();

                event.accept(each);

                boolean works = next == State.HELD || next == State.LEAVING;
                assertThat(each.state()).isEqualTo(next);
                assertThat(each.isLeft()).isEqualTo(!works);
                assertThat(each.isHeld()).isEqualTo(works && !over);
                assertThat(told.get() - toldBefore).isEqualTo(next == State.LOST && from != State.LOST ? 1 : 0);
            }
        });
    }

    private HeldPartition in(State state, AtomicInteger told, Duration leaseTime) {
        HeldPartition held =
                new HeldPartition(partition.lease(), partition.tracker(), LocalLease.requested(time, leaseTime));
        held.onLost(told::incrementAndGet);
        switch (state) {
            case HELD -> {}
            case LEAVING -> held.leaving();
            case FINISHED -> {
                held.leaving();
                held.finished();
            }
            case RELEASED -> {
                held.leaving();
                held.released();
            }
            case LOST -> held.revoke();
        }
        assertThat(held.state()).isEqualTo(state);
        return held;
    }
}

package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.CircuitBreaker.Change;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CircuitBreakerTest {
    private static final long PAUSE = 100;

    private final CircuitBreaker breaker = new CircuitBreaker(3, PAUSE);

    @Test
    void it_opens_after_that_many_failures_in_a_row() {
        assertThat(breaker.sent(ScriptedSender.DOWN, false, 0)).isEqualTo(Change.NONE);
        assertThat(breaker.sent(ScriptedSender.LOST, false, 0)).isEqualTo(Change.NONE);
        assertThat(breaker.allowance(0)).isEqualTo(CircuitBreaker.UNLIMITED);
        assertThat(breaker.sent(ScriptedSender.DOWN, false, 10)).isEqualTo(Change.OPENED);
        assertThat(breaker.isClosed()).isFalse();
        assertThat(breaker.allowance(10 + PAUSE - 1)).isZero();
        assertThat(breaker.pauseLeft(10)).isEqualTo(PAUSE);
        assertThat(breaker.allowance(10 + PAUSE)).isEqualTo(1);
    }

    @Test
    void an_attempt_that_reached_the_receiver_resets_the_count() {
        for (SendOutcome reached : new SendOutcome[] {
            ScriptedSender.OK,
            ScriptedSender.REJECTED,
            new SendOutcome.Retryable(ReasonCode.INTERNAL_ERROR, "it said 500")
        }) {
            breaker.sent(ScriptedSender.DOWN, false, 0);
            breaker.sent(ScriptedSender.DOWN, false, 0);
            breaker.sent(reached, false, 0);
            assertThat(breaker.isClosed()).isTrue();
        }
    }

    @Test
    void only_attempts_that_did_not_reach_the_receiver_count() {
        for (ReasonCode reason : new ReasonCode[] {
            ReasonCode.UNAVAILABLE, ReasonCode.TIMEOUT, ReasonCode.RATE_LIMITED, ReasonCode.UNAUTHORIZED
        }) {
            CircuitBreaker once = new CircuitBreaker(1, PAUSE);
            assertThat(once.sent(new SendOutcome.Retryable(reason, "", Optional.empty()), false, 0))
                    .isEqualTo(Change.OPENED);
        }
        CircuitBreaker once = new CircuitBreaker(1, PAUSE);
        assertThat(once.sent(new SendOutcome.Retryable(ReasonCode.INTERNAL_ERROR, ""), false, 0))
                .isEqualTo(Change.NONE);
        assertThat(once.sent(new SendOutcome.Unknown(ReasonCode.INTERNAL_ERROR, ""), false, 0))
                .isEqualTo(Change.OPENED);
    }

    @Test
    void one_probe_at_a_time_closes_it_or_opens_it_again() {
        open();
        assertThat(breaker.allowance(PAUSE)).isEqualTo(1);
        breaker.probe();
        assertThat(breaker.allowance(PAUSE)).isZero();
        assertThat(breaker.sent(ScriptedSender.DOWN, true, PAUSE + 5)).isEqualTo(Change.OPENED);
        assertThat(breaker.allowance(2 * PAUSE + 4)).isZero();
        assertThat(breaker.allowance(2 * PAUSE + 5)).isEqualTo(1);
        breaker.probe();
        assertThat(breaker.sent(ScriptedSender.OK, true, 2 * PAUSE + 6)).isEqualTo(Change.CLOSED);
        assertThat(breaker.allowance(2 * PAUSE + 6)).isEqualTo(CircuitBreaker.UNLIMITED);
        assertThat(breaker.sent(ScriptedSender.DOWN, false, 0)).isEqualTo(Change.NONE);
    }

    @Test
    void a_probe_without_an_outcome_makes_room_for_another() {
        open();
        breaker.probe();
        breaker.probeDropped();
        assertThat(breaker.allowance(PAUSE)).isEqualTo(1);
    }

    @Test
    void a_probe_that_does_not_come_back_makes_room_for_another_after_the_pause() {
        open();
        breaker.probe();
        assertThat(breaker.probeOverdue(PAUSE + 50)).isEqualTo(Change.OPENED);
        assertThat(breaker.allowance(2 * PAUSE + 49)).isZero();
        assertThat(breaker.allowance(2 * PAUSE + 50)).isEqualTo(1);
        assertThat(breaker.sent(ScriptedSender.OK, false, 2 * PAUSE + 50))
                .as("what comes of the old one")
                .isEqualTo(Change.NONE);
        assertThat(breaker.isClosed()).isFalse();
    }

    @Test
    void attempts_that_were_under_way_when_it_opened_change_nothing() {
        open();
        assertThat(breaker.sent(ScriptedSender.OK, false, 1)).isEqualTo(Change.NONE);
        assertThat(breaker.sent(ScriptedSender.DOWN, false, 50)).isEqualTo(Change.NONE);
        assertThat(breaker.allowance(PAUSE - 1)).isZero();
        assertThat(breaker.allowance(PAUSE)).isEqualTo(1);
    }

    @Test
    void without_a_threshold_it_never_opens() {
        CircuitBreaker never = new CircuitBreaker(0, PAUSE);
        for (int i = 0; i < 1_000; i++) {
            assertThat(never.sent(ScriptedSender.DOWN, false, 0)).isEqualTo(Change.NONE);
        }
        assertThat(never.allowance(0)).isEqualTo(CircuitBreaker.UNLIMITED);
    }

    private void open() {
        for (int i = 0; i < 3; i++) {
            breaker.sent(ScriptedSender.DOWN, false, 0);
        }
        assertThat(breaker.isClosed()).isFalse();
    }
}

package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionOptions;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** For how long an aggregate is parked. */
final class ParkPolicyTest {
    private static final Duration INITIAL = Duration.ofMillis(100);
    private static final Duration MOST = Duration.ofSeconds(2);

    private final ParkPolicy policy =
            new ParkPolicy(ProjectionOptions.DEFAULTS.withRetries(8, INITIAL, MOST), new Random(7));

    @Test
    void delays_double_up_to_the_longest_with_full_jitter() {
        for (int attempt = 1; attempt < 8; attempt++) {
            Duration ceiling = INITIAL.multipliedBy(1L << (attempt - 1));
            Duration most = ceiling.compareTo(MOST) < 0 ? ceiling : MOST;
            Duration longest = Duration.ZERO;
            for (int i = 0; i < 2_000; i++) {
                ParkDecision parking = policy.afterTransient(attempt, "failed");
                assertThat(parking.reason()).isEqualTo(ParkReason.TRANSIENT);
                assertThat(parking.attempts()).isEqualTo(attempt);
                Duration delay = parking.nextTry().orElseThrow();
                assertThat(delay).isPositive().isLessThanOrEqualTo(most);
                longest = delay.compareTo(longest) > 0 ? delay : longest;
            }
            assertThat(longest).isGreaterThan(most.multipliedBy(9).dividedBy(10));
        }
    }

    @Test
    void a_transient_failure_after_the_last_attempt_has_no_next_attempt() {
        assertThat(policy.afterTransient(8, "failed")).isEqualTo(policy.poison(8, "failed"));
        assertThat(policy.afterTransient(9, "failed").nextTry()).isEmpty();
    }

    @Test
    void an_outage_is_no_attempt() {
        ParkDecision parking = policy.afterOutage(8, "failed");
        assertThat(parking.reason()).isEqualTo(ParkReason.TRANSIENT);
        assertThat(parking.attempts()).isEqualTo(8);
        assertThat(parking.nextTry()).isPresent();
        assertThat(policy.afterOutage(0, "failed").nextTry().orElseThrow()).isLessThanOrEqualTo(INITIAL);
    }

    @Test
    void a_gap_is_no_attempt_either() {
        assertThat(policy.gap(5).attempts()).isZero();
        assertThat(policy.gap(5).nextTry()).contains(MOST);
    }
}

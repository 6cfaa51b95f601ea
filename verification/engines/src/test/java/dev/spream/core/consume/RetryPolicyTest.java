package dev.spream.core.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.PartitionToken;
import dev.spream.testkit.consume.Changes;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests of the decisions of the built-in error handlers, attempt by attempt. */
final class RetryPolicyTest {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void handlers_without_retries_decide_the_same_each_time() {
        DeliveryFailure failure = failure(1, 0, new IOException("unreachable"));
        assertThat(ErrorHandler.skip().onFailure(failure)).isEqualTo(new ErrorDecision.Skip());
        assertThat(ErrorHandler.deadLetter().onFailure(failure)).isEqualTo(new ErrorDecision.DeadLetter());
        assertThat(ErrorHandler.parkKey().onFailure(failure)).isEqualTo(new ErrorDecision.ParkKey());
    }

    @Test
    void a_fixed_backoff_waits_the_same_each_time_and_ends_at_the_last_attempt() {
        ErrorHandler handler = ErrorHandler.fixedBackoff(SECOND).maxAttempts(3).thenSkip();
        assertThat(decisions(handler, 4)).containsExactly(retry(1000), retry(1000), skip(), skip());
    }

    @Test
    void one_attempt_means_no_retry() {
        assertThat(decisions(ErrorHandler.fixedBackoff(SECOND).maxAttempts(1).thenDeadLetter(), 1))
                .containsExactly(new ErrorDecision.DeadLetter());
    }

    @Test
    void the_ceiling_of_an_exponential_backoff_doubles_up_to_its_cap() {
        ErrorHandler handler = RetryPolicy.exponential(Duration.ofMillis(100), SECOND, () -> longest())
                .forever();
        assertThat(decisions(handler, 6))
                .containsExactly(retry(100), retry(200), retry(400), retry(800), retry(1000), retry(1000));
        assertThat(handler.onFailure(failure(Integer.MAX_VALUE, 0, new IOException("unreachable"))))
                .isEqualTo(retry(1000));
    }

    @Test
    void an_exponential_backoff_is_random_over_the_whole_of_its_range() {
        Random random = new Random(42);
        ErrorHandler handler =
                RetryPolicy.exponential(SECOND, SECOND, () -> random).forever();
        long[] tenths = new long[10];
        for (int i = 0; i < 10_000; i++) {
            Duration delay = ((ErrorDecision.Retry) handler.onFailure(failure(1, 0, new IOException("x")))).delay();
            assertThat(delay).isBetween(Duration.ofNanos(1), SECOND);
            tenths[(int) Math.min(9, delay.toMillis() / 100)]++;
        }
        assertThat(tenths).satisfies(counts -> {
            for (long count : counts) {
                assertThat(count).isBetween(850L, 1150L);
            }
        });
    }

    @Test
    void an_exponential_backoff_takes_its_randomness_from_the_jdk_by_default() {
        ErrorHandler handler =
                ErrorHandler.exponentialBackoff(SECOND, Duration.ofDays(1)).forever();
        assertThat(decisions(handler, 40).stream().distinct().count()).isGreaterThan(30);
    }

    @Test
    void the_last_delay_ends_at_the_limit_of_time_and_a_failure_there_is_the_last() {
        ErrorHandler handler = ErrorHandler.fixedBackoff(SECOND)
                .maxElapsed(Duration.ofMillis(2500))
                .thenParkKey();
        assertThat(handler.onFailure(failure(1, 0, new IOException("x")))).isEqualTo(retry(1000));
        assertThat(handler.onFailure(failure(2, 1000, new IOException("x")))).isEqualTo(retry(1000));
        assertThat(handler.onFailure(failure(3, 2000, new IOException("x")))).isEqualTo(retry(500));
        assertThat(handler.onFailure(failure(4, 2500, new IOException("x")))).isEqualTo(new ErrorDecision.ParkKey());
        assertThat(handler.onFailure(failure(4, 9999, new IOException("x")))).isEqualTo(new ErrorDecision.ParkKey());
    }

    @Test
    void a_clock_that_was_set_back_does_not_lengthen_the_limit() {
        ErrorHandler handler = ErrorHandler.fixedBackoff(Duration.ofHours(5))
                .maxElapsed(SECOND)
                .thenStop();
        assertThat(handler.onFailure(failure(2, -3_600_000, new IOException("x"))))
                .isEqualTo(retry(1000));
    }

    @Test
    void of_two_limits_the_first_one_reached_decides() {
        ErrorHandler handler = ErrorHandler.fixedBackoff(SECOND)
                .maxAttempts(2)
                .maxElapsed(Duration.ofMinutes(1))
                .thenStop();
        assertThat(handler.onFailure(failure(2, 1, new IOException("x")))).isEqualTo(new ErrorDecision.Stop());
        assertThat(handler.onFailure(failure(1, 60_000, new IOException("x")))).isEqualTo(new ErrorDecision.Stop());
        assertThat(handler.onFailure(failure(1, 59_999, new IOException("x")))).isEqualTo(retry(1));
    }

    @Test
    void failures_excluded_from_retries_are_not_retried() {
        ErrorHandler handler = ErrorHandler.fixedBackoff(SECOND)
                .abortOn(IOException.class)
                .abortOn(AssertionError.class)
                .thenSkip();
        assertThat(handler.onFailure(failure(1, 0, new FileNotFoundException("x"))))
                .isEqualTo(skip());
        assertThat(handler.onFailure(failure(1, 0, new AssertionError("x")))).isEqualTo(skip());
        assertThat(handler.onFailure(failure(99, 0, new IllegalStateException(new IOException("x")))))
                .isEqualTo(retry(1000));
    }

    @Test
    void a_policy_is_not_changed_by_what_is_built_from_it() {
        RetryPolicy policy = ErrorHandler.fixedBackoff(SECOND).maxAttempts(5);
        ErrorHandler twice = policy.maxAttempts(2).thenStop();
        assertThat(decisions(twice, 2)).containsExactly(retry(1000), new ErrorDecision.Stop());
        assertThat(decisions(policy.thenStop(), 2)).containsExactly(retry(1000), retry(1000));
    }

    @Test
    void a_policy_without_an_end_says_forever_and_one_with_an_end_says_what_then() {
        RetryPolicy endless = ErrorHandler.fixedBackoff(SECOND);
        assertThatThrownBy(endless::thenParkKey)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("thenParkKey")
                .hasMessageContaining("forever()");
        assertThatThrownBy(endless.maxAttempts(3)::forever)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("end the policy with one of the then methods");
    }

    @Test
    void values_out_of_range_are_refused_with_field_value_and_bound() {
        assertThatThrownBy(() -> ErrorHandler.fixedBackoff(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("delay is 0 s, must be 1 ms to 1 d");
        assertThatThrownBy(() -> ErrorHandler.exponentialBackoff(Duration.ofDays(2), Duration.ofDays(3)))
                .hasMessage("base is 2 d, must be 1 ms to 1 d");
        assertThatThrownBy(() -> ErrorHandler.exponentialBackoff(SECOND, Duration.ofMillis(999)))
                .hasMessage("cap is 999 ms, must be 1 s to 1 d");
        assertThatThrownBy(() -> ErrorHandler.fixedBackoff(SECOND).maxAttempts(0))
                .hasMessage("maxAttempts is 0, must be 1 or more");
        assertThatThrownBy(() -> ErrorHandler.fixedBackoff(SECOND).maxElapsed(Duration.ofDays(366)))
                .hasMessage("maxElapsed is 366 d, must be 1 ms to 365 d");
    }

    private static List<ErrorDecision> decisions(ErrorHandler handler, int attempts) {
        List<ErrorDecision> decisions = new ArrayList<>();
        for (int attempt = 1; attempt <= attempts; attempt++) {
            decisions.add(handler.onFailure(failure(attempt, 0, new IOException("unreachable"))));
        }
        return decisions;
    }

    private static ErrorDecision retry(long millis) {
        return new ErrorDecision.Retry(Duration.ofMillis(millis));
    }

    private static ErrorDecision skip() {
        return new ErrorDecision.Skip();
    }

    private static DeliveryFailure failure(int attempt, long millisAfterFirst, Throwable cause) {
        return new DeliveryFailure(
                new PartitionToken("a"), Changes.of(1, "A"), attempt, FIRST, FIRST.plusMillis(millisAfterFirst), cause);
    }

    /** Draws the longest delay each time. */
    private static RandomGenerator longest() {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                return Long.MAX_VALUE;
            }

            @Override
            public long nextLong(long bound) {
                return bound - 1;
            }
        };
    }
}

package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.core.SpreamException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionToken;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FailurePolicyTest {
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void a_sink_that_asks_for_a_year_is_tried_again_in_a_day() {
        ErrorDecision decision =
                policy(Map.of()).onFailure(failure(1, new RetryAfterException("busy", DAY.multipliedBy(365))));
        assertThat(decision).isEqualTo(new ErrorDecision.Retry(DAY));
    }

    @Test
    void a_sink_that_asks_for_less_than_the_policy_waits_gets_that() {
        ErrorDecision decision = policy(Map.of("retry.base-delay", "1d", "retry.max-delay", "1d"))
                .onFailure(failure(1, new RetryAfterException("busy", Duration.ZERO)));
        assertThat(decision).isInstanceOf(ErrorDecision.Retry.class);
    }

    @Test
    void attempts_are_limited_whatever_the_sink_asks_for_and_can_be_unlimited() {
        RetryAfterException later = new RetryAfterException("busy", Duration.ofSeconds(1));
        assertThat(policy(Map.of()).onFailure(failure(10, later))).isEqualTo(new ErrorDecision.Stop());
        ErrorHandler unlimited = policy(Map.of("retry.max-attempts", "unlimited", "on-failure", "skip"));
        assertThat(unlimited.onFailure(failure(1_000_000, later))).isInstanceOf(ErrorDecision.Retry.class);
        assertThat(unlimited.onFailure(failure(1, new NonRetryableException("no"))))
                .isEqualTo(new ErrorDecision.Skip());
    }

    @Test
    void an_outage_of_the_sinks_database_is_no_failure_of_a_change() {
        ErrorHandler policy = policy(Map.of("retry.max-attempts", "1", "on-failure", "skip"));
        assertThat(policy.onFailure(failure(1_000_000, new StorageException("no connection", true, null))))
                .isInstanceOf(ErrorDecision.Retry.class);
        assertThat(policy.onFailure(failure(1, new StorageException("no such database", false, null))))
                .isEqualTo(new ErrorDecision.Skip());
    }

    @Test
    void attempts_during_an_outage_do_not_count() {
        ErrorHandler policy = policy(Map.of("retry.max-attempts", "3", "on-failure", "skip"));
        assertThat(policy.onFailure(failure(1, new StorageException("no connection", true, null))))
                .isInstanceOfSatisfying(
                        ErrorDecision.Retry.class,
                        retry -> assertThat(retry.counted()).isFalse());
        assertThat(policy.onFailure(failure(1, new SpreamException("busy"))))
                .isInstanceOfSatisfying(
                        ErrorDecision.Retry.class,
                        retry -> assertThat(retry.counted()).isTrue());
        assertThat(policy.onFailure(failure(20, 2, new SpreamException("busy"))))
                .isInstanceOf(ErrorDecision.Retry.class);
        assertThat(policy.onFailure(failure(21, 3, new SpreamException("busy"))))
                .isEqualTo(new ErrorDecision.Skip());
    }

    private static ErrorHandler policy(Map<String, String> settings) {
        ResolvedConfig config = ResolvedConfig.of(
                SpreamConfig.of(settings),
                List.of(
                        new ConfigSection("", List.of(FailurePolicy.ON_FAILURE), true),
                        new ConfigSection("retry", FailurePolicy.retryKeys(), true)));
        return FailurePolicy.of(config.section(""), config.section("retry"));
    }

    private static DeliveryFailure failure(int attempt, Exception cause) {
        return failure(attempt, attempt, cause);
    }

    private static DeliveryFailure failure(int attempt, int counted, Exception cause) {
        return new DeliveryFailure(
                new PartitionToken("p"),
                ScriptedSource.newChange(1, "a", "tx"),
                attempt,
                counted,
                ScriptedSource.START,
                ScriptedSource.START,
                cause);
    }
}

package dev.spream.api.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SubscriptionHealthTest {
    private static final PartitionToken TOKEN = new PartitionToken("p");

    private Instant now = Instant.parse("2026-01-01T11:00:00Z");
    private final SubscriptionHealth health = new SubscriptionHealth(() -> now);

    @Test
    void a_storage_that_fails_for_a_minute_is_a_problem_until_it_answers() {
        fail();
        now = now.plus(SubscriptionHealth.STORAGE_TIMEOUT.minusMillis(1));
        assertThat(health.problem()).isEmpty();

        now = now.plus(Duration.ofMillis(1));
        fail();
        assertThat(health.problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("2026-01-01T11:00:00Z", "reading the lineage: the database is away"));

        health.watermarksPersisted(Map.of());
        assertThat(health.problem()).isEmpty();
        fail();
        assertThat(health.problem()).isEmpty();
    }

    @Test
    void partitions_of_which_none_moves_are_a_problem() {
        look(0, ScriptedSource.START);
        now = now.plus(SubscriptionHealth.PROGRESS_TIMEOUT.minusMillis(1));
        look(0, ScriptedSource.START);
        assertThat(health.problem()).isEmpty();

        now = now.plus(Duration.ofMillis(1));
        assertThat(health.problem())
                .contains(
                        "none of the 1 partitions of this worker has advanced since 2026-01-01T11:00:00Z, and nothing was"
                                + " settled");

        look(0, ScriptedSource.at(1));
        assertThat(health.problem()).isEmpty();
    }

    @Test
    void changes_that_settle_behind_an_unsettled_one_are_progress() {
        look(0, ScriptedSource.START);
        now = now.plus(SubscriptionHealth.PROGRESS_TIMEOUT);
        look(1, ScriptedSource.START);

        assertThat(health.problem()).isEmpty();
    }

    @Test
    void a_retry_is_no_problem_until_it_has_been_due_for_long() {
        look(0, ScriptedSource.START);
        retryIn(Duration.ofHours(1));
        now = now.plus(Duration.ofHours(1)).plus(SubscriptionHealth.PROGRESS_TIMEOUT.minusMillis(1));
        assertThat(health.problem()).isEmpty();

        now = now.plus(Duration.ofMillis(1));
        assertThat(health.problem()).isPresent();
    }

    @Test
    void attempts_that_fail_one_after_the_other_are_no_problem_while_one_of_them_lasts() {
        look(0, ScriptedSource.START);
        for (int attempt = 0; attempt < 30; attempt++) {
            retryIn(Duration.ofMinutes(1));
            now = now.plus(Duration.ofMinutes(1)).plus(Duration.ofSeconds(20)); // it is due, and not answered yet
            look(0, ScriptedSource.START);
            assertThat(health.problem()).isEmpty();
        }
    }

    private void retryIn(Duration delay) {
        health.deliveryFailed(
                new DeliveryFailure(
                        TOKEN,
                        ScriptedSource.newChange(1, "A", "tx"),
                        1,
                        now,
                        now,
                        new IllegalStateException("refused")),
                new ErrorDecision.Retry(delay));
    }

    @Test
    void a_worker_without_partitions_is_healthy() {
        now = now.plus(Duration.ofDays(1));
        health.look(List.of(), 0);

        assertThat(health.problem()).isEmpty();
    }

    private void fail() {
        health.storageRetrying("reading the lineage", new IllegalStateException("the database is away"));
    }

    private void look(long settled, Instant watermark) {
        health.look(List.of(new PartitionProgress(TOKEN, 1, watermark, 1)), settled);
    }
}
